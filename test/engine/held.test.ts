import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { heldState, restartsMax } from "../../src/engine/held.ts"
import { createSession, memorySession, openSession } from "../../src/ledger/open.ts"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { begin } from "../../src/ledger/session.ts"
import { Rejected, Unknown, type Batch } from "../../src/ledger/storage.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import type { Task } from "../../src/ledger/records.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { defineTool, textResult, type Tool } from "../../src/tools/tool.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
let clock = new ManualClock()
let open: Agent[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "cairn-held-"))
  clock = new ManualClock()
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close().catch(() => undefined)
  rmSync(dataDir, { recursive: true, force: true })
})

async function agentOn(ledger: Ledger, script: ModelScript = [], tools: readonly Tool[] = []): Promise<Agent> {
  const agent = openAgent({ ledger, clock, script, tools })
  open.push(agent)
  await agent.settle()
  return agent
}

const live: Task = {
  id: 3,
  conversation: 1,
  kind: "generation",
  version: 1,
  input: {},
  owner: null,
  background: false,
  status: "pending",
  phase: "prepare",
  checkpoint: {},
  facts: {},
  abort: null,
  attempt: 1,
  restarts: 0,
  startedAt: 7,
  endedAt: null,
  outcome: null,
}

test("P8: work waits for a person where its hosts have died at it in a row, where it is of newer code, and before consent", () => {
  expect(heldState([], true)).toBeNull()
  expect(heldState([live], false)).toBeNull()
  expect(heldState([live], true)).toMatchObject({ because: "old", since: 7 })
  expect(heldState([{ ...live, restarts: restartsMax }], false)).toMatchObject({ because: "crashes" })
  expect(heldState([{ ...live, restarts: restartsMax, abort: { reason: "stopped" } }], false)).toBeNull()
  expect(heldState([{ ...live, version: 99 }], false)).toMatchObject({ because: "code" })
  expect(heldState([{ ...live, kind: "dream" }], false)).toMatchObject({ because: "code" })
})

test("P8, T20: a step that was set aside is told to whoever watches, and a resume gives it another chance", async () => {
  const id = uuidv7(clock.now())
  const first = await agentOn(await createSession({ dataDir, id, clock }), [{ text: "half", hang: true }])
  await first.say("hello")
  first.ledger.commit("flushed", (tx) => {
    for (const task of [...tx.live.tasks.values()]) tx.setTask(task.id, { status: "pending", restarts: restartsMax })
  })
  await first.engine.close()
  const second = await agentOn(await openSession({ dataDir, id, clock }), [{ text: "whole" }])
  await second.settle()
  expect(second.view().held).toMatchObject({ because: "crashes" })
  expect(second.model.requests).toEqual([])
  await second.engine.port.request({ type: "resume" })
  await second.idle()
  expect(second.transcript()).toEndWith("assistant: whole")
})

test("row 30, T35: work whose code is not here waits, keeps its session busy, and ends when somebody stops it", async () => {
  const id = uuidv7(clock.now())
  const first = await agentOn(await createSession({ dataDir, id, clock }), [{ text: "half", hang: true }])
  await first.say("hello")
  first.ledger.commit("flushed", (tx) => {
    for (const task of [...tx.live.tasks.values()]) tx.setTask(task.id, { version: 99 })
    tx.addTask({ conversation: 1, kind: "dream", version: 1, input: {}, phase: "asleep", checkpoint: {} })
  })
  await first.engine.close()
  const second = await agentOn(await openSession({ dataDir, id, clock }), [{ text: "on" }])
  expect(second.engine.busy()).toBe(true)
  expect(second.model.requests).toEqual([])
  await second.stop()
  await second.idle()
  expect(second.transcript().match(/does not have the code of this step/g)).toHaveLength(2)
  await second.say("go on")
  await second.idle()
  expect(second.transcript()).toEndWith("user: go on\nassistant: on")
})

test("the end of work that is no run is told as well", async () => {
  const agent = await agentOn(await memorySession({ clock }), [{ text: "hi" }])
  await agent.say("hello")
  const before = agent.frames.filter((frame) => frame.type === "settled").length
  await agent.engine.port.request({ type: "compact", conversation: 1 })
  await agent.idle()
  expect(agent.frames.at(-1)).toEqual({ type: "settled", aborted: false })
  expect(agent.frames.filter((frame) => frame.type === "settled").length).toBe(before + 1)
})

/** Storage that fails when it is told to. */
class Failing extends MemoryStorage {
  failure: Error | null = null
  override write(batch: Batch): void {
    if (this.failure !== null) throw this.failure
    super.write(batch)
  }
}

const around = (): Parameters<typeof begin>[1] => ({
  id: uuidv7(clock.now()),
  clock,
  setSocket: () => undefined,
  release: () => undefined,
})

test("a disk that takes nothing keeps no host from closing, and the close says what was lost", async () => {
  const storage = new Failing()
  const gate = Promise.withResolvers<void>()
  const agent = await agentOn(await begin(storage, around()), [{ text: "hi", until: gate.promise }])
  await agent.say("hello")
  storage.failure = new Rejected("the disk is full")
  gate.resolve()
  await agent.settle()
  expect(agent.view().health).toMatchObject({ state: "waiting", reason: "the disk is full" })
  await expect(agent.engine.close()).rejects.toThrow("the disk is full")
  expect(agent.frames.at(-1)).toMatchObject({ type: "lost" })
})

test("a commit whose fate is unknown ends the watch with a sentence, and nothing is thrown where nobody catches", async () => {
  const storage = new Failing()
  const gate = Promise.withResolvers<void>()
  const agent = await agentOn(await begin(storage, around()), [{ text: "hi", until: gate.promise }])
  await agent.say("hello")
  storage.failure = new Unknown("disk I/O error")
  gate.resolve()
  await agent.settle()
  expect(agent.frames.at(-1)).toMatchObject({ type: "lost", reason: expect.stringContaining("disk I/O error") })
  expect(agent.reports).toEqual([])
})

test("a call whose mark has an unknown fate is not told as a bug of its tool", async () => {
  const storage = new Failing()
  const tool = defineTool({
    name: "act",
    description: "acts",
    parameters: Type.Object({}),
    version: 1,
    effect: "unsafe",
    title: () => "act",
    async prepare() {
      storage.failure = new Unknown("disk I/O error")
      return { ok: true, intent: {} }
    },
    execute: async () => textResult("acted"),
  })
  const agent = await agentOn(await begin(storage, around()), [{ calls: [{ id: "a", name: "act" }] }], [tool])
  await agent.say("go")
  expect(agent.frames.at(-1)).toMatchObject({ type: "lost" })
  expect(agent.reports).toEqual([])
})

test("a commit whose fate is unknown ends the watch also where nothing runs", async () => {
  const storage = new Failing()
  const agent = await agentOn(await begin(storage, around()), [])
  storage.failure = new Unknown("disk I/O error")
  await expect(agent.engine.port.request({ type: "title", title: "a name" })).rejects.toThrow("disk I/O error")
  await agent.settle()
  const ends = agent.frames.filter((frame) => frame.type === "lost")
  expect(ends.map(({ reason }) => reason)).toEqual([expect.stringContaining("Open it again to go on.")])
})
