/**
 * Chat completions: chunks to deltas. Pure.
 *
 * - The terminal event is a `finish_reason`, or `[DONE]` where there was none; a body that ends with neither was cut. Counts may follow it.
 * - Reasoning is read from the first of its fields that has any, never from two, and the field's name is kept for the way back.
 * - Calls rule over the finish reason: `stop` with calls is a tool turn. An unknown reason is a stop, and is kept as it came.
 * - A whole answer that is no stream reads the same: its `message` is one large delta.
 */
import type { Delta } from "../../message/delta.ts"
import type { AssistantPart } from "../../message/message.ts"
import type { Usage } from "../../message/usage.ts"
import { isObject, type JsonObject } from "../../std/json.ts"
import {
  about,
  brokenError,
  cutError,
  endOf,
  eventJson,
  guessUsage,
  listOf,
  overflowError,
  refusedError,
  StreamFailure,
  type Decoder,
  type DecoderInput,
} from "../decoder.ts"
import { Parts } from "../parts.ts"
import type { Response } from "../provider.ts"
import type { ServerEvent } from "../sse.ts"
import { ThinkTags, type Tagged } from "../think-tags.ts"
import { addDetails, detailsSignature, opaqueSignature, reasoningFields, type ReasoningField } from "./details.ts"
import { CallJoiner, readPiece } from "./join.ts"
import { findUsage, readUsage } from "./usage.ts"

const lengthReasons = new Set(["length", "max_tokens", "model_length", "max_output_tokens"])
const refusedReasons = new Set(["content_filter", "sensitive", "safety"])
const brokenReasons = new Set(["error", "network_error", "insufficient_system_resource"])

/** Text of a part of Mistral's `content` array: plain, or a list of such parts under `thinking`. */
function partText(part: JsonObject): string {
  if (typeof part.text === "string") return part.text
  return listOf(part.thinking)
    .map((inner) => (isObject(inner) ? partText(inner) : ""))
    .join("")
}

/** The error that a chunk holds, in any of the places where vendors put one. */
function failureIn(chunk: JsonObject): StreamFailure | undefined {
  const base = isObject(chunk.base_resp) ? chunk.base_resp.status_code : 0
  const groq = isObject(chunk.x_groq) ? chunk.x_groq.error : undefined
  const error = chunk.error ?? groq
  const failed =
    (error !== undefined && error !== null && error !== "") ||
    chunk.object === "error" ||
    (base !== 0 && base !== undefined)
  if (!failed) return undefined
  const code = isObject(error) ? error.code : chunk.code
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : undefined
  return new StreamFailure(JSON.stringify(chunk), status)
}

export class CompletionsDecoder implements Decoder {
  readonly #input: DecoderInput
  readonly #parts = new Parts()
  readonly #joiner = new CallJoiner()
  #tags: ThinkTags | undefined
  /** Place in the content, by place in the joiner. */
  readonly #calls: number[] = []
  #field: ReasoningField | undefined
  #opaque: string | undefined
  #details: readonly JsonObject[] = []
  #finish: string | undefined
  #usage: Usage | undefined
  #service = ""
  #id: string | undefined
  #model: string | undefined
  #closed = false

  constructor(input: DecoderInput) {
    this.#input = input
    this.#tags = input.quirks.thinkTags ? new ThinkTags() : undefined
  }

  get done(): boolean {
    return this.#finish !== undefined || this.#closed
  }

  get closed(): boolean {
    return this.#closed
  }

