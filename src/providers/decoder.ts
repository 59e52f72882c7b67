/**
 * What a wire format's decoder is: pure, fed one event at a time, and asked at the end.
 *
 * - `push` gives the deltas of an event, or throws {@link StreamFailure} for an event that says that the request failed.
 * - `done` is true from the terminal event of the format on: what is still to come is counts at most.
 * - `finish` gives the response, and throws a {@link ProviderError} where the stream was cut or said nothing.
 */
import type { Delta } from "../message/delta.ts"
import type { Usage } from "../message/usage.ts"
import { parseJson, isObject, type JsonObject } from "../std/json.ts"
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

export function emptyError(model: Model): Error {
  return ownError("retry", "empty", `${model.id} returned nothing: neither text nor a call.`)
}

/** Counts for a response whose provider gave none. */
export function guessUsage(input: number, output: number): Usage {
  return { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, estimated: true }
}
