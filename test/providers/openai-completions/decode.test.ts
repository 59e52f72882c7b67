import { expect, test } from "bun:test"
import type { Json } from "../../../src/std/json.ts"
import { readDetails } from "../../../src/providers/openai-completions/details.ts"
import { StreamFailure } from "../../../src/providers/decoder.ts"
import { chunk, decodeChunks, model, thrown } from "../support.ts"

const hello = chunk({ content: "hello" })
const stop = chunk({}, "stop")

test("text is joined and ends as a stop", () => {
  const { response } = decodeChunks([
    chunk({ role: "assistant", content: "" }),
    hello,
    chunk({ content: " you" }),
    stop,
  ])
  expect(response.content).toEqual([{ type: "text", text: "hello you" }])
  expect(response).toMatchObject({ stopReason: "stop", rawStopReason: "stop", responseId: "c" })
})

const fields = ["reasoning_content", "reasoning", "reasoning_text"] as const

test.each(fields.map((field) => [field]))("reasoning in %s is kept with the name of its field", (field) => {
  const { response } = decodeChunks([chunk({ [field]: "h" }), chunk({ [field]: "m" }), hello, stop])
  expect(response.content[0]).toEqual({ type: "thinking", thinking: "hm", thinkingSignature: field })
})

test("the same reasoning in two fields is taken once", () => {
  const { response } = decodeChunks([chunk({ reasoning_content: "hm", reasoning: "hm" }), hello, stop])
  expect(response.content[0]).toMatchObject({ thinking: "hm", thinkingSignature: "reasoning_content" })
})

test("reasoning_details are kept whole and in order, joined where the stream cut them", () => {
  const details = (value: object): Json => chunk({ reasoning: "x", reasoning_details: [value as Json] })
  const { response } = decodeChunks([
    details({ type: "reasoning.text", index: 0, text: "a", format: "f", signature: null }),
    details({ type: "reasoning.text", index: 0, text: "b", signature: "sig" }),
    details({ type: "reasoning.encrypted", index: 1, data: "zz" }),
    hello,
    stop,
  ])
  const [thinking] = response.content
  expect(readDetails(thinking?.type === "thinking" ? (thinking.thinkingSignature ?? "") : "")).toEqual([
    { type: "reasoning.text", index: 0, text: "ab", format: "f", signature: "sig" },
    { type: "reasoning.encrypted", index: 1, data: "zz" },
  ])
})

test("content may be a list of parts, thinking among them", () => {
  const parts: Json = [
    { type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true },
    { type: "text", text: "yes" },
  ]
  const { response } = decodeChunks([chunk({ content: parts }), chunk({ content: "!" }), stop])
  expect(response.content).toEqual([
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "yes!" },
  ])
})

test("<think> at the start is reasoning where the vendor does so, and text elsewhere", () => {
  const chunks = [chunk({ content: "<thi" }), chunk({ content: "nk>hm</think>yes" }), stop]
  expect(decodeChunks(chunks, { quirks: { thinkTags: true } }).response.content).toEqual([
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "yes" },
  ])
  expect(decodeChunks(chunks, { quirks: { thinkTags: false } }).response.content).toEqual([
    { type: "text", text: "<think>hm</think>yes" },
  ])
})

test("a tag in the text of a server that has a field for reasoning is text", () => {
  const chunks = [chunk({ reasoning: "hm" }), chunk({ content: "the tag </think> ends it" }), stop]
  expect(decodeChunks(chunks, { quirks: { thinkTags: true } }).response.content).toEqual([
    { type: "thinking", thinking: "hm", thinkingSignature: "reasoning" },
    { type: "text", text: "the tag </think> ends it" },
  ])
})

