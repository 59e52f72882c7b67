/** Every format against a server that breaks in every way; time is the test's. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Delta } from "../../src/message/delta.ts"
import { anthropicApi } from "../../src/providers/anthropic-messages/call.ts"
import type { Model } from "../../src/providers/model.ts"
import { googleApi } from "../../src/providers/google-generative-ai/call.ts"
import { completionsApi } from "../../src/providers/openai-completions/call.ts"
import { responsesApi } from "../../src/providers/openai-responses/call.ts"
import { ProviderError, type Api, type Response } from "../../src/providers/provider.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"
import type { Answer, Piece, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { model, request, user } from "./support.ts"

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({ key: "secret-key-123" })
})
afterAll(() => server.stop())

const stallMs = 60_000

type Running = {
  readonly outcome: Promise<Response | ProviderError>
  readonly deltas: readonly Delta[]
  readonly clock: ManualClock
  readonly controller: AbortController
  /** Resolves when a text in one piece has come, with all that its format sends behind it. */
  readonly begun: Promise<void>
}

type Format = { readonly api: Api; readonly model: Model }

function formats(): Readonly<Record<string, Format>> {
  return {
    completions: { api: completionsApi(), model: model({ baseUrl: server.completionsUrl, contextWindow: 2_000 }) },
    anthropic: {
      api: anthropicApi(),
      model: model({ baseUrl: server.anthropicUrl, api: "anthropic-messages", contextWindow: 2_000 }),
    },
    responses: {
      api: responsesApi(),
      model: model({ baseUrl: server.responsesUrl, api: "openai-responses", contextWindow: 2_000 }),
    },
    google: {
      api: googleApi(),
      model: model({ baseUrl: server.googleUrl, api: "google-generative-ai", contextWindow: 2_000 }),
    },
  }
}

const names = [["completions"], ["anthropic"], ["responses"], ["google"]] as const

/** Formats that tell of a text's end before the answer's. */
const endsTexts = ["anthropic", "responses"]

function start(name: string, reply: Reply, key: string | undefined = "secret-key-123", firstByteMs?: number): Running {
  const format = formats()[name]
  if (format === undefined) throw new Error(name)
  server.script([reply])
  const deltas: Delta[] = []
  const clock = new ManualClock()
  const controller = new AbortController()
  const begun = Promise.withResolvers<void>()
  const wanted = request(format.model, [user("hi")])
  const outcome = format.api
    .call(wanted, format.api.encode(wanted), {
      apiKey: key,
      headers: {},
      signal: controller.signal,
      clock,
      stallMs,
      firstByteMs,
      onDelta(delta) {
        deltas.push(delta)
        if (delta.type === (endsTexts.includes(name) ? "text_end" : "text_delta")) begun.resolve()
      },
    })
    .catch((error: unknown) => {
      if (error instanceof ProviderError) return error
      throw error
    })
  return { outcome, deltas, clock, controller, begun: begun.promise }
}

async function response(running: Running): Promise<Response> {
  const outcome = await running.outcome
  if (outcome instanceof ProviderError) throw outcome
  return outcome
}

async function failure(running: Running): Promise<ProviderError> {
  const outcome = await running.outcome
  if (!(outcome instanceof ProviderError)) throw new Error(`an answer came: ${JSON.stringify(outcome)}`)
  return outcome
}

test.each([...names])("%s: thinking, text and calls come as they were said, whatever the cuts", async (name) => {
  const answer = {
    thinking: "hm größe",
    text: "hello 😀",
    toolCalls: [{ name: "read", args: { path: "a" } }],
    usage: { input: 5, output: 4, cacheRead: 3 },
  }
  const whole = await response(start(name, answer))
  expect(whole.content.map((part) => part.type)).toEqual(["thinking", "text", "toolCall"])
  expect(whole).toMatchObject({ stopReason: "toolUse", usage: { input: 5, output: 4, cacheRead: 3, totalTokens: 12 } })
  const variants: readonly Answer[] = [
    { splitAt: 1 },
    { splitAt: 7 },
    { together: true },
    { together: true, splitAt: 3 },
    { args: "whole" },
    ...(name === "completions" ? ([{ args: "repeated" }, { args: "no-index" }] as const) : []),
  ]
  for (const variant of variants) expect(await response(start(name, { ...answer, ...variant }))).toEqual(whole)
  expect(server.violations).toEqual([])
})

