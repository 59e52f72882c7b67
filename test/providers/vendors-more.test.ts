/** Vendors of the other formats, against strict fakes: their headers, and what they refuse of the format. */
import { expect, test } from "bun:test"
import { findModel } from "../../src/providers/catalog.ts"
import type { Fetch } from "../../src/providers/attempt.ts"
import { anthropicApi } from "../../src/providers/anthropic-messages/call.ts"
import type { Model } from "../../src/providers/model.ts"
import { responsesApi } from "../../src/providers/openai-responses/call.ts"
import type { Api, Response } from "../../src/providers/provider.ts"
import type { Json, JsonObject } from "../../src/std/json.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { list, object } from "../support/model-read.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { assistant, behind, call, image, model, request, result, text, user } from "./support.ts"

type Case = {
  readonly name: string
  readonly model: readonly [provider: string, id: string]
  readonly headers: Readonly<Record<string, RegExp>>
  also?(body: JsonObject): readonly string[]
  /** What a host of this format that nobody knows would be sent is refused here. */
  readonly needs: boolean
}

const noMark = (body: JsonObject): readonly string[] =>
  list(body.tools).some((tool) => object(tool).cache_control !== undefined) ? ["tools.0.cache_control: not taken"] : []

const hasCalls = (body: JsonObject): boolean =>
  list(body.messages).some((message) =>
    list(object(message).content).some((block) => object(block).type === "tool_use"),
  )

const absent = /^$/
const copilot = {
  authorization: /^Bearer key$/,
  "x-api-key": absent,
  "x-initiator": /^(user|agent)$/,
  "openai-intent": /./,
  "editor-version": /./,
  "user-agent": /Copilot/,
}

const cases: readonly Case[] = [
  {
    name: "Anthropic",
    model: ["anthropic", "claude-sonnet-5-5"],
    headers: {
      authorization: /^Bearer key$/,
      "x-api-key": absent,
      "anthropic-version": /^2026-/,
      "anthropic-beta": /binding/,
    },
    also: (body) => {
      const { block_binding: binding } = object(body.thinking)
      const dropped = object(binding).prefix_mismatch_behavior === "drop_block"
      return [
        ...(object(body.thinking).type === "disabled" || dropped
          ? []
          : ["a thinking block does not fit what is before it"]),
        ...(hasCalls(body) && body.tools === undefined ? ["Requests which have `tool_use` must define tools"] : []),
      ]
    },
    needs: true,
  },
  {
    name: "MiniMax",
    model: ["minimax", "MiniMax-M3"],
    headers: { "x-api-key": /^key$/, authorization: absent, "anthropic-version": /^2023-06-01$/ },
    needs: false,
  },
  {
    name: "Fireworks",
    model: ["fireworks", "accounts/fireworks/models/minimax-m3"],
    headers: { "x-api-key": /^key$/, "anthropic-version": /^2023-06-01$/, "x-session-affinity": /./ },
    also: noMark,
    needs: true,
  },
  {
    name: "Vercel's gateway",
    model: ["vercel-ai-gateway", "alibaba/qwen-3-32b"],
    headers: { "x-api-key": /^key$/, "anthropic-version": /^2023-06-01$/ },
    needs: false,
  },
  {
    name: "GitHub Copilot, Claude",
    model: ["github-copilot", "claude-opus-5.5"],
    headers: copilot,
    also: noMark,
    needs: true,
  },
  { name: "GitHub Copilot, GPT", model: ["github-copilot", "gpt-6.1-terra"], headers: copilot, needs: true },
  { name: "OpenAI", model: ["openai", "gpt-6.1-terra"], headers: { authorization: /^Bearer key$/ }, needs: false },
  {
    name: "xAI",
    model: ["xai", "grok-4.7"],
    headers: { authorization: /^Bearer key$/, "x-grok-conv-id": /./ },
    also: (body) =>
      body.prompt_cache_key === "session" ? [] : ["prompt_cache_key keeps a conversation where its cache is"],
    needs: true,
  },
  { name: "Meta", model: ["meta", "muse-spark-2"], headers: { authorization: /^Bearer key$/ }, needs: false },
]

