/** The responses API over the `openai` SDK, sent as chat completions are. */
import { sendOpenAi } from "../openai-completions/call.ts"
import type { Api, CallOptions, Encoded, ModelRequest, Response } from "../provider.ts"
import type { Fetch } from "../attempt.ts"
import { Repairs } from "../repair.ts"
import { streamCall } from "../stream-call.ts"
import { ResponsesDecoder } from "./decode.ts"
import { encodeResponses } from "./encode.ts"

export function responsesApi(fetch: Fetch = globalThis.fetch): Api {
  const repairs = new Repairs()
  return {
    name: "openai-responses",
    encoder: 5,
    encode: encodeResponses,
    call(request: ModelRequest, encoded: Encoded, options: CallOptions): Promise<Response> {
      return streamCall(request, encoded, options, fetch, {
        repairs,
        makeDecoder: (input) => new ResponsesDecoder(input),
        send: (body, watched, signal) => sendOpenAi(request, { ...encoded, body }, options, watched, signal),
      })
    },
  }
}
