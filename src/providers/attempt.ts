/**
 * One attempt at a streamed request: send, read events, watch the clock, and end in exactly one way. The same for all wire formats.
 *
 * - Each request has an AbortController of its own, aborted at the end whatever happened: nothing goes on being sent and paid for.
 * - An abort settles the call at once, also where the connection hangs; it is told from an abort of our own by the caller's signal.
 * - Silence is measured by us and by what a decoder makes of the bytes: a heartbeat or an empty event is silence.
 * - Once the terminal event has come the answer is finished: a connection that breaks or hangs after it changes nothing.
 */
import { estimateRequest } from "../message/estimate.ts"
import type { Clock } from "../std/clock.ts"
import type { JsonObject } from "../std/json.ts"
import { StreamFailure, type Decoder, type DecoderInput } from "./decoder.ts"
import { answeredError, connectionError, ownError, type Answered, type Target } from "./errors.ts"
import { ProviderError, type CallOptions, type ModelRequest, type Response } from "./provider.ts"
import type { Quirks } from "./quirks.ts"
import { vendorHeaders } from "./request-headers.ts"
import { EventParser, type ServerEvent } from "./sse.ts"

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<globalThis.Response>

/** Sends a body: an SDK with our `fetch` inside, which keeps what a refused request was told. */
export type Send = (body: JsonObject, fetch: Fetch, signal: AbortSignal) => Promise<globalThis.Response>

/** Counts follow the terminal event at once or not at all. */
const afterDoneMs = 5_000
/** What is left of a body after its last event is read behind the caller's back, so that the connection can be used again. */
const drainMs = 1_000
/** A body that is no stream is read up to here: it is an error page or one whole answer. */
const bodyMax = 8 * 1024 * 1024
/** `length` with next to nothing said and the window full: the input was too long, and the vendor did not say so. */
const silentOverflowOutput = 16
const silentOverflowShare = 0.99

/** An answer that was an error, before any event. */
export type Refused = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Aborts `controller` when nothing has been told for `ms`. */
class Watchdog {
  readonly #clock: Clock
  readonly #bark: () => void
  #cancel: () => void = () => {}
  constructor(clock: Clock, bark: () => void) {
    this.#clock = clock
    this.#bark = bark
  }

  heard(ms: number): void {
    this.#cancel()
    this.#cancel = this.#clock.after(ms, this.#bark)
  }

  stop(): void {
    this.#cancel()
  }
}

function headersOf(response: globalThis.Response): Readonly<Record<string, string>> {
  return Object.fromEntries(response.headers.entries())
}

/** What a request bears beside the headers that model, config and quirks name. SDKs add more, from the environment even. */
const usualHeaders = [
  "accept",
  "anthropic-beta",
  "anthropic-version",
  "authorization",
  "content-type",
  "user-agent",
  "x-api-key",
  "x-goog-api-key",
]

function headerNames(call: Call): ReadonlySet<string> {
  const named = [...Object.keys(call.request.model.headers), ...Object.keys(call.options.headers)]
  const vendors = Object.keys(vendorHeaders(call.request, call.quirks))
  return new Set([...usualHeaders, ...vendors, ...named.map((name) => name.toLowerCase())])
}

/** `fetch` without Bun's own time limit and with our headers alone; `onRefused` hears the body of an answer that is an error, before an SDK makes its own of it. */
function watchedFetch(base: Fetch, names: ReadonlySet<string>, onRefused: (refused: Refused) => void): Fetch {
  return async (input, init) => {
    const headers = [...new Headers(init?.headers)].filter(([name]) => names.has(name))
    const response = await base(input, { ...init, headers, timeout: false } as RequestInit)
    if (response.ok) return response
    const body = await response.text()
    onRefused({ status: response.status, headers: headersOf(response), body })
    return new globalThis.Response(body, { status: response.status, headers: response.headers })
  }
}

/** What all attempts at a request share. `base` is the fetch that reaches the network. */
export type Call = {
  readonly request: ModelRequest
  readonly options: CallOptions
  readonly target: Target
  readonly quirks: Quirks
  readonly base: Fetch
  makeDecoder(input: DecoderInput): Decoder
  readonly send: Send
}

function answered(call: Call, refused: Partial<Refused> & { readonly body: string }): ProviderError {
  const more: Answered = {
    ...refused,
    now: call.options.clock.now(),
    key: call.options.apiKey,
    bareOverflow: call.quirks.bareOverflow,
  }
  return answeredError(call.target, more)
}

async function* eventsOf(call: Call, response: globalThis.Response): AsyncGenerator<ServerEvent> {
  const type = response.headers.get("content-type") ?? ""
  if (type.includes("text/html") || type.includes("application/json")) {
    const body = (await response.text()).slice(0, bodyMax)
    if (type.includes("text/html"))
      throw ownError(
        "fatal",
        "not_a_stream",
        `${call.target.baseUrl} answers with a web page: is it the base URL of an API?`,
      )
    return yield* wholeBody(call, body)
  }
  const parser = new EventParser()
  if (response.body === null) return
  let told = false
  for await (const bytes of response.body)
    for (const event of parser.push(bytes)) {
      told = true
      yield event
    }
  for (const event of parser.end()) {
    told = true
    yield event
  }
  if (!told && type.startsWith("text/plain"))
    throw ownError(
      "fatal",
      "not_a_stream",
      `${call.target.baseUrl} answers with plain text: is it the base URL of an API?`,
    )
}

