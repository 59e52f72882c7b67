import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { defineTool, errorResult, textResult, type Effect, type Tool } from "../../src/tools/tool.ts"
import { queueOf, runOf } from "../../src/protocol/view.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
let clock = new ManualClock()
let id = ""
let open: Agent[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "cairn-restart-"))
  clock = new ManualClock()
  id = uuidv7(clock.now())
  open = []
})

afterEach(async () => {
  for (const agent of open) await agent.engine.close()
  rmSync(dataDir, { recursive: true, force: true })
})

type Given = { readonly script: ModelScript; readonly tools?: readonly Tool[]; readonly consent?: "now" | "ask" }

async function agentOn(ledger: Ledger, given: Given): Promise<Agent> {
  const agent = openAgent({ ledger, clock, ...given })
  open.push(agent)
  await agent.settle()
  return agent
}

const start = async (given: Given): Promise<Agent> => agentOn(await createSession({ dataDir, id, clock }), given)

/** Close without an outcome, as an end of the process does, and open again. */
async function restart(agent: Agent, given: Given): Promise<Agent> {
  await agent.engine.close()
  return agentOn(await openSession({ dataDir, id, clock }), given)
}

test("P3: a stream that was cut is kept as an attempt, and the same request is asked again to its end", async () => {
  const first = await start({ script: [{ text: "half an ans", hang: true }] })
  await first.say("hello")
  const second = await restart(first, { script: [{ text: "the whole answer" }] })
  await second.idle()
  expect(second.transcript()).toBe(
    "user: hello\nattempt (aborted): half an ans | cut off when its host ended\nassistant: the whole answer",
  )
  expect(second.model.api.encode(second.model.requests[0]!)).toEqual(first.model.api.encode(first.model.requests[0]!))
  expect(runOf(second.view(), 1)).toBeUndefined()
})

test("queued inputs keep their order over a restart", async () => {
  const first = await start({ script: [{ text: "…", hang: true }] })
  await first.say("one")
  await first.say("two", "followUp")
  await first.say("three", "followUp")
  const second = await restart(first, { script: [{ text: "1" }, { text: "2" }, { text: "3" }] })
  await second.idle()
  expect(second.transcript().replaceAll(/attempt.*\n/g, "")).toBe(
    "user: one\nassistant: 1\nuser: two\nassistant: 2\nuser: three\nassistant: 3",
  )
})

test("the wait for a retry goes on where it was", async () => {
  const busy = new ProviderError("retry", "http_529", "Overloaded.", { retryAfterMs: 10_000 })
  const first = await start({ script: [{ error: busy }] })
  await first.say("hello")
  await clock.advance(4_000)
  const second = await restart(first, { script: [{ text: "hi" }] })
  await clock.advance(5_999)
  expect(second.model.requests).toHaveLength(0)
  await clock.advance(1)
  await second.idle()
  expect(second.transcript()).toEndWith("assistant: hi")
})

test.each([-86_400_000, 86_400_000])(
  "T22: a restart in the wait for a retry, the clock %d ms off, waits no longer than it was to",
  async (jump) => {
    const busy = new ProviderError("retry", "http_529", "Overloaded.", { retryAfterMs: 10_000 })
    const first = await start({ script: [{ error: busy }] })
    await first.say("hello")
    await clock.advance(4_000)
    clock.jump(jump)
    const second = await restart(first, { script: [{ text: "hi" }] })
    if (jump < 0) {
      await clock.advance(5_000)
      expect(second.model.requests).toHaveLength(0)
    }
    await clock.advance(5_000)
    await second.idle()
    expect(second.transcript()).toEndWith("assistant: hi")
    expect(second.model.requests).toHaveLength(1)
  },
)

test.each([
  ["back", -86_400_000, 10_000],
  ["on", 86_400_000, 0],
])(
  "a clock that went a day %s while nobody was there: the wait for a retry is no longer than it was, and is told so",
  async (_, jump, left) => {
    const busy = new ProviderError("retry", "http_529", "Overloaded.", { retryAfterMs: 10_000 })
    const first = await start({ script: [{ error: busy }] })
    await first.say("hello")
    await clock.advance(4_000)
    clock.jump(jump)
    const second = await restart(first, { script: [{ text: "hi" }] })
    await second.settle()
    const told = [...second.view().tasks.values()].map(({ work }) => {
      const until = work.kind === "generation" ? (work.retry?.until ?? 0) : 0
      return Math.max(0, until - clock.now())
    })
    expect(told).toEqual([left])
    if (left > 0) await clock.advance(left - 1)
    expect(second.model.requests).toHaveLength(0)
    await clock.advance(1)
    await second.idle()
    expect(second.transcript()).toEndWith("assistant: hi")
  },
)

test("work that waits for consent does not move until somebody says so", async () => {
  const first = await start({ script: [{ text: "half", hang: true }] })
  await first.say("hello")
  const second = await restart(first, { script: [{ text: "whole" }], consent: "ask" })
  expect(second.model.requests).toHaveLength(0)
  expect(second.view().held).not.toBeNull()
  await second.engine.port.request({ type: "resume" })
  await second.idle()
  expect(second.transcript()).toEndWith("assistant: whole")
})

