/**
 * Google's generateContent by plain `fetch`. Its SDK would rewrite the body, drop fields of the answer, hide headers and write to the terminal;
 * what it would give is one address and one header.
 */
import type { Api, CallOptions, Encoded, ModelRequest, Response } from "../provider.ts"
import type { Fetch } from "../attempt.ts"
import { streamCall } from "../stream-call.ts"
import { GoogleDecoder } from "./decode.ts"
import { encodeGoogle } from "./encode.ts"

function send(
  request: ModelRequest,
  encoded: Encoded,
  options: CallOptions,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<globalThis.Response> {
  const headers = {
    accept: "text/event-stream",
    "content-type": "application/json",
    "user-agent": "cairn",
    ...(options.apiKey === undefined ? {} : { "x-goog-api-key": options.apiKey }),
    ...request.model.headers,
    ...options.headers,
  }
  const url = request.model.baseUrl.replace(/\/+$/, "") + encoded.path
  return fetch(url, { method: "POST", headers, body: JSON.stringify(encoded.body), signal })
}

export function googleApi(fetch: Fetch = globalThis.fetch): Api {
  return {
    name: "google-generative-ai",
    encoder: 1,
    encode: encodeGoogle,
    call(request: ModelRequest, encoded: Encoded, options: CallOptions): Promise<Response> {
      return streamCall(request, encoded, options, fetch, {
        makeDecoder: (input) => new GoogleDecoder(input),
        async send(body, watched, signal) {
          const response = await send(request, { ...encoded, body }, options, watched, signal)
          // The SDKs throw for an answer that is an error; here nobody else does. What it said has been kept by the fetch.
          if (!response.ok) throw new Error(`HTTP ${response.status}`)
          return response
        },
      })
    },
  }
}
