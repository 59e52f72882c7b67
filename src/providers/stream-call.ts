/**
 * A request, from its encoded body to its end. The same for all wire formats.
 *
 * - A body that is refused because of a thing that can be left out is sent again without it, at once and a few times at most (`repair.ts`);
 *   nothing was answered and nothing is billed then. Every other failure is the caller's to try again.
 */
import type { Delta } from "../message/delta.ts"
import { attempt, type Call, type Fetch, type Refused, type Send } from "./attempt.ts"
import type { Decoder, DecoderInput } from "./decoder.ts"
import type { CallOptions, Encoded, ModelRequest, Response } from "./provider.ts"
import { quirksOf } from "./quirks.ts"
import { repairBody, type Repairs } from "./repair.ts"
import type { ServerEvent } from "./sse.ts"

/** What a wire format brings: how its events are read, and how its body is sent. */
export type Wire = { makeDecoder(input: DecoderInput): Decoder; readonly send: Send; readonly repairs: Repairs }

/** Hosts name one field a time; one that minds more than this many wants another format. */
const repairsMax = 3

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
  const host = `${model.baseUrl} ${model.id}`
  const minded: Refused[] = []
  let body = wire.repairs.apply(host, encoded.body)
  for (;;) {
    let refused: Refused | undefined
    try {
      const response = await attempt(call, body, (answer) => (refused = answer))
      for (const refusal of minded) wire.repairs.learn(host, refusal)
      return response
    } catch (error) {
      const repaired =
        refused === undefined || options.signal.aborted || minded.length === repairsMax
          ? undefined
          : repairBody(body, refused)
      if (repaired === undefined || refused === undefined) throw error
      minded.push(refused)
      body = repaired
    }
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
