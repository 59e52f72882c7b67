/** Every vendor's row, against a strict fake of that vendor: what it sends is read, what it refuses is not sent. */
import { expect, test } from "bun:test"
import type { ThinkingLevel } from "../../src/message/message.ts"
import { findModel } from "../../src/providers/catalog.ts"
import type { Fetch } from "../../src/providers/attempt.ts"
import { completionsApi } from "../../src/providers/openai-completions/call.ts"
import type { Model } from "../../src/providers/model.ts"
import type { ModelRequest, Response } from "../../src/providers/provider.ts"
import { rows, type Row } from "../../src/providers/vendors.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { Vendor } from "../support/model-dialects.ts"
import { headerProblems, vendors } from "../support/model-vendors.ts"
import { assistant, behind, call, model, readTool, request, result, text, user } from "./support.ts"

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

function ask(wanted: ModelRequest, fetch?: Fetch): Promise<Response> {
  const api = completionsApi(fetch)
  const signal = new AbortController().signal
  const options = { apiKey: "key", headers: {}, signal, clock: new ManualClock(), stallMs: 60_000, onDelta: () => {} }
  return api.call(wanted, api.encode(wanted), options)
}

const levels: readonly ThinkingLevel[] = ["off", "low", "high", "max"]

/** Everything that the vendor is asked in a short talk, at every level. */
async function talk(vendor: Vendor, to: Model, fetch?: Fetch): Promise<void> {
  for (const thinking of levels) {
    const first = await ask(request(to, [user("hi")], { thinking, cacheKey: "session" }), fetch)
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
    const more = { thinking, cacheKey: "session" } as const
    expect(await ask(request(to, history, more), fetch)).toMatchObject({ stopReason: "stop" })
    // What was typed while the tool ran stands behind its result.
    await ask(request(to, [...history, user("wait")], more), fetch)
  }
}

/** Where the vendor is: by the catalog, else by its row; undefined for what people run themselves. */
function addressOf(vendor: Vendor): string | undefined {
  const [provider, id] = vendor.model
  const row: Row | undefined = (rows as readonly Row[]).find((one) => one.providers?.includes(provider))
  const host = row?.local === true ? undefined : row?.hosts?.[0]
  return vendor.address ?? findModel(provider, id)?.baseUrl ?? (host === undefined ? undefined : `https://${host}/v1`)
}

test.each(cases)("%s: a turn is read, and its reasoning, its call and the result are taken back", async (_, vendor) => {
  const server = await fakeOf(vendor)
  const { address } = vendor
  const to = modelOf(vendor, address ?? server.completionsUrl)
  await talk(vendor, to, address === undefined ? undefined : behind(address, server.completionsUrl))
  expect(server.violations).toEqual([])
  await server.stop()
})

const hosted = cases.flatMap(([name, vendor]): [string, Vendor, string][] => {
  const address = addressOf(vendor)
  return address === undefined ? [] : [[name, vendor, address]]
})

test.each(hosted)("%s is known by its address, under whatever name", async (_, vendor, address) => {
  const server = await fakeOf(vendor)
  for (const provider of ["mine", "openai", "mistral"])
    await talk(vendor, { ...modelOf(vendor, address), provider }, behind(address, server.completionsUrl))
  expect(server.violations).toEqual([])
  await server.stop()
})

test("a name of a vendor at an address that nobody knows gets what every host takes, where many go by that name", async () => {
  const strict = await startModelServer({ vendor: { refused: ["max_completion_tokens", "prompt_cache_key"] } })
  strict.script([{ text: "yes" }])
  const address = "https://models.example.test/v1"
  const to = model({ provider: "openai", id: "m", baseUrl: address, maxTokens: 4_000 })
  await ask(request(to, [user("hi")], { cacheKey: "session" }), behind(address, strict.completionsUrl))
  expect(strict.violations).toEqual([])
  expect(JSON.parse(strict.requests[0]?.bodyText ?? "{}")).toMatchObject({
    max_tokens: 4_000,
    messages: [{ role: "system" }, { role: "user" }],
  })
  await strict.stop()
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
