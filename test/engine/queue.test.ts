/** Inputs that wait: changed, sent, taken back, in their order, over failures, stops and restarts. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession, openSession } from "../../src/ledger/open.ts"
import type { Command } from "../../src/protocol/port.ts"
import { queueOf } from "../../src/protocol/view.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { textOf } from "../../src/message/message.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
let clock = new ManualClock()
let id = ""
let open: Agent[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "cairn-queue-"))
  clock = new ManualClock()
  id = uuidv7(clock.now())
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(script: ModelScript): Promise<Agent> {
  const agent = openAgent({ ledger: await createSession({ dataDir, id, clock }), clock, script })
  open.push(agent)
  await agent.settle()
  return agent
}

async function restart(agent: Agent, script: ModelScript): Promise<Agent> {
  await agent.engine.close()
  const next = openAgent({ ledger: await openSession({ dataDir, id, clock }), clock, script })
  open.push(next)
  await next.settle()
  return next
}

const waiting = (agent: Agent): string =>
  queueOf(agent.view(), 1)
    .map((item) => `${item.mode} ${textOf(item)}`)
    .join(", ")

const ask = async (agent: Agent, command: Command): Promise<unknown> => {
  const answer = await agent.engine.port.request(command)
  await agent.settle()
  return answer
}

const said = (text: string) => [{ type: "text", text }] as const

/** The first reply hangs until `stop`; two follow-ups wait behind it. */
async function withQueue(...replies: readonly { readonly text: string }[]): Promise<Agent> {
  const agent = await start([{ text: "…", hang: true }, ...replies])
  await agent.say("one")
  await agent.say("two", "followUp")
  await agent.say("three", "followUp")
  return agent
}

function submission(agent: Agent, text: string): number {
  return queueOf(agent.view(), 1).find((item) => textOf(item) === text)?.id ?? 0
}

test("a queued input is changed where it stands, and its change survives a restart", async () => {
  const first = await withQueue()
  expect(await ask(first, { type: "amend", submission: submission(first, "two"), content: said("2") })).toBeNull()
  expect(waiting(first)).toBe("followUp 2, followUp three")
  const second = await restart(first, [{ text: "a" }, { text: "b" }, { text: "c" }])
  await second.idle()
  expect(second.transcript().replaceAll(/attempt.*\n/g, "")).toBe(
    "user: one\nassistant: a\nuser: 2\nassistant: b\nuser: three\nassistant: c",
  )
})

test("a follow-up that becomes a steer joins the running work", async () => {
  const gate = Promise.withResolvers<void>()
  const agent = await start([{ text: "first", until: gate.promise }, { text: "with two" }, { text: "with three" }])
  await agent.say("one")
  await agent.say("two", "followUp")
  await agent.say("three", "followUp")
  await ask(agent, { type: "amend", submission: submission(agent, "three"), mode: "steer" })
  gate.resolve()
  await agent.idle()
  expect(agent.transcript()).toBe(
    "user: one\nassistant: first\nuser: three\nassistant: with two\nuser: two\nassistant: with three",
  )
})

test("what has been placed, taken back or emptied cannot be changed, and a sentence says so", async () => {
  const agent = await withQueue()
  const two = submission(agent, "two")
  await expect(ask(agent, { type: "amend", submission: two, content: said(" ") })).rejects.toThrow("empty")
  await ask(agent, { type: "withdraw", submission: two })
  const gone = "That input is not queued any more"
  await expect(ask(agent, { type: "amend", submission: two, content: said("2") })).rejects.toThrow(gone)
  await expect(ask(agent, { type: "amend", submission: 2, content: said("1") })).rejects.toThrow(gone)
  await expect(ask(agent, { type: "withdraw", submission: two })).rejects.toThrow(gone)
  expect(waiting(agent)).toBe("followUp three")
})

test("sent at once, all that waits joins the running work in its order", async () => {
  const gate = Promise.withResolvers<void>()
  const agent = await start([{ text: "first", until: gate.promise }, { text: "second" }, { text: "third" }])
  await agent.say("one")
  await agent.say("two", "followUp")
  await agent.say("three", "followUp")
  expect(await ask(agent, { type: "send", conversation: 1 })).toEqual({ sent: 2 })
  expect(waiting(agent)).toBe("steer two, steer three")
  gate.resolve()
  await agent.idle()
  expect(agent.transcript()).toBe(
    "user: one\nassistant: first\nuser: two\nassistant: second\nuser: three\nassistant: third",
  )
})

test("after a stop what waits stays in its order, and is sent as one run when the person says so (39)", async () => {
  const agent = await withQueue({ text: "both" })
  await agent.stop()
  await agent.idle()
  expect(waiting(agent)).toBe("followUp two, followUp three")
  expect(await ask(agent, { type: "send", conversation: 1 })).toEqual({ sent: 2 })
  await agent.idle()
  expect(agent.transcript()).toEndWith("user: two\nuser: three\nassistant: both")
  expect(await ask(agent, { type: "send", conversation: 1 })).toEqual({ sent: 0 })
})

test("a failed run says what still waits, once, also where it fails after a restart (39)", async () => {
  const refused = new ProviderError("auth", "http_401", "The key was refused.")
  const first = await withQueue()
  const second = await restart(first, [{ error: refused }, { text: "all" }])
  await second.idle()
  expect(second.transcript()).toEndWith(
    "| The key was refused.\nnotice: 2 inputs still wait: they go with your next one, or can be sent or taken back.",
  )
  await second.say("four")
  await second.idle()
  expect(second.transcript()).toEndWith("user: two\nuser: three\nuser: four\nassistant: all")
  expect(second.model.requests.at(-1)?.messages.map(({ role }) => role)).not.toContain("notice")
})

test("T21: an input that is taken back while a run is stopped is never placed", async () => {
  const agent = await withQueue({ text: "only three" })
  const stopping = agent.stop()
  await ask(agent, { type: "withdraw", submission: submission(agent, "two") })
  await stopping
  await agent.idle()
  await ask(agent, { type: "send", conversation: 1 })
  await agent.idle()
  expect(agent.transcript()).toEndWith("user: three\nassistant: only three")
  expect(agent.transcript()).not.toContain("user: two")
})