async function fakeOf(wanted: Case): Promise<ModelServer> {
  const minds = (headers: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(wanted.headers).flatMap(([name, shape]) =>
      shape.test(headers[name] ?? "") ? [] : [`header ${name}`],
    )
  const server = await startModelServer({ vendor: { also: (body) => wanted.also?.(body) ?? [] }, headers: minds })
  server.script((asked) =>
    asked.results.length === 0
      ? {
          thinking: "hm",
          text: "so",
          toolCalls: [
            { name: "read", args: { path: "a" } },
            { name: "read", args: { path: "b" } },
          ],
        }
      : { text: "done" },
  )
  return server
}

function modelOf([provider, id]: Case["model"], server: ModelServer): Model {
  const known = findModel(provider, id)
  const api = known?.api ?? "openai-responses"
  const baseUrl = api === "anthropic-messages" ? server.anthropicUrl : server.responsesUrl
  return { ...(known ?? model({ provider, id, api, thinking: { high: "high" } })), baseUrl }
}

const apis: Readonly<Record<string, (fetch?: Fetch) => Api>> = {
  "anthropic-messages": anthropicApi,
  "openai-responses": responsesApi,
}

function ask(
  to: Model,
  messages: Parameters<typeof request>[1],
  more: Parameters<typeof request>[2],
  fetch?: Fetch,
): Promise<Response> {
  const api = apis[to.api]?.(fetch)
  if (api === undefined) throw new Error(`no such format here: ${to.api}`)
  const wanted = request(to, messages, { cacheKey: "session", ...more })
  const signal = new AbortController().signal
  const options = { apiKey: "key", headers: {}, signal, clock: new ManualClock(), stallMs: 60_000, onDelta: () => {} }
  return api.call(wanted, api.encode(wanted), options)
}

const named = cases.map((wanted): [string, Case] => [wanted.name, wanted])

async function talk(to: Model, fetch?: Fetch): Promise<void> {
  for (const thinking of ["off", "high"] as const) {
    const first = await ask(to, [user("look", image)], { thinking }, fetch)
    const ids = first.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []))
    expect(ids.length).toBe(2)
    const turn = [user("look", image), assistant(to, ...first.content), ...ids.map((id) => result(id, "ok"))]
    await ask(to, turn, { thinking }, fetch)
    await ask(to, [...turn, user("wait")], { thinking, tools: [] }, fetch)
  }
}

/** The model at its vendor's own address, and a fetch for which the fake is that vendor. */
function atHome(wanted: Case, server: ModelServer): readonly [Model, Fetch | undefined] {
  const here = modelOf(wanted.model, server)
  const address = findModel(...wanted.model)?.baseUrl
  return address === undefined ? [here, undefined] : [{ ...here, baseUrl: address }, behind(address, here.baseUrl)]
}

test.each(named)("%s: a turn with two calls is read, and taken back with its results", async (_, wanted) => {
  const server = await fakeOf(wanted)
  await talk(...atHome(wanted, server))
  expect(server.violations).toEqual([])
  await server.stop()
})

test.each(named)("%s is known by its address, under whatever name", async (_, wanted) => {
  const server = await fakeOf(wanted)
  const [to, fetch] = atHome(wanted, server)
  for (const provider of ["mine", "openai", "anthropic"]) await talk({ ...to, provider }, fetch)
  expect(server.violations).toEqual([])
  await server.stop()
})

test.each(named.filter(([, { needs }]) => needs))(
  "%s refuses what is sent to a host that nobody knows: its row is needed",
  async (_, wanted) => {
    const server = await fakeOf(wanted)
    const stranger: Model = { ...modelOf(wanted.model, server), provider: "stranger", quirks: {}, headers: {} }
    await ask(stranger, [user("hi"), assistant(stranger, text("x"), call("a")), result("a", "1")], {
      thinking: "high",
    }).catch(() => undefined)
    expect(server.violations).not.toEqual([])
    await server.stop()
  },
)

test("GitHub is told who began a request, and whether it holds pictures", async () => {
  const server = await startModelServer({ script: () => ({ text: "done" }) })
  const to = modelOf(["github-copilot", "gpt-6.1-terra"], server)
  await ask(to, [user("hi")], {})
  await ask(to, [user("hi", image), assistant(to, call("a")), result("a", "1")], {})
  const said = server.requests.map(({ headers }) => [headers["x-initiator"], headers["copilot-vision-request"] ?? null])
  await server.stop()
  expect<Json>(said as Json).toEqual([
    ["user", null],
    ["agent", "true"],
  ])
})

test("features that the person asks for come beside ours", async () => {
  const server = await startModelServer({ script: () => ({ text: "done" }) })
  const to = {
    ...modelOf(["anthropic", "claude-sonnet-5-5"], server),
    headers: { "anthropic-beta": "mine-2026-01-01" },
  }
  await ask(to, [user("hi")], {})
  await server.stop()
  expect(server.requests[0]?.headers["anthropic-beta"]).toBe("thinking-binding-controls-2026-08-01,mine-2026-01-01")
})