const broken: readonly [string, Reply, string, string][] = [
  ["a reset before the headers", { reset: "before-headers" }, "retry", "reset"],
  ["a reset after the headers", { reset: "after-headers" }, "retry", "reset"],
  ["a reset in the middle", { text: "abc", reset: "mid" }, "retry", "reset"],
  ["a body without its last piece", { text: "abc", cut: "mid" }, "retry", "reset"],
  ["a clean end without the terminal event", { text: "abc", cutWithoutEnd: true }, "retry", "cut"],
  ["an empty body (field report 55)", { raw: [] }, "retry", "cut"],
  ["an answer with nothing in it (field report 57)", {}, "retry", "empty"],
  ["reasoning alone (field report 57)", { thinking: "hm" }, "retry", "empty"],
  ["an event that is no JSON", { raw: ["data: {oops\n\n"] }, "retry", "malformed"],
  ["429", { status: 429, headers: { "retry-after": "7" }, body: { message: "slow" } }, "retry", "http_429"],
  [
    "503 with a web page (field report 60)",
    { status: 503, body: "<html><title>Down</title></html>" },
    "retry",
    "http_503",
  ],
  ["401", { status: 401, body: { error: { message: "no" } } }, "auth", "http_401"],
  ["plain text", { raw: ["It works!"], headers: { "content-type": "text/plain" } }, "fatal", "not_a_stream"],
  ["a web page", { raw: ["<html>hi</html>"], headers: { "content-type": "text/html" } }, "fatal", "not_a_stream"],
  [
    "an error in the stream",
    { raw: ['data: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'] },
    "retry",
    "stream_error",
  ],
  [
    "a window filled in silence (field report 103)",
    { text: "so", finish: "length", usage: { input: 2_600, output: 3 } },
    "overflow",
    "overflow_silent",
  ],
]

for (const [name] of names)
  test.each([...broken])(`${name}: %s is told as what it is`, async (_, reply, kind, reason) => {
    const running = start(name, reply)
    expect(await failure(running)).toMatchObject({ kind, reason })
    expect(running.clock.pending).toEqual([])
  })

test.each([...names])("%s: an error in the middle of an answer is no answer", async (name) => {
  const failed = { type: "overloaded_error", message: "busy", status: 503 }
  const error = await failure(start(name, { text: "so", failed }))
  expect(error.kind).toBe("retry")
  expect(error.message).toContain("busy")
})

const hangs: readonly [string, Reply][] = [
  ["before the headers", { hang: "before-headers" }],
  ["after the headers", { hang: "after-headers" }],
  ["in the middle", { text: "hel", chunks: 1, hang: "mid" }],
]

for (const [name] of names) {
  test.each([...hangs])(
    `${name}: silence %s is a stall, and not before its time (field reports 53, 55, 56)`,
    async (_, reply) => {
      const at = server.requests.length
      const running = start(name, reply)
      const asked = await server.request(at)
      if ("text" in reply) await running.begun
      await running.clock.advance(stallMs - 1)
      expect(running.clock.pending.length).toBe(1)
      await running.clock.advance(1)
      expect(await failure(running)).toMatchObject({ kind: "retry", reason: "stalled" })
      await asked.closed
    },
  )

  test.each([...hangs])(
    `${name}: an abort during silence %s settles at once and closes the connection`,
    async (_, reply) => {
      const at = server.requests.length
      const running = start(name, reply)
      const asked = await server.request(at)
      if ("text" in reply) await running.begun
      const before = running.deltas.length
      running.controller.abort()
      expect(await failure(running)).toMatchObject({ kind: "aborted" })
      await asked.closed
      expect(running.deltas.length).toBe(before)
      expect(running.clock.pending).toEqual([])
    },
  )
}

test.each([...names])("%s: a slow model that says a little before every limit is left alone", async (name) => {
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  const text = gates.flatMap(({ promise }, place): readonly Piece[] => [`word${place} `, { until: promise }])
  const running = start(name, { text })
  for (const [place, { resolve }] of gates.entries()) {
    await eventually(
      () => running.deltas.filter(({ type }) => type === "text_delta").length === place + 1,
      () => `${running.deltas.length} deltas before word ${place}`,
    )
    await running.clock.advance(stallMs - 1)
    resolve()
  }
  expect((await response(running)).content).toMatchObject([{ text: "word0 word1 word2 word3 word4 word5 " }])
})

test.each([...names])("%s: the body arrives byte for byte as it was encoded", async (name) => {
  const format = formats()[name]
  const at = server.requests.length
  await response(start(name, { text: "x" }))
  const wanted = format && format.api.encode(request(format.model, [user("hi")]))
  expect(server.requests[at]?.bodyText).toBe(JSON.stringify(wanted?.body))
})