test("a stop that was asked for before the restart still stops", async () => {
  const first = await start({ script: [{ text: "half", hang: true }] })
  await first.say("hello")
  const stopping = first.engine.port.request({ type: "abort", conversation: 1 })
  await first.engine.close()
  await stopping
  const second = await agentOn(await openSession({ dataDir, id, clock }), { script: [{ text: "next" }] })
  await second.idle()
  expect(runOf(second.view(), 1)).toBeUndefined()
  expect(second.model.requests).toHaveLength(0)
  await second.say("go on")
  await second.idle()
  expect(second.transcript()).toEndWith("user: go on\nassistant: next")
})

/** A tool that ends when its host does and not before, and counts how often its effect began. */
function stuck(effect: Effect, runs: { count: number }, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name: "act",
      description: "acts",
      parameters: Type.Object({}),
      version: 1,
      effect,
      title: () => "act",
      async execute(_args, _intent, { signal }) {
        runs.count++
        if (runs.count > 1) return textResult("ran again")
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
        return errorResult("its host has ended")
      },
    }),
    ...more,
  }
}

async function cutInCall(tool: Tool): Promise<Agent> {
  const first = await start({ tools: [tool], script: [{ calls: [{ id: "a", name: "act" }] }] })
  await first.say("go")
  const second = await restart(first, { tools: [tool], script: [{ text: "on" }] })
  await second.idle()
  return second
}

test("P6: a marked call of an unsafe tool never runs again: the model is told that the outcome is unknown", async () => {
  const runs = { count: 0 }
  const agent = await cutInCall(stuck("unsafe", runs))
  expect(runs.count).toBe(1)
  expect(agent.transcript()).toContain("act (unknown): The outcome of this call is unknown")
  expect(agent.transcript()).toEndWith("assistant: on")
})

test("T08: what a call had put out before its host ended is told with its unknown outcome", async () => {
  const cut = stuck("unsafe", { count: 0 })
  const told: Tool = {
    ...cut,
    execute: (args, intent, context) => {
      context.progress("half of it\n")
      return cut.execute(args, intent, context)
    },
  }
  const agent = await cutInCall(told)
  expect(agent.transcript()).toContain("act (unknown): The outcome of this call is unknown")
  expect(agent.transcript()).toContain("half of it")
})

test("P6: a marked call of a pure or keyed tool runs again", async () => {
  for (const effect of ["pure", "keyed"] as const) {
    const runs = { count: 0 }
    const agent = await cutInCall(stuck(effect, runs))
    expect(runs.count).toBe(2)
    expect(agent.transcript()).toContain("act (done): ran again")
    await agent.engine.close()
    id = uuidv7(clock.now() + 1)
  }
})

test("P6: a marked call of a reconcile tool is told by the world", async () => {
  const truths = [
    {
      truth: { status: "done", result: textResult("it had happened") },
      line: "act (reconciled): it had happened",
      runs: 1,
    },
    { truth: { status: "not started" }, line: "act (done): ran again", runs: 2 },
    { truth: { status: "unknown", result: errorResult("two hashes") }, line: "act (unknown): two hashes", runs: 1 },
  ] as const
  for (const { truth, line, runs: expected } of truths) {
    const runs = { count: 0 }
    const agent = await cutInCall(stuck("reconcile", runs, { reconcile: async () => truth }))
    expect(agent.transcript()).toContain(line)
    expect(runs.count).toBe(expected)
    await agent.engine.close()
    id = uuidv7(clock.now() + expected + line.length)
  }
})

test("a tool that has become unsafe vetoes the class that was stored", async () => {
  const runs = { count: 0 }
  const first = await start({ tools: [stuck("pure", runs)], script: [{ calls: [{ id: "a", name: "act" }] }] })
  await first.say("go")
  const second = await restart(first, { tools: [stuck("unsafe", runs)], script: [{ text: "on" }] })
  await second.idle()
  expect(second.transcript()).toContain("act (unknown)")
  expect(runs.count).toBe(1)
})

test("a marked call whose tool is gone is of unknown outcome, and the run goes on", async () => {
  const runs = { count: 0 }
  const first = await start({ tools: [stuck("unsafe", runs)], script: [{ calls: [{ id: "a", name: "act" }] }] })
  await first.say("go")
  const second = await restart(first, { script: [{ text: "on" }] })
  await second.idle()
  expect(second.transcript()).toContain("act (unknown): The outcome of this call is unknown")
  expect(second.transcript()).toEndWith("assistant: on")
})

test("what a client sees after a restart is what it saw before", async () => {
  const first = await start({ script: [{ text: "hi" }] })
  await first.say("hello")
  const before = first.transcript()
  const second = await restart(first, { script: [] })
  expect(second.transcript()).toBe(before)
  expect(queueOf(second.view(), 1)).toEqual([])
})

test("a session that is asked again with the same request id after a lost answer admits it once", async () => {
  const first = await start({ script: [{ text: "hi" }] })
  await first.say("hello", "steer", "r1")
  const second = await restart(first, { script: [{ text: "never" }] })
  await second.say("hello", "steer", "r1")
  expect(second.transcript()).toBe("user: hello\nassistant: hi")
  expect(second.model.requests).toHaveLength(0)
})