test("what GitHub wants back beside the reasoning is kept with it, whenever it comes", () => {
  const opaque = 'reasoning_opaque:{"field":"reasoning_text","opaque":"zz"}'
  const texts = [chunk({ reasoning_text: "hm" }), chunk({ reasoning_opaque: "zz" }), chunk({ content: "yes" }), stop]
  expect(decodeChunks(texts).response.content[0]).toEqual({
    type: "thinking",
    thinking: "hm",
    thinkingSignature: opaque,
  })
  const late = [chunk({ content: "yes" }), chunk({ reasoning_opaque: "zz" }), stop]
  expect(decodeChunks(late).response.content).toContainEqual({
    type: "thinking",
    thinking: "",
    thinkingSignature: opaque,
  })
})

test("a close without an opening tag turns what came before into reasoning", () => {
  const chunks = [chunk({ content: "hm" }), chunk({ content: "</think>yes" }), stop]
  expect(decodeChunks(chunks, { quirks: { thinkTags: true } }).response.content).toEqual([
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "yes" },
  ])
})

const usages: readonly [string, Json, object][] = [
  [
    "in a chunk of its own",
    {
      choices: [],
      usage: { prompt_tokens: 900, completion_tokens: 60, prompt_tokens_details: { cached_tokens: 800 } },
    },
    { input: 100, cacheRead: 800, output: 60 },
  ],
  [
    "of DeepSeek",
    { choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 4 } },
    { input: 6, cacheRead: 4 },
  ],
  [
    "on the choice, of Moonshot",
    { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 3 } }] },
    { input: 7, cacheRead: 3 },
  ],
  [
    "under x_groq",
    { choices: [], x_groq: { usage: { prompt_tokens: 10, completion_tokens: 2 } } },
    { input: 10, output: 2 },
  ],
  [
    "with cache writes and reasoning",
    {
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    },
    { input: 5, cacheRead: 2, cacheWrite: 3, reasoning: 4, totalTokens: 15 },
  ],
  [
    "with more cached than sent",
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } } },
    { input: 0, cacheRead: 9 },
  ],
]

test.each(usages)("usage %s is read", (_, last, expected) => {
  expect(decodeChunks([hello, stop, last]).response.usage).toMatchObject(expected)
})

test("xAI leaves reasoning out of the output, and says what it cost", () => {
  const usage = { prompt_tokens: 307, completion_tokens: 26, total_tokens: 560, cost_in_usd_ticks: 5e9 }
  const { response } = decodeChunks([hello, stop, { choices: [], usage }], {
    quirks: { outputExcludesReasoning: true },
  })
  expect(response.usage).toMatchObject({ output: 253, cost: { total: 0.5, totalFromProvider: true } })
})

test("usage on every chunk is cumulative: the last one counts (field report 101)", () => {
  const with_ = (output: number): Json => ({ choices: [], usage: { prompt_tokens: 10, completion_tokens: output } })
  expect(decodeChunks([hello, with_(1), with_(2), stop, with_(3)]).response.usage.output).toBe(3)
})

const missing: readonly [string, readonly Json[]][] = [
  ["absent", []],
  ["null", [{ choices: [], usage: null }]],
  ["empty", [{ choices: [], usage: {} }]],
]

test.each(missing)("usage that is %s is estimated and says so (field report 101)", (_, rest) => {
  const { usage } = decodeChunks([hello, stop, ...rest]).response
  expect(usage).toMatchObject({ input: 100, output: 2, estimated: true })
})

test("the price of the catalog gives the cost, and a reported one rules", () => {
  const priced = model({ cost: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 0 } })
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 100_000 }
  expect(decodeChunks([hello, stop, { choices: [], usage }], { model: priced }).response.usage.cost?.total).toBeCloseTo(
    2,
  )
  const reported = { ...usage, cost: 0.5, is_byok: true, cost_details: { upstream_inference_cost: 0.25 } }
  expect(
    decodeChunks([hello, stop, { choices: [], usage: reported }], { model: priced }).response.usage.cost,
  ).toMatchObject({ total: 0.75, totalFromProvider: true })
})

const toolCall: Json = { tool_calls: [{ index: 0, id: "c", function: { name: "read", arguments: "{}" } }] }
const cutCall: Json = { tool_calls: [{ index: 0, id: "c", function: { name: "read", arguments: '{"a' } }] }

