/**
 * What a failure means and what can be done about it.
 *
 * - Texts are compared in lower case with the body, code and type together. What only looks like an overflow (rate limits, output limits) is
 *   taken out first; money is told from rate by the text, since 429 alone says nothing.
 * - By status where there is one: 429, 5xx and the like are retried whatever the body says, but for money; a 400 never is.
 * - The message is for a person: the vendor's words, cleaned and without keys, and what to do. Nothing here logs.
 */
import { cleanWords, redact, vendorText } from "./error-text.ts"
import { ProviderError, type ErrorKind } from "./provider.ts"
import { retryAfter } from "./retry-after.ts"

/** Whom the request went to, for the sentence. */
export type Target = { readonly provider: string; readonly model: string; readonly baseUrl: string }

/** `body` is the text as it came; in a stream there is no status, or one that the event named. */
export type Answered = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  /** Wall-clock milliseconds, for dates in headers. */
  readonly now: number
  readonly key?: string
  /** A 400 or 413 with no body is an overflow at this vendor. */
  readonly bareOverflow?: boolean
}

const overflowTexts = [
  /context_length_exceeded|exceed_context_size_error|model_context_window_exceeded|request_too_large/,
  /maximum context length (is|of) [\d,]+/,
  /exceeds? the (available )?context (window|size)|context (window|length|size) (is )?exceed|exceeds? .{0,30}context window/,
  /prompt is too long|prompt too long|input is too long|prompt contains too many tokens/,
  /input length and `?max_tokens`? exceed/,
  /input token count.{0,30}exceeds/,
  /maximum prompt length/,
  /reduce the length of the (messages|prompt|input)/,
  /longer than the (model's )?(maximum )?context length|context length is only/,
  /`inputs` tokens \+ `max_new_tokens` must be/,
  /current length is \d+ while limit/,
  /too large for model with \d+ maximum context|prompt contains \d+ tokens/,
  /exceeded model token limit/,
  /range of input length should be/,
  /"code": ?"?1261\b/,
  /prompt token count of \d+ exceeds/,
  /greater than the context length/,
  /prompt has \d+ tokens but the configured context/,
  /too many tokens|token limit exceeded|request entity too large/,
]

const rateTexts =
  /rate.?limit|too many requests|throttl|tokens per (minute|day)|\btpm\b|\btpd\b|requests per (minute|day)|string_above_max_length/
const outputTexts =
  /max_(completion_)?(output_)?tokens.{0,40}(too large|must be|cannot be|exceeds the)|maximum allowed number of output tokens/
const quotaTexts =
  /insufficient_quota|exceeded_current_quota|quota exceeded|exceeded your (current|monthly) quota|billing|out of budget|insufficient (balance|credit|fund)|available balance|credit balance|out of credits|(monthly|weekly|usage|spend|spending) limit|spend_limit|organization_on_hold|free-?tier|perday|"code": ?"?1308\b/
/**
 * Google calls every limit a quota: one of a minute passes, and it says when (RooCodeInc/Roo-Code#3883); one of a day does not, whatever it says
 * (google-gemini/gemini-cli#8437), nor does one of nothing, for models that a plan does not have (continuedev/continue#10062).
 */
const minuteTexts = /perminute|please retry in \d+(\.\d+)?m?s\b/
const dayTexts = /perday|limit: 0\b/

function isQuota(text: string, status: number | undefined): boolean {
  if (status === 529 || (minuteTexts.test(text) && !dayTexts.test(text))) return false
  return quotaTexts.test(text)
}

const keyTexts =
  /invalid[ _]api[ _]?key|api key not valid|incorrect api key|invalid x-api-key|api_key_invalid|authentication_error|invalid_authentication/
const refusedTexts =
  /content_policy|content_filter|content policy|safety system|prohibited_content|moderation|policy_violation|bio_policy|flagged/
const transientTexts =
  /overloaded|rate_limit|server_error|api_error|timeout|unavailable|network_error|resourceexhausted|resource_exhausted|engine_overloaded|try again|retry your request|insufficient_system_resource|internal/

const transientStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529])

/** OpenAI and Groq: one request that asks for more than a minute's tokens; no waiting helps. */
function asksMoreThanRate(text: string): boolean {
  const limit = /limit:? ([\d,]+)/.exec(text)?.[1]
  const requested = /requested:? ([\d,]+)/.exec(text)?.[1]
  if (limit === undefined || requested === undefined) return false
  return Number(requested.replaceAll(",", "")) > Number(limit.replaceAll(",", ""))
}

function isOverflow(text: string, answered: Answered): boolean {
  if (rateTexts.test(text)) return asksMoreThanRate(text)
  if (outputTexts.test(text)) return false
  if (answered.status === 413) return true
  if (answered.bareOverflow === true && answered.status === 400 && answered.body.trim() === "") return true
  return overflowTexts.some((pattern) => pattern.test(text))
}

type Verdict = { readonly kind: ErrorKind; readonly reason: string }

