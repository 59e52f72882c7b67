import { expect, test } from "bun:test"
import { redact, vendorText } from "../../src/providers/error-text.ts"
import { answeredError, connectionError, type Answered } from "../../src/providers/errors.ts"
import { retryAfter } from "../../src/providers/retry-after.ts"

const target = { provider: "acme", model: "m", baseUrl: "https://api.acme.test/v1" }
const now = Date.parse("2026-11-20T10:00:00Z")

function judge(
  status: number | undefined,
  body: string,
  more: Partial<Answered> = {},
): ReturnType<typeof answeredError> {
  return answeredError(target, { ...more, ...(status === undefined ? {} : { status }), body, now })
}

const overflows: readonly [number | undefined, string][] = [
  [400, '{"error":{"message":"too long","code":"context_length_exceeded"}}'],
  [400, "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens"],
  [
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
  ],
  [400, "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"],
  [400, "Input is too long for requested model."],
  [400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  [400, "This model's maximum prompt length is 131072 but the request contains 150000 tokens."],
  [400, "Please reduce the length of the messages or completion."],
  [400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
  [400, "However, the model's context length is only 8192 tokens"],
  [422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"],
  [400, '{"message":"Current length is 70000 while limit is 65536","type":"invalid_request_error"}'],
  [400, "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length"],
  [400, "Invalid request: Your request exceeded model token limit: 262144"],
  [400, '{"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit (2013)"}}'],
  [400, "Range of input length should be [1, 129024]"],
  [400, '{"error":{"code":"1261","message":"Prompt exceeds max length"}}'],
  [400, "prompt token count of 70000 exceeds the limit of 64000"],
  [
    400,
    '{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}',
  ],
  [400, "request (9000 tokens) exceeds the available context size (8192 tokens)"],
  [400, "The number of tokens to keep from the initial prompt is greater than the context length"],
  [400, "prompt too long; exceeded max context length by 12 tokens"],
  [413, "<html><title>413 Request Entity Too Large</title></html>"],
  [413, ""],
  [
    undefined,
    '{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}',
  ],
]

test.each(overflows)("overflow, status %p: %s (field report 109)", (status, body) => {
  expect(judge(status, body)).toMatchObject({ kind: "overflow" })
})

test("a bare 400 is an overflow only at a vendor that answers so", () => {
  expect(judge(400, "", { bareOverflow: true }).kind).toBe("overflow")
  expect(judge(400, "").kind).toBe("fatal")
})

const others: readonly [number | undefined, string, string][] = [
  [429, '{"message":"You have exceeded the request rate limit"}', "retry"],
  [400, '{"message":"You have exceeded the request rate limit"}', "fatal"],
  [529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "retry"],
  [503, "<html><body>Service Unavailable</body></html>", "retry"],
  [524, "", "retry"],
  [408, "", "retry"],
  [
    413,
    '{"error":{"message":"Request too large for model on tokens per minute (TPM): please try again in 3s"}}',
    "retry",
  ],
  [413, '{"error":{"message":"Request too large on tokens per minute (TPM): Limit 6000, Requested 9000"}}', "overflow"],
  [
    429,
    '{"error":{"message":"Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 35364."}}',
    "overflow",
  ],
  [
    429,
    '{"error":{"message":"You exceeded your current quota, please check your plan","code":"insufficient_quota"}}',
    "quota",
  ],
  [402, '{"error":{"message":"Insufficient Balance"}}', "quota"],
  [429, '{"error":{"code":"1308","message":"limit reached, resets later"}}', "quota"],
  [400, '{"type":"error","error":{"message":"Your credit balance is too low"}}', "quota"],
  [
    429,
    '{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}]}}',
    "quota",
  ],
  [
    429,
    '{"error":{"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 22.7s.","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},{"retryDelay":"22s"}]}}',
    "retry",
  ],
  [429, '{"error":{"message":"You exceeded your current quota. Please retry in 22.7s."}}', "retry"],
  [429, '{"error":{"message":"You exceeded your current quota: limit: 0. Please retry in 22.7s."}}', "quota"],
  [
    429,
    '{"error":{"message":"You exceeded your current quota. Please retry in 22.7s.","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}',
    "quota",
  ],
  [401, '{"error":{"message":"bad key"}}', "auth"],
  [400, '{"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}', "auth"],
  [403, '{"error":{"message":"not allowed"}}', "auth"],
  [400, '{"error":{"message":"violates our content policy","code":"content_policy_violation"}}', "refused"],
  [400, '{"error":{"message":"max_tokens is too large: 999999"}}', "fatal"],
  [400, '{"error":{"message":"string too long","code":"string_above_max_length"}}', "fatal"],
  [404, '{"error":{"message":"no such model"}}', "fatal"],
  [422, '{"detail":[{"msg":"extra fields not permitted","type":"extra_forbidden"}]}', "fatal"],
  [undefined, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "retry"],
  [undefined, '{"error":{"message":"Provider returned error","code":502}}', "retry"],
  [undefined, '{"error":{"type":"invalid_request_error","message":"bad field"}}', "fatal"],
]

test.each(others)("status %p with %s is %s (field reports 59, 60)", (status, body, kind) => {
  expect(judge(status, body).kind as string).toBe(kind)
})

test("x-should-retry overrules the table", () => {
  expect(judge(500, "broken", { headers: { "x-should-retry": "false" } }).kind).toBe("fatal")
  expect(judge(400, "odd", { headers: { "x-should-retry": "true" } }).kind).toBe("retry")
})

const waits: readonly [Readonly<Record<string, string>>, string, number | undefined][] = [
  [{ "retry-after-ms": "1500" }, "", 1_500],
  [{ "retry-after": "7" }, "", 7_000],
  [{ "retry-after": "0.5" }, "", 500],
  [{ "retry-after": "Fri, 20 Nov 2026 10:00:30 GMT" }, "", 30_000],
  [{ "retry-after": "Fri, 20 Nov 2026 09:00:00 GMT" }, "", 0],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m3.2s" }, "", 63_200],
  [{ "x-ratelimit-remaining-tokens": "5000", "x-ratelimit-reset-tokens": "6m" }, "", undefined],
  [
    { "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-11-20T10:00:12Z" },
    "",
    12_000,
  ],
  [{}, '{"details":[{"retryDelay":"34.4s"}]}', 34_400],
  [{}, "Please try again in 12.3s. Visit the docs.", 12_300],
  [{}, "Please try again in 350ms.", 350],
  [{}, "try again in 1m30s", 90_000],
  [{}, "retry after 20 seconds", 20_000],
  [{ "retry-after": "soon" }, "", undefined],
  [{}, "try again later", undefined],
]

test.each(waits)("%j with %j asks to wait %p ms", (headers, body, wait) => {
  expect(retryAfter(headers, body, now)).toBe(wait)
})

test("what a vendor asks to wait reaches the caller, for what is retried", () => {
  expect(judge(429, "slow down", { headers: { "retry-after": "7" } }).retryAfterMs).toBe(7_000)
  expect(judge(401, "no", { headers: { "retry-after": "7" } }).retryAfterMs).toBeUndefined()
})

const bodies: readonly [string, string][] = [
  ['{"error":{"message":"wrapped"}}', "wrapped"],
  ['{"message":"flat","code":"x"}', "flat"],
  ['[{"error":{"message":"in a list"}}]', "in a list"],
  ['{"error":"text"}', "text"],
  ['{"detail":[{"loc":["a"],"msg":"field"}]}', "field"],
  ['{"type":"about:blank","title":"Unprocessable","status":422,"detail":"problem"}', "problem"],
  [
    '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"upstream\\"}}"}}}',
    "upstream",
  ],
  ["<html><head><title>502 Bad Gateway</title></head><body>x</body></html>", "502 Bad Gateway"],
  ["plain words", "plain words"],
]

test.each(bodies)("the vendor's words in %s are %s", (body, words) => {
  expect(vendorText(body)).toBe(words)
})

test("a message is one line, short, and says what to do", () => {
  const error = judge(401, `{"error":{"message":"bad\\n\\u001b[31mkey ${"x".repeat(900)}"}}`)
  expect(error.message).toStartWith("acme answered 401 for m: bad [31mkey")
  expect(error.message).toEndWith('Check the key of "acme" and what it may use.')
  expect(error.message.length).toBeLessThanOrEqual(500)
  expect(error.message).not.toMatch(/[\u0000-\u001f]/)
})

const secrets: readonly [string][] = [
  ["Incorrect API key provided: sk-proj-abcdefghijklmnop1234."],
  ["https://api.test/v1?key=AIzaSyA1234567890abcdefghijklmnop failed"],
  ["authorization: Bearer abcdefghijklmnopqrstuvwxyz"],
  ["token eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abcdef"],
  ["http://me:secret-password@proxy.test/"],
]

test.each(secrets)("no key survives in: %s", (text) => {
  const clean = redact(text, undefined)
  expect(clean).toContain("[key]")
  expect(clean).not.toMatch(/abcdefgh|AIzaSy|eyJzdWI|secret-password/)
})

test("the key itself never reaches a message, whatever it looks like", () => {
  expect(judge(400, "your key hunter2hunter2 is odd", { key: "hunter2hunter2" }).message).toContain(
    "your key [key] is odd",
  )
})

test.each<[number | undefined, string, string]>([
  [401, "bad key", 'Check the key of "acme"'],
  [402, "", 'see the plan and the balance at "acme"'],
  [404, "no such model", "`cairn models` lists those that are known"],
  [400, "Invalid value: 'tool'.", "the quirks of its entry in the config can change what is sent"],
  [413, "prompt is too long", "compact it, or choose one with a larger window"],
  [400, "content_policy_violation", "Ask in another way, or choose another model."],
])("a failure with %i says what can be done", (status, words, what) => {
  expect(judge(status, JSON.stringify({ error: { message: words } })).message).toContain(what)
})

const connections: readonly [string, string, string][] = [
  ["ECONNREFUSED", "retry", "unreachable"],
  ["ENOTFOUND", "retry", "unreachable"],
  ["ECONNRESET", "retry", "reset"],
  ["ERR_INVALID_URL", "fatal", "bad_url"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "fatal", "tls"],
]

test.each(connections)("a connection that fails with %s is %s, %s", (code, kind, reason) => {
  const cause = Object.assign(new TypeError("fetch failed"), { code })
  const error = connectionError(target, new Error("Connection error.", { cause }), undefined)
  expect(error).toMatchObject({ kind, reason })
  expect(error.message).not.toContain("Connection error.")
})
