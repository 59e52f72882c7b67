/**
 * A request, from its encoded body to its end. The same for all wire formats.
 *
 * - A body that is refused because of one thing that can be left out is sent once more without it, at once (`repair.ts`); nothing was answered
 *   and nothing is billed then. Every other failure is the caller's to try again.
 */
import type { Delta } from "../message/delta.ts"
import { attempt, type Call, type Fetch, type Refused, type Send } from "./attempt.ts"
import type { Decoder, DecoderInput } from "./decoder.ts"
import type { CallOptions, Encoded, ModelRequest, Response } from "./provider.ts"
import { quirksOf } from "./quirks.ts"
import { repairBody } from "./repair.ts"
import type { ServerEvent } from "./sse.ts"

/** What a wire format brings: how its events are read, and how its body is sent. */
export type Wire = { makeDecoder(input: DecoderInput): Decoder; readonly send: Send }

/** `base`: the fetch that reaches the network. Throws `ProviderError` and nothing else. */
export async function streamCall(
  request: ModelRequest,
  encoded: Encoded,
  options: CallOptions,
  base: Fetch,
  wire: Wire,
): Promise<Response> {
  const { model } = request
  const target = { provider: model.provider, model: model.id, baseUrl: model.baseUrl }
  const call: Call = { ...wire, request, options, base, target, quirks: quirksOf(model) }
  let refused: Refused | undefined
  try {
    return await attempt(call, encoded.body, (answer) => (refused = answer))
  } catch (error) {
    const repaired = refused === undefined || options.signal.aborted ? undefined : repairBody(encoded.body, refused)
    if (repaired === undefined) throw error
    return attempt(call, repaired, () => {})
  }
}

/** Deltas of a whole recorded stream, and its end; for decoders in tests and for rebuilding what was seen. */
export function decodeAll(
  decoder: Decoder,
  events: readonly ServerEvent[],
): { readonly deltas: readonly Delta[]; readonly response: Response } {
  const deltas = events.flatMap((event) => decoder.push(event))
  const finished = decoder.finish()
  return { deltas: [...deltas, ...finished.deltas], response: finished.response }
}
