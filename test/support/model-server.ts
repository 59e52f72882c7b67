/**
 * A model server for tests: a real HTTP server on 127.0.0.1 that speaks chat completions, responses, Anthropic messages and Google's
 * generateContent, says what a script tells it to, breaks how and where it is told to, keeps every request, and refuses what a strict provider would refuse.
 *
 *     const server = await startModelServer()
 *     server.script([{ toolCalls: [{ name: "read", args: { path: "a" } }] }, { text: "done" }])
 *     … baseUrl: server.completionsUrl, or server.anthropicUrl …
 *     expect(server.violations).toEqual([])
 *     await server.stop()
 *
 * What a script may say is in `model-script.ts`, what is checked in `model-check.ts`.
 *
 * - A violation is answered with 400 and kept in `violations`; a request that the script has no reply for is both as well.
 * - As a program: `bun test/support/model-server.ts --script file.ts [--port n] [--stay]`; the file exports `script`, a `Script`. It prints its URL as its
 *   first line and one JSON line for each request, and ends when its standard input does (`--stay`: only when it is told to).
 */
import { isObject, parseJson, type JsonObject } from "../../src/std/json.ts"
import { checkRequest, type VendorRules } from "./model-check.ts"
import { startHttp, type Exchange } from "./model-http.ts"
import { latestResults, readSaid, readTools, text } from "./model-read.ts"
import type { Answer, Format, ModelRequest, Raw, Reply, Script } from "./model-script.ts"
import { streamOf, type Step, type Streamed } from "./model-stream.ts"

export type ModelServerOptions = {
  readonly port?: number
  readonly script?: Script
  /** Requests that do not bear this key are refused with 401. */
  readonly key?: string
  /** False: nothing is checked. */
  readonly strict?: boolean
  /** What this host asks for beyond the common rules. */
  readonly vendor?: VendorRules
  /** What this host minds about the headers of a request, in sentences. */
  headers?(headers: Readonly<Record<string, string>>): readonly string[]
  /** Ids that `GET /v1/models` lists. */
  readonly models?: readonly string[]
  /** Leave connections open for the next request, as real hosts do. */
  readonly keepAlive?: boolean
  /** Hears each request as it comes, before it is answered. */
  onRequest?(request: ModelRequest): void
}

export type ModelServer = {
  readonly url: string
  /** Base URL for `openai-completions`. */
  readonly completionsUrl: string
  /** Base URL for `openai-responses`. */
  readonly responsesUrl: string
  /** Base URL for `anthropic-messages`. */
  readonly anthropicUrl: string
  /** Base URL for `google-generative-ai`. */
  readonly googleUrl: string
  /** Every model request so far, the refused ones included. */
  readonly requests: readonly ModelRequest[]
  readonly violations: readonly string[]
  /** Replaces the script; a list starts at its first reply. */
  script(script: Script): void
  /** The `n`-th request (from 0), as soon as it has come. */
  request(n: number): Promise<ModelRequest>
  stop(): Promise<void>
}

const sseHeaders = { "content-type": "text/event-stream", "cache-control": "no-cache" }
const jsonHeaders = { "content-type": "application/json" }

/** Known by the end of the path, so that a base URL may have any beginning. */
function formatOf(path: string): Format | undefined {
  const end = path.split("?")[0] ?? ""
  if (end.endsWith("/messages")) return "anthropic"
  if (end.endsWith("/responses")) return "responses"
  if (end.endsWith(":streamGenerateContent")) return "google"
  return end.endsWith("/chat/completions") ? "completions" : undefined
}

/** The model, which Google's format names in the path. */
function modelOf(path: string, body: JsonObject): string {
  return text(body.model) || decodeURIComponent(/\/models\/([^/:]+):/.exec(path)?.[1] ?? "")
}

function errorBody(format: Format, type: string, message: string): string {
  return format === "anthropic"
    ? JSON.stringify({ type: "error", error: { type, message } })
    : JSON.stringify({ error: { message, type, param: null, code: null } })
}

async function writeSteps(exchange: Exchange, steps: readonly Step[], splitAt: number | undefined): Promise<void> {
  for (const step of steps) {
    if ("delayMs" in step) await Promise.race([Bun.sleep(step.delayMs), exchange.closed])
    else if ("until" in step) await Promise.race([step.until, exchange.closed])
    else if (splitAt === undefined) await exchange.write(step.bytes)
    else {
      const bytes = Buffer.from(step.bytes)
      for (let at = 0; at < bytes.length; at += splitAt) await exchange.write(bytes.subarray(at, at + splitAt))
    }
  }
}

/** Events that no wait separates, as one write. */
function together({ body, end }: Streamed): Streamed {
  const steps = [...body, ...end].reduce<readonly Step[]>((joined, step) => {
    const last = joined.at(-1)
    if (!("bytes" in step) || last === undefined || !("bytes" in last)) return [...joined, step]
    return [...joined.slice(0, -1), { bytes: last.bytes + step.bytes }]
  }, [])
  return { body: steps, end: [] }
}

async function writeAnswer(exchange: Exchange, request: ModelRequest, answer: Answer): Promise<void> {
  if (answer.until !== undefined) await Promise.race([answer.until, exchange.closed])
  const callsBefore = request.said.reduce((sum, said) => sum + said.calls.length, 0)
  const promptTokens = Math.ceil(request.bodyText.length / 4)
  const streamed = streamOf(request.format, answer, { model: request.model, callsBefore, promptTokens })
  const stream = answer.together === true ? together(streamed) : streamed
  exchange.head(200, { ...sseHeaders, ...answer.headers })
  await writeSteps(exchange, stream.body, answer.splitAt)
  if (answer.hang === "mid") return
  if (answer.reset === "mid") return exchange.reset()
  if (answer.cut === "mid") return exchange.cut()
  if (answer.cutWithoutEnd !== true) await writeSteps(exchange, stream.end, answer.splitAt)
  exchange.end()
}