/** An answer in one piece: an error that came with a good status, a server that does not stream, or events under a wrong type. */
function* wholeBody(call: Call, body: string): Generator<ServerEvent> {
  if (/^\s*(event|data|:)/.test(body)) {
    const parser = new EventParser()
    yield* parser.push(new TextEncoder().encode(body))
    return yield* parser.end()
  }
  if (body.trim() === "") throw ownError("retry", "empty", `${call.target.provider} answered with an empty body.`)
  yield { event: "", data: body }
}

async function readAll(
  call: Call,
  response: globalThis.Response,
  decoder: Decoder,
  watch: { onProgress(): void; isOpen(): boolean },
): Promise<void> {
  let closed = false
  try {
    for await (const event of eventsOf(call, response)) {
      if (closed || !watch.isOpen()) continue
      const deltas = decoder.push(event)
      for (const delta of deltas) call.options.onDelta(delta)
      closed = decoder.closed
      if (deltas.length > 0 || decoder.done) watch.onProgress()
    }
  } catch (error) {
    if (error instanceof StreamFailure) throw answered(call, { status: error.status, body: error.body })
    if (error instanceof RangeError)
      throw ownError("retry", "malformed", `${call.target.provider} sent ${error.message}.`)
    if (!decoder.done || error instanceof ProviderError) throw error
  }
}

function refuseSilentOverflow(call: Call, response: Response): void {
  const window = call.request.model.contextWindow
  const { usage, stopReason } = response
  if (window === undefined || stopReason !== "length" || usage.estimated === true) return
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  if (usage.output > silentOverflowOutput || input < window * silentOverflowShare) return
  throw ownError(
    "overflow",
    "overflow_silent",
    `The conversation fills the window of ${call.target.model}: compact it, or choose a model with a larger one.`,
  )
}

/** What `error`, whatever threw it, means for this call. `stalled`: milliseconds of silence that ended it, or 0. */
function meaning(call: Call, error: unknown, refused: Refused | undefined, stalled: number): ProviderError {
  if (call.options.signal.aborted) return ownError("aborted", "aborted", "The request was stopped.")
  if (stalled > 0)
    return ownError("retry", "stalled", `${call.target.provider} has been silent for ${Math.round(stalled / 1_000)} s.`)
  if (error instanceof ProviderError) return error
  if (refused !== undefined) return answered(call, refused)
  return connectionError(call.target, error, call.options.apiKey)
}

function finishCall(call: Call, decoder: Decoder): Response {
  const { deltas, response } = decoder.finish()
  for (const delta of deltas) call.options.onDelta(delta)
  refuseSilentOverflow(call, response)
  return response
}

/** `onRefused` hears what the server said when it refused the body. Throws {@link ProviderError} and nothing else. */
export async function attempt(call: Call, body: JsonObject, onRefused: (refused: Refused) => void): Promise<Response> {
  const { request, options, quirks } = call
  const decoder = call.makeDecoder({ model: request.model, quirks, estimatedInput: estimateRequest(request) })
  const controller = new AbortController()
  const ended = Promise.withResolvers<void>()
  let open = true
  /** How long a silence ends the call, as of now; and the one that has. */
  let limitMs = options.firstByteMs ?? options.stallMs
  let stalled = 0
  let refused: Refused | undefined
  const stop = (): void => {
    open = false
    controller.abort()
    ended.reject(new Error("stopped"))
  }
  const watchdog = new Watchdog(options.clock, () => {
    stalled = decoder.done ? 0 : limitMs
    if (decoder.done) ended.resolve()
    else stop()
  })
  const watch = {
    isOpen: () => open,
    onProgress() {
      limitMs = decoder.done ? afterDoneMs : options.stallMs
      if (decoder.closed) ended.resolve()
      else watchdog.heard(limitMs)
    },
  }
  if (options.signal.aborted) throw meaning(call, undefined, undefined, 0)
  options.signal.addEventListener("abort", stop, { once: true })
  watchdog.heard(limitMs)
  const fetch = watchedFetch(call.base, headerNames(call), (answer) => {
    refused = answer
    onRefused(answer)
  })
  const working = call.send(body, fetch, controller.signal).then((response) => readAll(call, response, decoder, watch))
  try {
    await Promise.race([working, ended.promise])
    open = false
    if (options.signal.aborted) throw new Error("stopped")
    const response = finishCall(call, decoder)
    drain(options.clock, working, controller)
    return response
  } catch (error) {
    controller.abort()
    throw meaning(call, error, refused, stalled)
  } finally {
    open = false
    watchdog.stop()
    options.signal.removeEventListener("abort", stop)
    // The loser of the race fails when its connection is closed; what that means has been told already.
    working.catch(() => undefined)
    ended.promise.catch(() => undefined)
  }
}

/** Reads the rest of a finished answer for a moment, then closes its connection whatever is left. */
function drain(clock: Clock, working: Promise<void>, controller: AbortController): void {
  const cancel = clock.after(drainMs, () => controller.abort())
  const over = (): void => {
    cancel()
    controller.abort()
  }
  working.then(over, over)
}
