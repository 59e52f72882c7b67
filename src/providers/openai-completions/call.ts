/**
 * Chat completions over the `openai` SDK, which gives address, headers and sending. Its retries, its time limit, its log and its reading of the
 * environment are off.
 */
import type { Api, CallOptions, Encoded, ModelRequest, Response } from "../provider.ts"
import { quirksOf } from "../quirks.ts"
import type { Fetch } from "../attempt.ts"
import { Repairs } from "../repair.ts"
import { vendorHeaders } from "../request-headers.ts"
import { streamCall } from "../stream-call.ts"
import { CompletionsDecoder } from "./decode.ts"
import { encodeCompletions } from "./encode.ts"

/** The SDK's limit ends at the headers and cannot be switched off; ours is the watchdog. The longest that a timer takes. */
export const noTimeoutMs = 2_147_483_647

/** Headers of a request, later over earlier; `null` takes one of the SDK's away. */
export function openAiHeaders(request: ModelRequest, options: CallOptions): Record<string, string | null> {
  return {
    "user-agent": "cairn",
    ...(options.apiKey === undefined ? { authorization: null } : {}),
    ...vendorHeaders(request, quirksOf(request.model)),
    ...request.model.headers,
    ...options.headers,
  }
}

/** Sends `encoded` through an SDK client made for this request alone. */
export async function sendOpenAi(
  request: ModelRequest,
  encoded: Encoded,
  options: CallOptions,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<globalThis.Response> {
  const { OpenAI } = await import("openai")
  const client = new OpenAI({
    apiKey: options.apiKey ?? "none",
    baseURL: request.model.baseUrl,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: "off",
    defaultHeaders: openAiHeaders(request, options),
    fetch,
  })
  return client.post(encoded.path, { body: encoded.body, stream: true, signal }).asResponse()
}

export function completionsApi(fetch: Fetch = globalThis.fetch): Api {
  const repairs = new Repairs()
  return {
    name: "openai-completions",
    encoder: 3,
    encode: encodeCompletions,
    call(request: ModelRequest, encoded: Encoded, options: CallOptions): Promise<Response> {
      return streamCall(request, encoded, options, fetch, {
        repairs,
        makeDecoder: (input) => new CompletionsDecoder(input),
        send: (body, watched, signal) => sendOpenAi(request, { ...encoded, body }, options, watched, signal),
      })
    },
  }
}
