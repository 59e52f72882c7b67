/**
 * One conversation, two models of different formats that take turns at every request, and everything that can go wrong in between: the real
 * engine and the real formats, against a server that refuses what any vendor would.
 */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { begin, openEngine, rootConversation, type Engine } from "../../src/engine/engine.ts"
import { defaultSettings, type Models } from "../../src/engine/options.ts"
import { memorySession } from "../../src/ledger/open.ts"
import type { Providers, ProvidersConfig } from "../../src/providers/config.ts"
import { createProviders } from "../../src/providers/registry.ts"
import { defineTool, errorResult, type Tool } from "../../src/tools/tool.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

const formats = ["completions", "responses", "anthropic", "google"] as const
type Format = (typeof formats)[number]

const apis = {
  completions: "openai-completions",
  responses: "openai-responses",
  anthropic: "anthropic-messages",
  google: "google-generative-ai",
} as const

function configFor(server: ModelServer): ProvidersConfig {
  const urls = {
    completions: server.completionsUrl,
    responses: server.responsesUrl,
    anthropic: server.anthropicUrl,
    google: server.googleUrl,
  }
  return Object.fromEntries(
    formats.map((format) => {
      const model = { id: `of-${format}`, reasoning: true, input: ["text", "image"] as const, contextWindow: 100_000 }
      return [format, { api: apis[format], baseUrl: urls[format], models: [{ ...model, maxTokens: 8_000 }] }]
    }),
  )
}

const nameOf = (format: Format): string => `${format}/of-${format}`
const picture = { type: "image", data: "aGk=", mimeType: "image/png" } as const

/** A tool that gives a picture, one that fails, and both have the model changed before the next request. */
function toolsFor(change: () => Promise<void>): readonly Tool[] {
  const common = { description: "for a test", parameters: Type.Object({}), version: 1, effect: "pure" } as const
  return [
    defineTool({
      ...common,
      name: "look",
      title: () => "look",
      async execute() {
        await change()
        return { content: [{ type: "text", text: "a picture" }, picture], isError: false }
      },
    }),
    defineTool({ ...common, name: "fail", title: () => "fail", execute: async () => errorResult("it failed") }),
  ]
}

const both = [{ name: "look" }, { name: "fail" }]

/** Progress is told at most once in this time. */
const frameMs = 50

const wishes = /look|hang|refuse|plain/g

/** By what was wished last, since some formats show pictures of results in a message of the user: the same whoever is asked. */
function replyTo({ said, tools }: ModelRequest): Reply {
  if (tools.length === 0) return { thinking: "what mattered", text: "a summary" }
  const at = said.findLastIndex(({ role, text }) => role === "user" && text.search(wishes) >= 0)
  const wish = said[at]?.text.match(wishes)?.at(-1)
  if (wish === "hang") return { thinking: "hm", text: "half", toolCalls: [{ name: "look" }], hang: "mid" }
  if (wish === "refuse") return { status: 400, body: { error: { message: "no" } } }
  if (wish === "plain") return { thinking: "easy", text: "words" }
  return said.slice(at).some(({ role }) => role === "tool")
    ? { thinking: "seen", text: "done" }
    : { thinking: "hm, größe", text: "On it.", toolCalls: both }
}

type Talk = {
  readonly engine: Engine
  /** Says it, and waits for the run's end. */
  say(text: string): Promise<void>
  change(): Promise<void>
}

function modelsOf(providers: Providers): Models {
  return {
    resolve(name) {
      const resolved = providers.resolve(name)
      return "model" in resolved ? { ok: true, ...resolved } : { ok: false, problem: resolved.problem }
    },
    api: (model) => providers.apiOf(model),
    key: async () => ({ key: "k" }),
    list: async () => [],
  }
}

