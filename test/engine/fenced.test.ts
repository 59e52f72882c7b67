/**
 * An owner that lost its session without noticing (its lock was deleted under it): it wakes, and is kept out of commits, effects and files, while
 * the one that came after it finishes the work.
 */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { brokenInvariants } from "../../src/engine/invariants.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { readWhole } from "../../src/ledger/peek.ts"
import { defineTool, textResult, type Effect, type Tool } from "../../src/tools/tool.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { eventually } from "../support/eventually.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"

let world = scratch()
let clock = new ManualClock()
let id = ""
let open: Agent[] = []

beforeEach(() => {
  world = scratch()
  clock = new ManualClock()
  id = uuidv7(clock.now())
  open = []
})
afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  world.remove()
})

async function start(script: ModelScript, tools: readonly Tool[], again = false): Promise<Agent> {
  const place = { dataDir: world.dataDir, id, clock }
  const ledger = again ? await openSession(place) : await createSession(place)
  const agent = openAgent({ ledger, clock, script, tools })
  open.push(agent)
  return agent
}

/** The next owner: somebody removed the lock file, so nothing stands in its way. */
async function overtake(script: ModelScript, tools: readonly Tool[]): Promise<Agent> {
  rmSync(sessionPaths(world.dataDir, id).lock)
  return start(script, tools, true)
}

async function sound(): Promise<void> {
  for (const agent of open) await agent.engine.close()
  const whole = readWhole({ dataDir: world.dataDir, id })
  expect(whole.state === "ok" ? brokenInvariants(whole.records) : whole.note).toEqual([])
  const ledger = await openSession({ dataDir: world.dataDir, id, clock })
  expect(await ledger.verify(true)).toEqual([])
  await ledger.close()
}

/** Writes its owner's name into a file; `ready` holds it up before the mark, `go` after. */
function writer(name: string, effect: Effect, ready: Promise<void>, go: Promise<void> = Promise.resolve()): Tool {
  return defineTool({
    name: "mark",
    version: 1,
    description: "",
    parameters: Type.Object({}),
    effect,
    title: () => "mark",
    async prepare() {
      await ready
      return { ok: true, intent: {} }
    },
    async execute() {
      writeFileSync(join(world.dataDir, "effect"), `${name}\n`, { flag: "a" })
      await go
      return textResult(`marked by ${name}`)
    },
  }) as Tool
}

const effects = (): string => {
  const path = join(world.dataDir, "effect")
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}
const lost = (agent: Agent): boolean => agent.view().lost !== null
const at: ModelScript = (request) =>
  request.messages.length === 1 ? { calls: [{ id: "a", name: "mark" }] } : { text: "done" }

test("P4, T16: a stale owner that was about to start an effect starts none", async () => {
  const gate = Promise.withResolvers<void>()
  const first = await start(at, [writer("first", "unsafe", gate.promise)])
  await first.say("go")
  await eventually(
    () => [...first.ledger.live.tasks.values()].some(({ kind, status }) => kind === "toolCall" && status === "running"),
    () => "the call is prepared",
  )
  const second = await overtake(at, [writer("second", "unsafe", Promise.resolve())])
  await second.idle()
  gate.resolve()
  await eventually(
    () => lost(first),
    () => "the first owner hears that it is one no more",
  )
  expect(first.view().lost).toContain("This session was taken over")
  expect(effects()).toBe("second\n")
  expect(second.transcript()).toBe("user: go\nassistant: [mark a]\nmark (done): marked by second\nassistant: done")
  await sound()
})

test("P4, T16: what a stale owner's effect gave is stored nowhere: the outcome is unknown to the one that came after", async () => {
  const gate = Promise.withResolvers<void>()
  const first = await start(at, [writer("first", "unsafe", Promise.resolve(), gate.promise)])
  await first.say("go")
  await eventually(
    () => effects() === "first\n",
    () => "the effect has begun",
  )
  const second = await overtake(at, [writer("second", "unsafe", Promise.resolve())])
  await second.idle()
  gate.resolve()
  await eventually(
    () => lost(first),
    () => "the first owner hears that it is one no more",
  )
  expect(effects()).toBe("first\n")
  expect(second.transcript()).toContain("mark (unknown)")
  expect(second.transcript()).not.toContain("marked by first")
  await sound()
})

test("P4: a stale owner's stream goes into a file of its own epoch, and its answer nowhere", async () => {
  const gate = Promise.withResolvers<void>()
  const first = await start([{ text: "the first answer", until: gate.promise }], [])
  await first.say("go")
  const second = await overtake([{ text: "the second answer" }], [])
  await second.idle()
  gate.resolve()
  await eventually(
    () => lost(first),
    () => "the first owner hears that it is one no more",
  )
  const content = [{ type: "text", text: "more" }] as const
  const submit = { type: "submit", conversation: 1, requestId: "r", content, mode: "steer" } as const
  await expect(first.engine.port.request(submit)).rejects.toThrow()
  await settle()
  expect(second.transcript()).toContain("assistant: the second answer")
  expect(second.transcript()).not.toContain("assistant: the first answer")
  await second.say("and on")
  await second.idle()
  expect(second.transcript()).toEndWith("assistant: done")
  await sound()
})
