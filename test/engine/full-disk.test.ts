/**
 * A disk that refuses the n-th write, for every n, under an engine at work: nothing that was acknowledged is lost, no effect comes before its mark,
 * and the work goes on by itself once the disk takes writes again.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import { createSession } from "../../src/ledger/open.ts"
import { Rejected, type Batch, type Storage } from "../../src/ledger/storage.ts"
import type { Spools } from "../../src/ledger/spool.ts"
import { defineTool, textResult, type Effect, type Tool } from "../../src/tools/tool.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ledgerOn, scratch, writing } from "../support/ledger-backends.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"

/** What the tools did to the world, and how many writes had been refused by then. */
type World = { readonly deeds: string[]; readonly marked: Set<string> }

function doing(name: string, effect: Effect, world: World): Tool {
  return defineTool({
    name,
    version: 1,
    description: "",
    parameters: Type.Object({}),
    effect,
    title: () => name,
    async execute(_args, _intent, context) {
      world.deeds.push(world.marked.has(context.key.split(":")[1] ?? "") ? name : `${name} before its mark`)
      context.progress(`${name} did it\n`)
      return textResult(`${name} done`)
    },
    ...(effect === "reconcile" ? { reconcile: async () => ({ status: "not started" as const }) } : {}),
  }) as Tool
}

const script: ModelScript = (request) => {
  const results = request.messages.filter(({ role }) => role === "toolResult").length
  if (results === 0)
    return {
      text: "first",
      calls: [
        { id: "a", name: "look" },
        { id: "b", name: "change" },
      ],
    }
  if (results === 2) return { text: "then", calls: [{ id: "c", name: "run" }] }
  return { text: "all is done" }
}

type Fault = { readonly refuses: (batch: Batch, n: number) => boolean; readonly appends: (n: number) => boolean }

/** Spools whose n-th append the disk refuses. */
function failingSpools(spools: Spools, appends: (n: number) => boolean): Spools {
  let n = 0
  return new Proxy(spools, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (name !== "open") return typeof value === "function" ? (value.bind(target) as unknown) : value
      return (...where: Parameters<Spools["open"]>) => {
        const spool = target.open(...where)
        const append = (text: string): number => {
          n += 1
          if (appends(n)) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
          return spool.append(text)
        }
        return {
          task: spool.task,
          attempt: spool.attempt,
          append,
          close: () => spool.close(),
          get size() {
            return spool.size
          },
        }
      }
    },
  })
}

async function working(
  fault: Fault,
): Promise<{ agent: Agent; clock: ManualClock; world: World; writes: () => number }> {
  const clock = new ManualClock()
  const world: World = { deeds: [], marked: new Set() }
  const memory = new MemoryStorage()
  let n = 0
  const refusing = writing(memory, (batch) => {
    n += 1
    if (fault.refuses(batch, n)) throw new Rejected("database or disk is full")
    memory.write(batch)
    for (const change of batch.changes) {
      if (change.type === "task" && change.task.checkpoint["dispatched"] === true)
        world.marked.add(String(change.task.id))
    }
  })
  const storage: Storage = {
    ...refusing,
    spools: async (epoch, live) =>
      failingSpools(await memory.spools(), fault.appends) as Spools & typeof epoch & typeof live,
  }
  const tools = [doing("look", "pure", world), doing("change", "reconcile", world), doing("run", "unsafe", world)]
  const agent = openAgent({ ledger: await ledgerOn(storage, clock), clock, script, tools })
  return { agent, clock, world, writes: () => n }
}

const never: Fault = { refuses: () => false, appends: () => false }