  push(event: ServerEvent): readonly Delta[] {
    if (event.data.trim() === "[DONE]") {
      this.#closed = true
      return []
    }
    if (event.data.trim() === "") return []
    const chunk = eventJson(event)
    const failure = failureIn(chunk)
    if (failure !== undefined) throw failure
    if (typeof chunk.id === "string" && chunk.id !== "") this.#id = chunk.id
    if (typeof chunk.service_tier === "string") this.#service = chunk.service_tier
    if (typeof chunk.model === "string" && chunk.model !== "") this.#model = chunk.model
    const deltas = listOf(chunk.choices).flatMap((choice) => (isObject(choice) ? this.#choice(choice) : []))
    const usage = findUsage(chunk)
    if (usage === undefined) return deltas
    this.#usage = readUsage(usage, this.#input.quirks.outputExcludesReasoning, this.#input.model, this.#service)
    return [...deltas, { type: "usage", usage: this.#usage }]
  }

  finish(): { readonly deltas: readonly Delta[]; readonly response: Response } {
    const { model } = this.#input
    if (!this.done) throw cutError(model)
    const held = this.#tagged(this.#tags?.end() ?? [])
    const late = this.#details.length > 0 || this.#opaque !== undefined
    const signed = late ? this.#parts.signFirstThinking(this.#signature()) : []
    const { content, deltas } = this.#parts.finish()
    const response: Response = {
      content,
      stopReason: this.#stopReason(content, this.#finish ?? ""),
      usage: this.#usage ?? guessUsage(this.#input, content),
      ...about(model, this.#finish, this.#id, this.#model),
    }
    return { deltas: [...held, ...signed, ...deltas], response }
  }

  #stopReason(content: readonly AssistantPart[], raw: string): Response["stopReason"] {
    const { model } = this.#input
    if (refusedReasons.has(raw)) throw refusedError(model, raw)
    if (raw === "model_context_window_exceeded") throw overflowError(model)
    if (brokenReasons.has(raw) && !content.some((part) => part.type === "toolCall")) throw brokenError(model, raw)
    return lengthReasons.has(raw) ? "length" : endOf(model, content)
  }

  #choice(choice: JsonObject): readonly Delta[] {
    const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {}
    const { finish_reason: finish } = choice
    const deltas = [...this.#reasoning(delta), ...this.#content(delta), ...this.#callPieces(delta)]
    if (typeof finish === "string") this.#finish ??= finish
    return deltas
  }

  #reasoning(delta: JsonObject): readonly Delta[] {
    if (typeof delta.reasoning_opaque === "string" && delta.reasoning_opaque !== "")
      this.#opaque = delta.reasoning_opaque
    this.#details = addDetails(this.#details, listOf(delta.reasoning_details).filter(isObject))
    const field = this.#field ?? reasoningFields.find((name) => typeof delta[name] === "string" && delta[name] !== "")
    const text = field === undefined ? undefined : delta[field]
    if (field === undefined || typeof text !== "string" || text === "") return []
    // A server that has a field for it leaves no tags in the text.
    const held = this.#tagged(this.#tags?.end() ?? [])
    this.#tags = undefined
    this.#field = field
    return [...held, ...this.#parts.thinking(text, this.#signature())]
  }

  /** What a thinking part keeps for the way back. */
  #signature(): string {
    if (this.#details.length > 0) return detailsSignature(this.#details)
    return this.#opaque === undefined
      ? (this.#field ?? "reasoning_content")
      : opaqueSignature(this.#field ?? "reasoning_text", this.#opaque)
  }

  #content(delta: JsonObject): readonly Delta[] {
    const { content, refusal } = delta
    if (typeof content === "string") return this.#text(content)
    if (typeof refusal === "string") return this.#text(refusal)
    return listOf(content).flatMap((part) => {
      if (!isObject(part)) return []
      const text = partText(part)
      if (part.type !== "thinking") return this.#text(text)
      return text === "" ? [] : this.#parts.thinking(text)
    })
  }

  #text(text: string): readonly Delta[] {
    if (text === "") return []
    return this.#tags === undefined ? this.#parts.text(text) : this.#tagged(this.#tags.push(text))
  }

  #tagged(pieces: readonly Tagged[]): readonly Delta[] {
    return pieces.flatMap((piece) => {
      if (piece.kind === "was thinking") return this.#parts.textWasThinking()
      if (piece.text === "") return []
      return piece.kind === "thinking" ? this.#parts.thinking(piece.text) : this.#parts.text(piece.text)
    })
  }

  #callPieces(delta: JsonObject): readonly Delta[] {
    const pieces = listOf(delta.tool_calls).filter(isObject)
    const old = isObject(delta.function_call) ? [{ index: 0, function: delta.function_call }] : []
    return [...pieces, ...old].flatMap((value) => this.#callPiece(value))
  }

  #callPiece(value: JsonObject): readonly Delta[] {
    const piece = readPiece(value)
    const placed = this.#joiner.add(piece)
    const started = placed.isNew ? this.#parts.startCall() : undefined
    if (started !== undefined) this.#calls[placed.call] = started.call
    const place = this.#calls[placed.call]
    if (place === undefined) return []
    const google =
      isObject(value.extra_content) && isObject(value.extra_content.google) ? value.extra_content.google : {}
    const signature = google.thought_signature
    const more = { id: piece.id, name: this.#joiner.nameOf(placed.call), args: placed.args }
    const deltas = this.#parts.call(place, typeof signature === "string" ? { ...more, signature } : more)
    return [...(started?.deltas ?? []), ...deltas]
  }
}