const finishes: readonly [string, readonly Json[], string][] = [
  ["stop with calls is a tool turn (field report 100)", [chunk(toolCall, "stop")], "toolUse"],
  ["tool_calls", [chunk(toolCall), chunk({}, "tool_calls")], "toolUse"],
  ["an unknown reason is a stop", [hello, chunk({}, "eos")], "stop"],
  ["an empty reason is a stop", [hello, chunk({}, "")], "stop"],
  ["length with a cut call", [chunk(cutCall), chunk({}, "length")], "length"],
  ["model_length", [hello, chunk({}, "model_length")], "length"],
  ["two finish chunks", [chunk(toolCall, "tool_calls"), chunk({}, "stop")], "toolUse"],
  ["[DONE] alone", [hello], "stop"],
]

test.each(finishes)("finish: %s", (_, chunks, reason) => {
  expect(decodeChunks(chunks).response.stopReason as string).toBe(reason)
})

const failures: readonly [string, readonly Json[], string, string][] = [
  ["nothing at all", [], "retry", "empty"],
  ["a finish and no content", [stop], "retry", "empty"],
  ["reasoning alone", [chunk({ reasoning_content: "hm" }), stop], "retry", "empty"],
  ["blank text", [chunk({ content: " \n" }), stop], "retry", "empty"],
  ["a filter", [hello, chunk({}, "content_filter")], "refused", "refused"],
  ["a broken network behind the vendor", [hello, chunk({}, "network_error")], "retry", "network_error"],
  ["a full window", [hello, chunk({}, "model_context_window_exceeded")], "overflow", "overflow"],
]

test.each(failures)("%s is no answer (field report 57)", (_, chunks, kind, reason) => {
  expect(thrown(() => decodeChunks(chunks))).toMatchObject({ kind, reason })
})

test("a body that ends with neither a finish nor [DONE] was cut", () => {
  expect(thrown(() => decodeChunks([hello], { done: false }))).toMatchObject({ kind: "retry", reason: "cut" })
  expect(decodeChunks([hello, stop], { done: false }).response.stopReason).toBe("stop")
})

const errors: readonly [string, Json][] = [
  ["at the top", { error: { message: "overloaded", code: 502 } }],
  ["as text", { error: "no such model" }],
  ["under x_groq", { choices: [], x_groq: { error: "failed" } }],
  ["of MiniMax", { choices: [], base_resp: { status_code: 2013, status_msg: "context window exceeds limit" } }],
  ["of Mistral and vLLM", { object: "error", message: "bad", code: 400 }],
]

test.each(errors)("an error inside the stream, %s, is a failure", (_, value) => {
  expect(thrown(() => decodeChunks([hello, value]))).toBeInstanceOf(StreamFailure)
})

test("an event that is not JSON is named as such", () => {
  expect(thrown(() => decodeChunks(["x"]))).toMatchObject({ kind: "retry", reason: "malformed" })
})

test("a refusal is told as text", () => {
  expect(decodeChunks([chunk({ refusal: "I cannot." }), stop]).response.content).toEqual([
    { type: "text", text: "I cannot." },
  ])
})

test("Google's signature on a call is kept on that call", () => {
  const piece = {
    index: 0,
    id: "c",
    function: { name: "read", arguments: "{}" },
    extra_content: { google: { thought_signature: "s" } },
  }
  expect(decodeChunks([chunk({ tool_calls: [piece] }, "tool_calls")]).response.content[0]).toMatchObject({
    thoughtSignature: "s",
  })
})

test("a call is told of as it is written: its name, then its arguments piece by piece", () => {
  const { deltas } = decodeChunks([
    chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "write", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
    chunk({}, "tool_calls"),
  ])
  expect(deltas.map((delta) => (delta.type === "toolcall_delta" ? delta.delta : delta.type))).toEqual([
    "toolcall_start",
    '{"path":',
    '"a"}',
    "toolcall_end",
  ])
})
