/**
 * What a wire format's decoder is: pure, fed one event at a time, and asked at the end.
 *
 * - `push` gives the deltas of an event, or throws {@link StreamFailure} for an event that says that the request failed.
 * - `done` is true from the terminal event of the format on: what is still to come is counts at most.
 * - `finish` gives the response, and throws a {@link ProviderError} where the stream was cut or said nothing.
 */
import type { Delta } from "../message/delta.ts"
import type { Usage } from "../message/usage.ts"
import { estimateText } from "../message/estimate.ts"
import type { AssistantPart } from "../message/message.ts"
import { parseJson, isObject, type Json, type JsonObject } from "../std/json.ts"
import { withCost } from "./cost.ts"
import { ownError } from "./errors.ts"
import type { Model } from "./model.ts"
import type { Response } from "./provider.ts"
import type { Quirks } from "./quirks.ts"
import type { ServerEvent } from "./sse.ts"

/** `guess` is what a request without usage is taken to have cost: `input` tokens, estimated before. */
export type DecoderInput = { readonly model: Model; readonly quirks: Quirks; readonly estimatedInput: number }

export type Decoder = {
  push(event: ServerEvent): readonly Delta[]
  /** The format's terminal event has come. */
  readonly done: boolean
  /** Nothing more will come: the connection may be closed. */
  readonly closed: boolean
  finish(): { readonly deltas: readonly Delta[]; readonly response: Response }
}

/** An error that came inside a stream. `body` is the vendor's JSON. */
export class StreamFailure extends Error {
  override readonly name = "StreamFailure"
  readonly body: string
  readonly status: number | undefined
  constructor(body: string, status?: number) {
    super("the stream says that the request failed")
    this.body = body
    this.status = status
  }
}

export function eventJson(event: ServerEvent): JsonObject {
  const value = parseJson(event.data)
  if (isObject(value)) return value
  throw ownError("retry", "malformed", "The provider sent an event that is not JSON.")
}

export function cutError(model: Model): Error {
  return ownError("retry", "cut", `The answer of ${model.id} was cut off before its end.`)
}

function emptyError(model: Model): Error {
  return ownError("retry", "empty", `${model.id} returned nothing: neither text nor a call.`)
}

export function overflowError(model: Model): Error {
  return ownError(
    "overflow",
    "overflow",
    `The conversation is too long for ${model.id}: compact it, or choose one with a larger window.`,
  )
}

/** `why`: the vendor's word or sentence, or empty. */
export function refusedError(model: Model, why: string): Error {
  return ownError(
    "refused",
    "refused",
    `${model.provider} held the answer of ${model.id} back${why === "" ? "" : ` (${why})`}.`,
  )
}

/** `reason`: a stable snake_case code. */
export function brokenError(model: Model, reason: string): Error {
  return ownError("retry", reason, `${model.provider} broke the answer of ${model.id} off (${reason}).`)
}

/** The reason of an answer that came to its own end: calls make a tool turn, whatever the provider called it. Throws for one that says nothing. */
export function endOf(model: Model, content: readonly AssistantPart[]): "stop" | "toolUse" {
  if (content.some((part) => part.type === "toolCall")) return "toolUse"
  if (content.some((part) => part.type === "text" && part.text.trim() !== "")) return "stop"
  throw emptyError(model)
}

/** Tokens that were written, by our estimate. */
export function estimateContent(content: readonly AssistantPart[]): number {
  return content.reduce((sum, part) => {
    if (part.type === "text") return sum + estimateText(part.text)
    if (part.type === "thinking") return sum + estimateText(part.thinking)
    return sum + estimateText(part.name) + estimateText(JSON.stringify(part.arguments))
  }, 0)
}

/** Counts for a response whose provider gave none. */
export function guessUsage({ model, estimatedInput: input }: DecoderInput, content: readonly AssistantPart[]): Usage {
  const output = estimateContent(content)
  const usage = { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, estimated: true }
  return withCost(usage, model.cost)
}

/** What a response holds beside content, reason and usage; nothing that is empty or goes without saying. */
export function about(
  model: Model,
  raw: string | undefined,
  id: string | undefined,
  responseModel: string | undefined,
): Partial<Response> {
  return {
    ...(raw ? { rawStopReason: raw } : {}),
    ...(id ? { responseId: id } : {}),
    ...(responseModel && responseModel !== model.id ? { responseModel } : {}),
  }
}

/** A count as vendors give it: whole and not negative, or none. */
export function countOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

export function stringOf(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}