/** `looking`: what else happens while the tool looks; left out, the model changes. */
async function talkOf(
  server: ModelServer,
  first: Format,
  second: Format,
  looking?: (engine: Engine) => Promise<void>,
): Promise<Talk> {
  const clock = new ManualClock()
  const ledger = await memorySession({ clock })
  let current = first
  const change = async (): Promise<void> => {
    current = current === first ? second : first
    const model = nameOf(current)
    await engine.port.request({ type: "configure", conversation: rootConversation, model })
  }
  const tools = toolsFor(() => (looking === undefined ? change() : looking(engine)))
  begin(ledger, { folder: "/", agent: { model: nameOf(first), thinking: "high", tools: ["look", "fail"] } })
  const engine = openEngine({
    ledger,
    clock,
    models: modelsOf(createProviders({ providers: configFor(server), keys: () => "k" })),
    tools,
    instructions: { system: () => "You help.", files: [] },
    settings: { ...defaultSettings, compaction: { enabled: true, keep: 40 } },
    machine: { folder: "/", home: "/", cache: "/", env: {}, refused: [], readable: [] },
    random: () => 0.5,
    consent: "now",
    report: () => {},
  })
  let heard = ""
  engine.port.watch((frame) => {
    if (frame.type === "progress") heard += frame.text
  })
  const idle = async (): Promise<void> => {
    await eventually(
      () => !engine.busy(),
      () => `the run does not end after ${server.requests.length} requests`,
    )
    await settle()
  }
  return {
    engine,
    change,
    async say(text) {
      const at = server.requests.length
      heard = ""
      const content = [{ type: "text" as const, text }, picture]
      const requestId = crypto.randomUUID()
      await engine.port.request({ type: "submit", conversation: rootConversation, requestId, content, mode: "steer" })
      if (text.includes("hang")) {
        // Some of the answer is there when it is stopped.
        await eventually(
          async () => {
            await clock.advance(frameMs)
            return heard !== ""
          },
          () => `the answer does not begin after ${server.requests.length - at} requests`,
        )
        await engine.port.request({ type: "abort", conversation: rootConversation })
      }
      await idle()
    },
  }
}

const pairs = formats.flatMap((first) => formats.map((second): [Format, Format] => [first, second]))

test.each(pairs)("%s and %s take turns in one conversation, whatever happens in it", async (first, second) => {
  const server = await startModelServer({ script: replyTo })
  const talk = await talkOf(server, first, second)
  await talk.say("look at this")
  await talk.say("look again")
  await talk.say("hang")
  await talk.change()
  await talk.say("refuse")
  await talk.say("plain")
  await talk.change()
  await talk.say("look once more")
  const before = server.requests.length
  await talk.engine.port.request({ type: "compact", conversation: rootConversation })
  await eventually(
    () => !talk.engine.busy(),
    () => "the compaction does not end",
  )
  expect(server.requests[before]?.tools).toEqual([])
  await talk.say("look after it")
  await talk.change()
  await talk.say("plain, at last")
  await talk.engine.close()
  await server.stop()
  expect(server.violations).toEqual([])
  const spoke = new Set(server.requests.map(({ model }) => model))
  expect([...spoke].sort()).toEqual([...new Set([`of-${first}`, `of-${second}`])].sort())
  const last = server.requests.at(-1)
  expect(last?.said.some(({ text }) => text.includes("a summary"))).toBe(true)
  expect(last?.said.some(({ images }) => images > 0)).toBe(true)
})

test.each(formats)(
  "%s: a thinking level that is changed while a tool runs holds from the next request on",
  async (format) => {
    const server = await startModelServer({ script: replyTo })
    const levels: ("off" | "high")[] = ["off", "high"]
    const talk = await talkOf(server, format, format, async (engine) => {
      const thinking = levels.shift() ?? "off"
      await engine.port.request({ type: "configure", conversation: rootConversation, thinking })
    })
    await talk.say("look at this")
    await talk.say("look again")
    await talk.engine.close()
    await server.stop()
    expect(server.violations).toEqual([])
    const asked = server.requests.map(({ bodyText }) =>
      /"(reasoning_effort|effort|thinkingLevel)":"high"|"enabled"/i.test(bodyText),
    )
    expect(asked).toEqual([true, false, false, true])
  },
)
