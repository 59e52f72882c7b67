/**
 * The contract of a provider: one request in our words goes in, deltas come out, and exactly one of two ends follows.
 *
 * - A stream that ends is not a stream that finished: only the wire format's own terminal event gives a finished `Response`. Anything else
 *   (cut, stall, reset, error event, empty answer) is a thrown {@link ProviderError}; an abort by our own signal throws one of kind `aborted`.
 * - `encode` and the decoder are pure. A request is rebuilt byte for byte from the same input by the same `encoder` version.
 * - No SDK retries, no SDK timeout: this layer never waits on its own account. Who calls decides about retry. The one exception is a body that
 *   was refused for a field that can be left out: it is sent once more without it, at once (`repair.ts`).
 * - SDKs are imported on first use, inside `call`. They get key and address from us, never from the environment.
 * - Vendor facts live in `quirks.ts` and nowhere else. No key reaches an error, a log or an event.
 * - What is sent is always acceptable: history is repaired for the target at each request (`history.ts`), the stored messages are not touched.
 */
import type { JsonObject } from "../std/json.ts"
import type { Clock } from "../std/clock.ts"
import type { Delta } from "../message/delta.ts"
import type { AssistantPart, Message, StopReason, ThinkingLevel } from "../message/message.ts"
import type { Usage } from "../message/usage.ts"
import type { Model } from "./model.ts"

export const apiNames = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
  "tour",
] as const
export type ApiName = (typeof apiNames)[number]

/** A tool as a model is told of it: `parameters` is a JSON schema. */
export type ToolSpec = { readonly name: string; readonly description: string; readonly parameters: JsonObject }

export type ModelRequest = {
  readonly model: Model
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly thinking: ThinkingLevel
  readonly maxTokens?: number
  /** For prompt caches: the same for all requests of a conversation; at most 64 characters. */
  readonly cacheKey?: string
}

/** What `encode` gives: the JSON body exactly as it is sent. `path` is relative to the model's base URL. */
export type Encoded = { readonly path: string; readonly body: JsonObject }

/** A finished response. `content` is final; `stopReason` is `stop`, `length` or `toolUse`. */
export type Response = {
  readonly content: readonly AssistantPart[]
  readonly stopReason: Exclude<StopReason, "error" | "aborted">
  readonly rawStopReason?: string
  readonly usage: Usage
  readonly responseId?: string
  readonly responseModel?: string
}

/** What went wrong, as what can be done about it. `stalled` and `empty` are retried like `retry`. */
export type ErrorKind = "retry" | "overflow" | "auth" | "quota" | "refused" | "fatal" | "aborted"

/**
 * `message` is one sentence for a person: vendor's words, cleaned of control characters and keys, at most 500 characters, and what to do.
 * `retryAfterMs` is what the vendor asked for. `reason` is a stable snake_case code (`stalled`, `empty`, `cut`, `unreachable`, `http_429`, …).
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError"
  readonly kind: ErrorKind
  readonly reason: string
  readonly retryAfterMs: number | undefined
  readonly status: number | undefined
  constructor(kind: ErrorKind, reason: string, message: string, more: { retryAfterMs?: number; status?: number } = {}) {
    super(message)
    this.kind = kind
    this.reason = reason
    this.retryAfterMs = more.retryAfterMs
    this.status = more.status
  }
}

export type CallOptions = {
  readonly apiKey: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly clock: Clock
  /** No byte for this long, before the first or between two, is a stall; heartbeats and empty chunks do not count as bytes. */
  readonly stallMs: number
  /** The same before the first sign of an answer, where that may take longer or less: servers that read a long prompt first. */
  readonly firstByteMs?: number
  /** Hears every delta in order, before the promise settles. Must not throw. */
  onDelta(delta: Delta): void
}

/** One wire format. */
export type Api = {
  readonly name: ApiName
  /** Raised whenever the same request would be encoded into other bytes. */
  readonly encoder: number
  encode(request: ModelRequest): Encoded
  /** Throws {@link ProviderError} and nothing else. */
  call(request: ModelRequest, encoded: Encoded, options: CallOptions): Promise<Response>
}