test("T12: whichever write the disk refuses, and however often, the run ends as if it had not", async () => {
  const calm = await working(never)
  await calm.agent.say("go")
  await calm.agent.idle()
  const transcript = calm.agent.transcript()
  const count = calm.writes()
  expect(transcript).toEndWith("assistant: all is done")
  expect(calm.world.deeds.toSorted()).toEqual(["change", "look", "run"])
  await calm.agent.engine.close()
  expect(count).toBeGreaterThan(12)

  for (let nth = 3; nth <= count; nth++) {
    for (const times of [1, 3]) {
      let refusals = times
      const refuses = (_batch: Batch, n: number): boolean => n >= nth && refusals-- > 0
      const { agent, clock, world } = await working({ ...never, refuses })
      const input = agent.say("go")
      // 250 ms, then twice as long each time.
      for (let tries = 0; tries <= times; tries++) await clock.advance(250 * 2 ** tries)
      await input
      await agent.idle()
      expect({ nth, transcript: agent.transcript() }).toEqual({ nth, transcript })
      expect({ nth, deeds: world.deeds.toSorted() }).toEqual({ nth, deeds: ["change", "look", "run"] })
      expect(agent.reports).toEqual([])
      expect(agent.view().health.state).toBe("ok")
      await agent.engine.close()
    }
  }
})

test("T11: while a write waits for the disk no later one is shown, and no effect begins", async () => {
  let full = false
  const { agent, clock, world } = await working({ ...never, refuses: () => full })
  full = true
  const input = agent.say("go")
  await settle()
  expect(agent.view().entries).toEqual([])
  expect(agent.view().health).toMatchObject({ state: "waiting", reason: "database or disk is full" })
  await clock.advance(600_000)
  expect(world.deeds).toEqual([])
  full = false
  await clock.advance(30_000)
  await input
  await agent.idle()
  expect(agent.transcript()).toEndWith("assistant: all is done")
  await agent.engine.close()
})

test("P3: whichever append of a stream the disk refuses, what was said is whole once its entry is stored", async () => {
  const calm = await working(never)
  await calm.agent.say("go")
  await calm.agent.idle()
  const transcript = calm.agent.transcript()
  await calm.agent.engine.close()
  for (let nth = 1; nth <= 10; nth++) {
    for (const sticky of [false, true]) {
      const { agent, world } = await working({ ...never, appends: (n) => (sticky ? n >= nth : n === nth) })
      await agent.say("go")
      await agent.idle()
      expect(agent.transcript()).toBe(transcript)
      expect(world.deeds.toSorted()).toEqual(["change", "look", "run"])
      await agent.engine.close()
    }
  }
})

test("T11: another program that holds the file for ten seconds costs ten seconds, and nothing else", async () => {
  const { dataDir, remove } = scratch()
  const clock = new ManualClock()
  const id = uuidv7(clock.now())
  const paths = sessionPaths(dataDir, id)
  const held = Promise.withResolvers<void>()
  const holding: { child: { readonly stdin: { end(): unknown }; readonly exited: Promise<number> } | null } = {
    child: null,
  }
  const holder = defineTool({
    name: "hold",
    version: 1,
    description: "",
    parameters: Type.Object({}),
    effect: "pure",
    title: () => "hold",
    async execute() {
      const fixture = join(import.meta.dir, "..", "ledger", "busy.fixture.ts")
      const child = Bun.spawn([process.execPath, fixture, paths.db], { stdin: "pipe", stdout: "pipe" })
      holding.child = child
      await child.stdout.getReader().read()
      held.resolve()
      return textResult("held")
    },
  }) as Tool
  const ledger = await createSession({ dataDir, id, clock })
  const turns: ModelScript = (request) =>
    request.messages.length === 1 ? { calls: [{ id: "h", name: "hold" }] } : { text: "all is done" }
  const agent = openAgent({ ledger, clock, script: turns, tools: [holder] })
  const input = agent.say("go")
  await held.promise
  await clock.advance(1_000)
  expect(agent.view().health).toMatchObject({ state: "waiting", reason: expect.stringContaining("locked") as string })
  expect(agent.transcript()).toBe("user: go\nassistant: [hold h]")
  await clock.advance(9_000)
  holding.child?.stdin.end()
  await holding.child?.exited
  await clock.advance(30_000)
  await input
  await agent.idle()
  expect(agent.transcript()).toBe("user: go\nassistant: [hold h]\nhold (done): held\nassistant: all is done")
  expect(await ledger.verify(true)).toEqual([])
  await agent.engine.close()
  remove()
})
