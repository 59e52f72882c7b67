/** Forks inside a session: what they see, who works in them, what they are called, and what is carried over. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { contextEntries, messagesOf } from "../../src/engine/context.ts"
import { createSession, memorySession, openSession } from "../../src/ledger/open.ts"
import type { ModelRequest } from "../../src/providers/provider.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { agentOf, applyFrame, emptyView } from "../../src/protocol/view.ts"
import { textOf, type Message } from "../../src/message/message.ts"
import { defineTool, textResult } from "../../src/tools/tool.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type Agent, type Reply } from "../support/agent.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"

const look = defineTool({
  name: "look",
  version: 1,
  description: "",
  parameters: Type.Object({}),
  effect: "pure",
  title: () => "look",
  execute: async () => textResult("seen"),
})

const call = (...ids: string[]): Reply => ({ calls: ids.map((id) => ({ id, name: "look" })) })

/** Says what it was asked last; the fourth request fails, and the summarizer is told from its prompt. */
function script(request: ModelRequest, n: number): Reply {
  const last = request.messages.at(-1)
  const text = last === undefined ? "" : textOf(last)
  if (text.startsWith("Summarize")) return { text: `summary ${n}` }
  if (text === "look") return call("a", "b")
  if (text === "fail") return { error: new ProviderError("fatal", "bad", "no") }
  return { text: `re: ${text}` }
}

async function worked(): Promise<Agent> {
  const clock = new ManualClock()
  const settings = { compaction: { enabled: true, keep: 10 } }
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script, tools: [look], settings })
  for (const text of ["one", "look", "fail", "two", "three"]) {
    await agent.say(text)
    await agent.idle()
  }
  // So small a part is kept that there is something to summarize.
  await agent.engine.port.request({ type: "compact", conversation: 1 })
  await agent.idle()
  await agent.say("four")
  await agent.idle()
  return agent
}

const forkAt = async (agent: Agent, entry: number, conversation = 1, summary?: string): Promise<number> =>
  (await agent.engine.port.request({ type: "fork", conversation, entry, summary })).conversation

async function sayIn(agent: Agent, conversation: number, text: string): Promise<void> {
  const content = [{ type: "text", text }] as const
  const requestId = crypto.randomUUID()
  await agent.engine.port.request({ type: "submit", conversation, requestId, content, mode: "steer" })
  await settle()
  await agent.idle()
}

const said = (messages: readonly Message[]): readonly string[] =>
  messages.map((message) => `${message.role}: ${textOf(message)}`)

test("the context at any entry is what a fork there sees, and what its model is asked", async () => {
  const agent = await worked()
  const entries = await agent.ledger.entries({ conversation: 1 })
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(
    new Set(["user", "prompt", "assistant", "toolResult", "compaction"]),
  )
  for (const { id } of entries) {
    const there = messagesOf((await contextEntries(agent.ledger, 1, id)).entries)
    const fork = await forkAt(agent, id)
    expect(messagesOf((await contextEntries(agent.ledger, fork, id)).entries)).toEqual(there)
    const late = messagesOf((await contextEntries(agent.ledger, fork, Number.MAX_SAFE_INTEGER - 1)).entries)
    expect(late).toEqual(there)
    await sayIn(agent, fork, "here")
    const asked = agent.model.requests.at(-1)
    expect(asked?.messages.slice(0, there.length)).toEqual([...there])
    expect(said(asked?.messages.slice(there.length) ?? [])).toEqual(["user: here"])
  }
  // Nothing of the other conversation has changed.
  expect(await agent.ledger.entries({ conversation: 1 })).toEqual(entries)
  await agent.engine.close()
})

test("a fork of a fork sees both, each up to its point", async () => {
  const agent = await worked()
  const [first] = await agent.ledger.entries({ conversation: 1, limit: 100 })
  const answer = (await agent.ledger.entries({ conversation: 1 })).find(({ kind }) => kind === "assistant")?.id ?? 0
  const fork = await forkAt(agent, answer)
  await sayIn(agent, fork, "in the fork")
  const tip = agent.ledger.live.tail(fork)
  await sayIn(agent, fork, "later")
  const deeper = await forkAt(agent, tip, fork)
  await sayIn(agent, deeper, "deeper")
  expect(said(agent.model.requests.at(-1)?.messages ?? [])).toEqual([
    "user: one",
    "assistant: re: one",
    "user: in the fork",
    "assistant: re: in the fork",
    "user: deeper",
  ])
  // A fork of the fork at what is its parent's.
  const shared = await forkAt(agent, first?.id ?? 0, deeper)
  await sayIn(agent, shared, "from the start")
  expect(said(agent.model.requests.at(-1)?.messages ?? [])).toEqual(["user: one", "user: from the start"])
  await agent.engine.close()
})

test("a fork before everything is an empty conversation, and an entry that is not seen is refused", async () => {
  const agent = await worked()
  const empty = await forkAt(agent, 0)
  await sayIn(agent, empty, "anew")
  expect(said(agent.model.requests.at(-1)?.messages ?? [])).toEqual(["user: anew"])
  const own = agent.ledger.live.tail(empty)
  await expect(forkAt(agent, own)).rejects.toThrow(`There is no entry e${own} in the conversation c1.`)
  await expect(forkAt(agent, 9_999)).rejects.toThrow("There is no entry e9999")
  await expect(forkAt(agent, 1, 777)).rejects.toThrow("There is no conversation c777")
  await agent.engine.close()
})

