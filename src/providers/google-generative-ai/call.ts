/**
 * Google's generateContent over `@google/genai`, which gives address, key and sending.
 *
 * - The SDK knows only some fields: our body goes whole as its `extraBody`, over a placeholder, and arrives byte for byte as it was encoded.
 *   Its reading of the answer drops what it does not know, so the stream is taken at our `fetch` and read by us.
 * - The web build is the lighter half of the package, with nothing of Google's cloud log-in. Calling tools by itself, continuing by itself and
 *   trying again are off.
 */
import type { Fetch } from "../attempt.ts"
import { ownError } from "../errors.ts"
import type { Api, CallOptions, Encoded, ModelRequest, Response } from "../provider.ts"
import { quirksOf } from "../quirks.ts"
import { Repairs } from "../repair.ts"
import { vendorHeaders } from "../request-headers.ts"
import { streamCall } from "../stream-call.ts"
import { GoogleDecoder } from "./decode.ts"
import { encodeGoogle } from "./encode.ts"

/** What the SDK wants as a key where there is none; it is taken off again. */
const noKey = "none"
const keyHeader = "x-goog-api-key"

/** The address and the version behind it, which the SDK keeps apart. A bare host means the version that knows all that we send. */
export function splitBase(baseUrl: string): { readonly baseUrl: string; readonly apiVersion: string } {
  const clean = baseUrl.replace(/\/+$/, "")
  const [, address, version] = /^(.*)\/(v\d[a-z0-9]*)$/.exec(clean) ?? []
  if (address !== undefined && version !== undefined) return { baseUrl: address, apiVersion: version }
  const bare = URL.canParse(clean) && new URL(clean).pathname === "/"
  return { baseUrl: clean, apiVersion: bare ? "v1beta" : "" }
}

/** The SDK's own headers by the name in which it writes them: one that differs in a letter it would send beside its own. */
const sdkHeaders = ["User-Agent", "Content-Type"]

function headersFor(request: ModelRequest, options: CallOptions): Record<string, string> {
  const vendors = vendorHeaders(request, quirksOf(request.model))
  const all = Object.entries({ "user-agent": "cairn", ...vendors, ...request.model.headers, ...options.headers })
  return Object.fromEntries(
    all.map(([name, value]) => [sdkHeaders.find((own) => own.toLowerCase() === name.toLowerCase()) ?? name, value]),
  )
}

async function send(
  request: ModelRequest,
  encoded: Encoded,
  options: CallOptions,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<globalThis.Response> {
  const { GoogleGenAI } = await import("@google/genai/web")
  let answer: globalThis.Response | undefined
  const kept: Fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    if (headers.get(keyHeader) === noKey) headers.delete(keyHeader)
    answer = await fetch(input, { ...init, headers })
    return answer
  }
  const client = new GoogleGenAI({
    apiKey: options.apiKey ?? noKey,
    vertexai: false,
    httpOptions: { ...splitBase(request.model.baseUrl), headers: headersFor(request, options), fetch: kept },
  })
  await client.models.generateContentStream({
    model: encodeURIComponent(request.model.id),
    contents: "",
    config: {
      httpOptions: { extraBody: encoded.body as Record<string, unknown> },
      abortSignal: signal,
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  })
  if (answer === undefined) throw ownError("fatal", "request", "The request was answered before it was sent.")
  return answer
}

export function googleApi(fetch: Fetch = globalThis.fetch): Api {
  const repairs = new Repairs()
  return {
    name: "google-generative-ai",
    encoder: 2,
    encode: encodeGoogle,
    call(request: ModelRequest, encoded: Encoded, options: CallOptions): Promise<Response> {
      return streamCall(request, encoded, options, fetch, {
        repairs,
        makeDecoder: (input) => new GoogleDecoder(input),
        send: (body, watched, signal) => send(request, { ...encoded, body }, options, watched, signal),
      })
    },
  }
}