async function writeRaw(exchange: Exchange, reply: Raw): Promise<void> {
  exchange.head(reply.status ?? 200, { ...sseHeaders, ...reply.headers })
  for (const piece of reply.raw) {
    if (typeof piece === "string" || piece instanceof Uint8Array) await exchange.write(piece)
    else await Promise.race([piece.until, exchange.closed])
  }
  if (reply.end !== false) exchange.end()
}

function isHangOrReset(reply: Reply): reply is Exclude<Reply, Answer> & ({ hang: string } | { reset: string }) {
  const place = ("hang" in reply ? reply.hang : undefined) ?? ("reset" in reply ? reply.reset : undefined)
  return place === "before-headers" || place === "after-headers"
}

async function perform(exchange: Exchange, request: ModelRequest, reply: Reply): Promise<void> {
  if (isHangOrReset(reply)) {
    const place = "hang" in reply ? reply.hang : reply.reset
    if (place === "after-headers") exchange.head(200, sseHeaders)
    if ("reset" in reply) exchange.reset()
    return
  }
  if ("raw" in reply) return writeRaw(exchange, reply)
  if (!("status" in reply)) return writeAnswer(exchange, request, reply as Answer)
  const body = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {})
  exchange.answer(reply.status, { ...jsonHeaders, ...reply.headers }, body)
}

function readRequest(exchange: Exchange, n: number, format: Format, options: ModelServerOptions): ModelRequest {
  const { method, path, headers, body: bodyText } = exchange.request
  const parsed = parseJson(bodyText)
  const body: JsonObject = isObject(parsed) ? parsed : {}
  const said = readSaid(format, body)
  const model = modelOf(path, body)
  const headerProblems =
    format === "anthropic" && headers["anthropic-version"] === undefined ? ["anthropic-version is missing"] : []
  const violations =
    options.strict === false
      ? []
      : [
          ...headerProblems,
          ...(options.headers?.(headers) ?? []),
          ...checkRequest(format, bodyText, options.vendor, model),
        ]
  return {
    n,
    format,
    method,
    path,
    headers,
    body,
    bodyText,
    model,
    said,
    tools: readTools(body),
    lastUser: said.findLast((message) => message.role === "user")?.text ?? "",
    results: latestResults(said),
    violations,
    closed: exchange.closed,
  }
}

function bears(headers: ModelRequest["headers"], key: string): boolean {
  return headers.authorization === `Bearer ${key}` || [headers["x-api-key"], headers["x-goog-api-key"]].includes(key)
}

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const violations: string[] = []
  const waiting: { n: number; resolve: (request: ModelRequest) => void }[] = []
  let script: Script = options.script ?? []
  let place = 0

  const handle = async (exchange: Exchange): Promise<void> => {
    const format = formatOf(exchange.request.path)
    if (exchange.request.method === "GET" && exchange.request.path.endsWith("/models")) {
      const data = (options.models ?? ["test-model"]).map((id) => ({ id, object: "model" }))
      return exchange.answer(200, jsonHeaders, JSON.stringify({ object: "list", data }))
    }
    if (format === undefined)
      return exchange.answer(404, jsonHeaders, JSON.stringify({ error: { message: "no such path" } }))
    const request = readRequest(exchange, requests.length, format, options)
    requests.push(request)
    options.onRequest?.(request)
    for (const wait of waiting) if (wait.n === request.n) wait.resolve(request)
    if (options.key !== undefined && !bears(request.headers, options.key))
      return exchange.answer(401, jsonHeaders, errorBody(format, "authentication_error", "the key is not valid"))
    violations.push(...request.violations)
    if (request.violations.length > 0)
      return exchange.answer(
        400,
        jsonHeaders,
        errorBody(format, "invalid_request_error", request.violations.join("; ")),
      )
    const reply = typeof script === "function" ? await script(request, request.n) : script[place++]
    if (reply !== undefined) return perform(exchange, request, reply)
    violations.push(`request ${request.n}: the script has no reply left`)
    exchange.answer(400, jsonHeaders, errorBody(format, "invalid_request_error", "the script has no reply left"))
  }

  const http = await startHttp({ port: options.port ?? 0, keepAlive: options.keepAlive ?? false }, (exchange) => {
    handle(exchange).catch((error: unknown) => {
      violations.push(`the script failed: ${String(error)}`)
      exchange.reset()
    })
  })
  return {
    url: http.url,
    completionsUrl: `${http.url}/v1`,
    responsesUrl: `${http.url}/v1`,
    anthropicUrl: http.url,
    googleUrl: `${http.url}/v1beta`,
    requests,
    violations,
    script(next) {
      script = next
      place = 0
    },
    request(n) {
      const known = requests[n]
      return known === undefined ? new Promise((resolve) => waiting.push({ n, resolve })) : Promise.resolve(known)
    },
    stop: () => http.stop(),
  }
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

async function main(): Promise<void> {
  const file = argument("--script")
  if (file === undefined)
    throw new Error("usage: bun test/support/model-server.ts --script file.ts [--port n] [--stay]")
  const { script } = (await import(new URL(file, `file://${process.cwd()}/`).href)) as { script: Script }
  const server = await startModelServer({
    script,
    port: Number(argument("--port") ?? 0),
    onRequest: ({ n, format, model, lastUser, violations }) =>
      console.log(JSON.stringify({ n, format, model, lastUser, violations })),
  })
  console.log(server.url)
  if (process.argv.includes("--stay")) return
  for await (const _ of process.stdin) continue
  await server.stop()
}

if (import.meta.main) await main()