test("a fork's agent is the one of its point, and a change of it changes no other", async () => {
  const clock = new ManualClock()
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script, tools: [look] })
  const { port } = agent.engine
  const points: number[] = []
  for (const thinking of ["low", "medium", "high"] as const) {
    await port.request({ type: "configure", conversation: 1, thinking, tools: thinking === "high" ? [] : ["look"] })
    await agent.say(thinking)
    await agent.idle()
    points.push(agent.ledger.live.tail(1))
  }
  const of = (conversation: number) => agentOf(agent.view(), conversation)
  for (const [n, thinking] of (["low", "medium", "high"] as const).entries()) {
    const fork = await forkAt(agent, points[n] ?? 0)
    expect(of(fork)).toMatchObject({ thinking, tools: thinking === "high" ? [] : ["look"] })
    await sayIn(agent, fork, "who")
    expect(agent.model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(thinking === "high" ? [] : ["look"])
    await port.request({ type: "configure", conversation: fork, thinking: "max" })
    expect(of(1)?.thinking).toBe("high")
    // A fork of the fork, at what was its parent's and at what is its own.
    expect(of(await forkAt(agent, points[n] ?? 0, fork))?.thinking).toBe(thinking)
    expect(of(await forkAt(agent, agent.ledger.live.tail(fork), fork))?.thinking).toBe("max")
  }
  await agent.engine.close()
})

test("a fork that changes nothing asks with its parent's prompt, and under the same cache key", async () => {
  const agent = await worked()
  const before = agent.model.requests.at(-1)
  const fork = await forkAt(agent, agent.ledger.live.tail(1))
  await sayIn(agent, fork, "on")
  const after = agent.model.requests.at(-1)
  expect(after?.cacheKey).toBe(before?.cacheKey ?? "")
  expect(after?.messages.slice(0, before?.messages.length)).toEqual([...(before?.messages ?? [])])
  const own = await agent.ledger.entries({ conversation: fork, after: agent.ledger.live.tail(1) })
  expect(own.map(({ kind }) => kind)).toEqual(["user", "assistant"])
  await agent.engine.close()
})

test("what the left branch learned is carried over, behind what the fork has, and costs what it costs", async () => {
  const agent = await worked()
  const entries = await agent.ledger.entries({ conversation: 1 })
  const first = entries.find(({ kind }) => kind === "assistant")?.id ?? 0
  const fork = await forkAt(agent, first, 1, "the tool")
  await agent.idle()
  const asked = agent.model.requests.at(-1)
  const prompt = asked?.messages[0] === undefined ? "" : textOf(asked.messages[0])
  expect(prompt).toContain("pay special attention to: the tool")
  expect(prompt).toContain("[person]\nlook")
  expect(prompt).not.toContain("[person]\none")
  await sayIn(agent, fork, "go on")
  const seen = said(agent.model.requests.at(-1)?.messages ?? [])
  expect(seen[0]).toBe("user: one")
  expect(seen.at(-2)).toMatch(/^user: Summary of another branch of this conversation, which was left:\n\nsummary \d+$/)
  expect(seen.at(-1)).toBe("user: go on")
  await agent.engine.close()
})

test("labels are a person's, kept over a restart, and an empty one takes them away", async () => {
  const { dataDir, remove } = scratch()
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const first = openAgent({ ledger: await createSession(place), clock, script })
  await first.say("one")
  await first.idle()
  const entry = first.ledger.live.tail(1)
  await first.engine.port.request({ type: "label", entry, label: "  here it works " })
  await first.engine.port.request({ type: "label", entry: entry - 1, label: "no" })
  await first.engine.port.request({ type: "label", entry: entry - 1, label: "" })
  await expect(first.engine.port.request({ type: "label", entry: 999, label: "x" })).rejects.toThrow("no entry e999")
  await first.engine.close()
  const second = openAgent({ ledger: await openSession(place), clock, script })
  await second.settle()
  expect(second.view().documents.get("0/labels")?.value).toEqual({ [entry]: "here it works" })
  await second.engine.close()
  remove()
})

test("conversations of one session work side by side; a late client sees them all, and stopping one stops no other", async () => {
  const clock = new ManualClock()
  const hanging = (request: ModelRequest): Reply => {
    const last = request.messages.at(-1)
    return last !== undefined && textOf(last) === "hang" ? { text: "…", hang: true } : { text: "done" }
  }
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script: hanging })
  await agent.say("start")
  await agent.idle()
  const fork = await forkAt(agent, agent.ledger.live.tail(1))
  await agent.say("hang")
  const content = [{ type: "text", text: "hang" }] as const
  const { port } = agent.engine
  await port.request({ type: "submit", conversation: fork, requestId: "f", content, mode: "steer" })
  await settle()
  let late = emptyView
  port.watch((frame) => (late = applyFrame(late, frame)))
  await settle()
  expect([...late.conversations.keys()]).toEqual([1, fork])
  expect(late.conversations.get(fork)?.parent).toEqual({ conversation: 1, entry: expect.any(Number) as number })
  expect([...late.tasks.values()].map(({ conversation }) => conversation)).toEqual([1, fork])
  expect(late.entries).toEqual(agent.view().entries)
  await port.request({ type: "abort", conversation: fork })
  await settle()
  expect([...late.tasks.values()].map(({ conversation }) => conversation)).toEqual([1])
  await agent.stop()
  expect(agent.engine.busy()).toBe(false)
  await agent.engine.close()
})