function byStatus(status: number, text: string): Verdict {
  const reason = `http_${status}`
  if (status === 401 || status === 403) return { kind: "auth", reason }
  if (status === 402) return { kind: "quota", reason }
  if (transientStatuses.has(status) || (status >= 520 && status <= 524)) return { kind: "retry", reason }
  if (status === 413 && rateTexts.test(text)) return { kind: "retry", reason }
  return { kind: "fatal", reason }
}

function verdictOf(text: string, answered: Answered): Verdict {
  const { status } = answered
  if (isOverflow(text, answered)) return { kind: "overflow", reason: "overflow" }
  if (isQuota(text, status)) return { kind: "quota", reason: "quota" }
  if (keyTexts.test(text)) return { kind: "auth", reason: status === undefined ? "auth" : `http_${status}` }
  if (refusedTexts.test(text)) return { kind: "refused", reason: "refused" }
  const should = answered.headers?.["x-should-retry"]
  if (status !== undefined) {
    const verdict = byStatus(status, text)
    if (should === "true" && verdict.kind === "fatal") return { kind: "retry", reason: verdict.reason }
    return should === "false" && verdict.kind === "retry" ? { kind: "fatal", reason: verdict.reason } : verdict
  }
  if (/invalid_request|invalid_prompt|not_found/.test(text) && !transientTexts.test(text))
    return { kind: "fatal", reason: "invalid_request" }
  return { kind: "retry", reason: "stream_error" }
}

const advice: Readonly<Record<ErrorKind, (target: Target) => string>> = {
  retry: () => "",
  overflow: () => "The conversation is too long for this model: compact it, or choose one with a larger window.",
  auth: ({ provider }) => `Check the key of "${provider}" and what it may use.`,
  quota: ({ provider }) =>
    `Waiting does not help: see the plan and the balance at "${provider}", or choose another model.`,
  refused: () => "Ask in another way, or choose another model.",
  fatal: () => "",
  aborted: () => "",
}

/** What to do about a request that is refused as it is, by its status. */
function adviceFor(kind: ErrorKind, status: number | undefined, target: Target): string {
  if (kind !== "fatal" || status === undefined) return advice[kind](target)
  if (status === 404 || status === 405)
    return `See the name of the model (\`cairn models\` lists those that are known) and the baseUrl of "${target.provider}".`
  return `Choose another model, or see what "${target.provider}" takes: the quirks of its entry in the config can change what is sent.`
}

/** A failure that a server told us of, over HTTP or inside a stream. */
export function answeredError(target: Target, answered: Answered): ProviderError {
  const text = answered.body.toLowerCase()
  const { kind, reason } = verdictOf(text, answered)
  const words = vendorText(answered.body)
  const who =
    answered.status === undefined ? `${target.provider} broke off` : `${target.provider} answered ${answered.status}`
  const sentence = words === "" ? `${who} for ${target.model}.` : `${who} for ${target.model}: ${words}`
  const message = cleanWords(
    redact(
      `${sentence}${/[.!?]$/.test(sentence) ? "" : "."} ${adviceFor(kind, answered.status, target)}`,
      answered.key,
    ),
  )
  const retryAfterMs = kind === "retry" ? retryAfter(answered.headers ?? {}, answered.body, answered.now) : undefined
  return new ProviderError(kind, reason, message, { retryAfterMs, status: answered.status })
}

/** Fixed sentences for what no server said. */
export function ownError(kind: ErrorKind, reason: string, message: string): ProviderError {
  return new ProviderError(kind, reason, cleanWords(message))
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return ""
  const own = "code" in error && typeof error.code === "string" ? error.code : ""
  return own !== "" || !("cause" in error) ? own : codeOf(error.cause)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? messageOf(error.cause) : error.message
}

const tlsCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ALTNAME/
const nameCodes = /ENOTFOUND|EAI_AGAIN|DNS/
const refusedCodes = /ECONNREFUSED|ConnectionRefused|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket/

/** A failure of the connection, as `fetch` or an SDK threw it. */
export function connectionError(target: Target, error: unknown, key: string | undefined): ProviderError {
  if (error instanceof ProviderError) return error
  const code = codeOf(error)
  const where = redact(target.baseUrl, key)
  if (tlsCodes.test(code))
    return ownError(
      "fatal",
      "tls",
      `The certificate of ${where} is not trusted (${code}); NODE_EXTRA_CA_CERTS can name one that is.`,
    )
  if (code === "ERR_INVALID_URL")
    return ownError(
      "fatal",
      "bad_url",
      `${where} is no URL: correct the baseUrl of "${target.provider}" in the config.`,
    )
  if (nameCodes.test(code))
    return ownError("retry", "unreachable", `There is no host of ${where} to be found; is the network up?`)
  if (refusedCodes.test(code))
    return ownError(
      "retry",
      "unreachable",
      `Nothing answers at ${where}; is the server of "${target.provider}" running?`,
    )
  if (code !== "")
    return ownError("retry", "reset", `The connection to ${target.provider} broke (${redact(code, key)}).`)
  return ownError("fatal", "request", `The request to ${where} could not be made: ${redact(messageOf(error), key)}`)
}
