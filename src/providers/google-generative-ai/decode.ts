/**
 * Google's generateContent: chunks to deltas. Pure.
 *
 * - The terminal event is a `finishReason`; a tool turn says STOP as well. Counts are on every chunk and cumulative: the last ones hold.
 * - A part that bears a signature stays a part of its own: it goes back unchanged and never joined with another.
 * - Calls come whole. Output counts leave thoughts out; input counts hold what was cached.
 */
import type { Delta } from "../../message/delta.ts"
import type { AssistantPart } from "../../message/message.ts"
import type { Usage } from "../../message/usage.ts"
import { isObject, type JsonObject } from "../../std/json.ts"
import { serviceFactor, withCost } from "../cost.ts"
import {
  about,
  brokenError,
  countOf,
  cutError,
  endOf,
  eventJson,
  guessUsage,
  listOf,
  objectOf,
  refusedError,
  StreamFailure,
  stringOf,
  type Decoder,
  type DecoderInput,
} from "../decoder.ts"
import { Parts } from "../parts.ts"
import type { Response } from "../provider.ts"
import type { ServerEvent } from "../sse.ts"

const refusedReasons = new Set([
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MODEL_ARMOR",
  "IMAGE_SAFETY",
])
const brokenReasons = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "OTHER",
])

export class GoogleDecoder implements Decoder {
  readonly #input: DecoderInput
  readonly #parts = new Parts()
  #finish: string | undefined
  #blocked: string | undefined
  #usage: Usage | undefined
  #id: string | undefined
  #model: string | undefined

  constructor(input: DecoderInput) {
    this.#input = input
  }

  get done(): boolean {
    return this.#finish !== undefined || this.#blocked !== undefined
  }

  /** Nothing tells that no more will come but the end of the body. */
  get closed(): boolean {
    return false
  }

  push(event: ServerEvent): readonly Delta[] {
    if (event.data.trim() === "" || event.data.trim() === "[DONE]") return []
    const chunk = eventJson(event)
    if (isObject(chunk.error)) {
      const code = countOf(chunk.error.code)
      throw new StreamFailure(JSON.stringify(chunk), code !== undefined && code >= 400 ? code : undefined)
    }
    this.#id ??= stringOf(chunk.responseId) || undefined
    this.#model ??= stringOf(chunk.modelVersion) || undefined
    this.#blocked ??= stringOf(objectOf(chunk.promptFeedback).blockReason) || undefined
    const candidate = objectOf(listOf(chunk.candidates)[0])
    const deltas = listOf(objectOf(candidate.content).parts).flatMap((part) => this.#part(objectOf(part)))
    this.#finish ??= stringOf(candidate.finishReason) || undefined
    return [...deltas, ...this.#counts(chunk.usageMetadata)]
  }

  finish(): { readonly deltas: readonly Delta[]; readonly response: Response } {
    const { model } = this.#input
    if (this.#blocked !== undefined) throw refusedError(model, this.#blocked)
    if (!this.done) throw cutError(model)
    const { content, deltas } = this.#parts.finish()
    const response: Response = {
      content,
      stopReason: this.#stopReason(content, this.#finish ?? ""),
      usage: this.#usage ?? guessUsage(this.#input, content),
      ...about(model, this.#finish, this.#id, this.#model),
    }
    return { deltas, response }
  }

  #part(part: JsonObject): readonly Delta[] {
    const signature = stringOf(part.thoughtSignature) || undefined
    if (isObject(part.functionCall)) return this.#call(part.functionCall, signature)
    if (typeof part.text !== "string") return []
    const kind = part.thought === true ? "thinking" : "text"
    if (signature !== undefined) return this.#parts.signed(kind, part.text, signature).deltas
    if (part.text === "") return []
    return kind === "thinking" ? this.#parts.thinking(part.text) : this.#parts.text(part.text)
  }

  #call(call: JsonObject, signature: string | undefined): readonly Delta[] {
    const { call: place, deltas } = this.#parts.startCall()
    const args = JSON.stringify(call.args ?? {})
    const whole = {
      id: stringOf(call.id),
      name: stringOf(call.name),
      args,
      ...(signature === undefined ? {} : { signature }),
    }
    return [...deltas, ...this.#parts.call(place, whole), ...this.#parts.endCall(place)]
  }

  #stopReason(content: readonly AssistantPart[], raw: string): Response["stopReason"] {
    const { model } = this.#input
    if (refusedReasons.has(raw)) throw refusedError(model, raw)
    if (brokenReasons.has(raw)) throw brokenError(model, raw.toLowerCase())
    return raw === "MAX_TOKENS" ? "length" : endOf(model, content)
  }

  #counts(value: JsonObject[string]): readonly Delta[] {
    if (!isObject(value)) return []
    const prompt = countOf(value.promptTokenCount)
    if (prompt === undefined) return []
    const cacheRead = countOf(value.cachedContentTokenCount) ?? 0
    const reasoning = countOf(value.thoughtsTokenCount) ?? 0
    const input = Math.max(0, prompt - cacheRead) + (countOf(value.toolUsePromptTokenCount) ?? 0)
    const output = (countOf(value.candidatesTokenCount) ?? 0) + reasoning
    const usage: Usage = {
      input,
      output,
      cacheRead,
      cacheWrite: 0,
      ...(reasoning > 0 ? { reasoning } : {}),
      totalTokens: input + cacheRead + output,
    }
    const { model } = this.#input
    this.#usage = withCost(usage, model.cost, { factor: serviceFactor(model.id, stringOf(value.serviceTier)) })
    return [{ type: "usage", usage: this.#usage }]
  }
}