test.each([...names])("%s: a request whose signal was aborted before is never sent", async (name) => {
  const before = server.requests.length
  const controller = new AbortController()
  controller.abort()
  const format = formats()[name]
  if (format === undefined) throw new Error(name)
  const wanted = request(format.model, [user("hi")])
  const options = {
    apiKey: "k",
    headers: {},
    signal: controller.signal,
    clock: new ManualClock(),
    stallMs,
    onDelta: () => {},
  }
  await expect(format.api.call(wanted, format.api.encode(wanted), options)).rejects.toMatchObject({ kind: "aborted" })
  expect(server.requests.length).toBe(before)
})

const beats: Readonly<Record<string, string>> = {
  completions: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
  anthropic: 'event: ping\ndata: {"type":"ping"}\n\n',
  responses: 'event: response.in_progress\ndata: {"type":"response.in_progress","response":{"id":"r"}}\n\n',
  google: 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0}]}\r\n\r\n',
}

test.each([...names])("%s: heartbeats and empty events are silence, however many come", async (name) => {
  const beat = beats[name] ?? ""
  const gate = Promise.withResolvers<void>()
  const at = server.requests.length
  const running = start(name, { raw: [": PROCESSING\n\n", beat, beat, { until: gate.promise }, beat], end: false })
  const asked = await server.request(at)
  await running.clock.advance(stallMs - 1)
  gate.resolve()
  await settle()
  await running.clock.advance(1)
  expect(await failure(running)).toMatchObject({ kind: "retry", reason: "stalled" })
  await asked.closed
})

test.each([...names])("%s: an answer may take longer to begin than to go on, and the other way round", async (name) => {
  for (const [firstByteMs, before] of [
    [2 * stallMs, 2 * stallMs],
    [1_000, 1_000],
  ] as const) {
    const at = server.requests.length
    const running = start(name, { hang: "after-headers" }, undefined, firstByteMs)
    await server.request(at)
    await running.clock.advance(before - 1)
    expect(running.clock.pending.length).toBe(1)
    await running.clock.advance(1)
    expect((await failure(running)).message).toContain(`silent for ${before / 1_000} s`)
  }
  const begun = start(name, { text: "hel", chunks: 1, hang: "mid" }, undefined, 1_000)
  await begun.begun
  await begun.clock.advance(stallMs - 1)
  expect(begun.clock.pending.length).toBe(1)
  await begun.clock.advance(1)
  expect((await failure(begun)).message).toContain("silent for 60 s")
})

test("an answer whose end has come is whole, though the connection hangs or breaks after it", async () => {
  const finish = 'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n'
  const hanging = start("completions", { raw: [finish], end: false })
  await hanging.begun
  await hanging.clock.advance(stallMs)
  expect(await response(hanging)).toMatchObject({ stopReason: "stop", content: [{ text: "hi" }] })
  const open = start("completions", { raw: [finish, "data: [DONE]\n\n"], end: false })
  expect(await response(open)).toMatchObject({ stopReason: "stop" })
})

test("a server that does not stream is understood", async () => {
  const message = { role: "assistant", content: "whole" }
  const body = {
    id: "x",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  }
  const running = start("completions", { raw: [JSON.stringify(body)], headers: { "content-type": "application/json" } })
  expect(await response(running)).toMatchObject({
    content: [{ type: "text", text: "whole" }],
    usage: { input: 3, output: 1 },
  })
})

test.each([...names])("%s: a key that is refused is not in the message", async (name) => {
  const error = await failure(start(name, { text: "x" }, "wrong-key-4567"))
  expect(error).toMatchObject({ kind: "auth", status: 401 })
  expect(error.message).not.toContain("wrong-key-4567")
})

test("nothing answers: the sentence names the address", async () => {
  const gone = model({ baseUrl: "http://127.0.0.1:9/v1" })
  const wanted = request(gone, [user("hi")])
  const api = completionsApi()
  const options = {
    apiKey: undefined,
    headers: {},
    signal: new AbortController().signal,
    clock: new ManualClock(),
    stallMs,
    onDelta: () => {},
  }
  const sent = api.call(wanted, api.encode(wanted), options)
  await expect(sent).rejects.toMatchObject({ kind: "retry", reason: "unreachable" })
  await expect(sent).rejects.toThrow("http://127.0.0.1:9/v1")
})
