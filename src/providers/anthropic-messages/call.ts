/**
 * Anthropic messages over `@anthropic-ai/sdk`, which gives address, headers and sending. Its retries, its time limit, its log, its credential
 * chain and its reading of the environment are off.
 */
import { noTimeoutMs } from "../openai-completions/call.ts"
import type { Api, CallOptions, Encoded, ModelRequest, Response } from "../provider.ts"
import { quirksOf } from "../quirks.ts"
import type { Fetch } from "../attempt.ts"
import { Repairs } from "../repair.ts"
import { vendorHeaders } from "../request-headers.ts"
import { streamCall } from "../stream-call.ts"
import { AnthropicDecoder } from "./decode.ts"
import { encodeAnthropic } from "./encode.ts"

/** The version that all hosts of this format speak; the SDK's own goes to Anthropic alone. */
const commonVersion = "2023-06-01"
const betaHeader = "anthropic-beta"

/** Every credential header is said, `null` to take it away: the SDK would fill one in from the environment. */
function credentials(auth: "bearer" | "x-api-key", key: string | undefined): Record<string, string | null> {
  if (key === undefined) return { authorization: null, "x-api-key": null }
  return auth === "bearer"
    ? { authorization: `Bearer ${key}`, "x-api-key": null }
    : { authorization: null, "x-api-key": key }
}

function headersFor(request: ModelRequest, options: CallOptions): Record<string, string | null> {
  const quirks = quirksOf(request.model)
  const { auth } = quirks
  const vendors = vendorHeaders(request, quirks)
  const own = { ...request.model.headers, ...options.headers }
  const beta = [vendors[betaHeader], own[betaHeader]].filter((value) => value !== undefined).join(",")
  return {
    "user-agent": "cairn",
    ...credentials(auth, options.apiKey),
    ...(auth === "bearer" ? {} : { "anthropic-version": commonVersion }),
    ...vendors,
    ...own,
    // What the person wants of new features comes beside what we need of them.
    ...(beta === "" ? {} : { [betaHeader]: beta }),
  }
}

async function send(
  request: ModelRequest,
  encoded: Encoded,
  options: CallOptions,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<globalThis.Response> {
  const { Anthropic } = await import("@anthropic-ai/sdk")
  const client = new Anthropic({
    apiKey: options.apiKey ?? "none",
    authToken: null,
    baseURL: request.model.baseUrl,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: "off",
    defaultHeaders: headersFor(request, options),
    fetch,
  })
  return client.post(encoded.path, { body: encoded.body, stream: true, signal }).asResponse()
}

export function anthropicApi(fetch: Fetch = globalThis.fetch): Api {
  const repairs = new Repairs()
  return {
    name: "anthropic-messages",
    encoder: 3,
    encode: encodeAnthropic,
    call(request: ModelRequest, encoded: Encoded, options: CallOptions): Promise<Response> {
      return streamCall(request, encoded, options, fetch, {
        repairs,
        makeDecoder: (input) => new AnthropicDecoder(input),
        send: (body, watched, signal) => send(request, { ...encoded, body }, options, watched, signal),
      })
    },
  }
}
