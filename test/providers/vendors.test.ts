/** Every vendor's row, against a strict fake of that vendor: what it sends is read, what it refuses is not sent. */
import { expect, test } from "bun:test"
import type { ThinkingLevel } from "../../src/message/message.ts"
import { findModel } from "../../src/providers/catalog.ts"
import { completionsApi } from "../../src/providers/openai-completions/call.ts"
import type { Model } from "../../src/providers/model.ts"
import type { ModelRequest, Response } from "../../src/providers/provider.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { Vendor } from "../support/model-dialects.ts"
import { headerProblems, vendors } from "../support/model-vendors.ts"
import { assistant, call, model, readTool, request, result, text, user } from "./support.ts"

const cases = vendors.map((vendor): [string, Vendor] => [vendor.name, vendor])

const usualLevels = { off: "none", low: "low", high: "high" }

/** The vendor's model at the address of its fake. */
function modelOf(vendor: Vendor, baseUrl: string): Model {
  const [provider, id] = vendor.model
  const known = findModel(provider, id)
  if (known === undefined) return model({ provider, id, baseUrl, thinking: usualLevels, maxTokens: 4_000 })
  return { ...known, baseUrl, api: "openai-completions" }
}

async function fakeOf(vendor: Vendor): Promise<ModelServer> {
  const server = await startModelServer({ vendor: vendor.rules, headers: (headers) => headerProblems(vendor, headers) })
  const turn = vendor.turn.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  server.script((asked) => (asked.results.length === 0 ? { raw: [...turn, "data: [DONE]\n\n"] } : { text: "done" }))
  return server
}

function ask(wanted: ModelRequest): Promise<Response> {
  const api = completionsApi()
  const signal = new AbortController().signal
  const options = { apiKey: "key", headers: {}, signal, clock: new ManualClock(), stallMs: 60_000, onDelta: () => {} }
  return api.call(wanted, api.encode(wanted), options)
}

const levels: readonly ThinkingLevel[] = ["off", "low", "high", "max"]

test.each(cases)("%s: a turn is read, and its reasoning, its call and the result are taken back", async (_, vendor) => {
  const server = await fakeOf(vendor)
  const to = modelOf(vendor, server.completionsUrl)
  for (const thinking of levels) {
    const first = await ask(request(to, [user("hi")], { thinking, cacheKey: "session" }))
    expect(first.stopReason).toBe("toolUse")
    expect(first.content.at(-1)).toMatchObject({ type: "toolCall", name: "read", arguments: { path: "a" } })
    expect(first.usage).toMatchObject({ input: 60, cacheRead: 40, output: 20 })
    const thoughts = first.content.filter((part) => part.type === "thinking").map((part) => part.thinking)
    expect(thoughts.filter((thought) => thought !== "").join()).toBe(
      JSON.stringify(vendor.turn).includes("hm") ? "hm" : "",
    )
    const said = assistant(to, ...first.content)
    const id = first.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []))[0] ?? ""
    const history = [user("hi"), said, result(id, "ok")]
    expect(await ask(request(to, history, { thinking, cacheKey: "session" }))).toMatchObject({ stopReason: "stop" })
    // What was typed while the tool ran stands behind its result.
    await ask(request(to, [...history, user("wait")], { thinking, cacheKey: "session" }))
  }
  expect(server.violations).toEqual([])
  await server.stop()
})

test.each(cases.filter(([, vendor]) => vendor.needs))(
  "%s refuses what is sent to a host that nobody knows: its row is needed",
  async (_, vendor) => {
    const server = await fakeOf(vendor)
    const known = modelOf(vendor, server.completionsUrl)
    const stranger: Model = { ...known, provider: "stranger", quirks: {}, headers: {} }
    const chat = [
      user("hi"),
      assistant(stranger, thought, call("call_a-b")),
      result("call_a-b", "ok"),
      assistant(stranger, text("so")),
      user("on"),
      assistant(stranger, call("call_c-d")),
      result("call_c-d", "ok"),
      user("wait"),
    ]
    await ask(request(stranger, chat, { thinking: "high", cacheKey: "session" })).catch(() => undefined)
    expect(server.violations).not.toEqual([])
    await server.stop()
  },
)

const thought = { type: "thinking", thinking: "hm", thinkingSignature: "reasoning_content" } as const

test("a host that wants calls explained gets the tools that were called, where none are on offer", async () => {
  const litellm = vendors.find(({ name }) => name === "LiteLLM")
  if (litellm === undefined) throw new Error("there is no fake of LiteLLM")
  const server = await fakeOf(litellm)
  const to = modelOf(litellm, server.completionsUrl)
  const history = [user("hi"), assistant(to, text("x"), call("a")), result("a", "ok")]
  expect(await ask(request(to, history, { tools: [] }))).toMatchObject({ stopReason: "stop" })
  expect(server.requests[0]?.tools).toEqual([readTool.name])
  expect(server.violations).toEqual([])
  await server.stop()
})
