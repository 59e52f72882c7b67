import { afterEach, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { readDocument } from "../../src/engine/documents.ts"
import { rootConversation } from "../../src/engine/engine.ts"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { memorySession } from "../../src/ledger/open.ts"
import type { Usage } from "../../src/message/usage.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { defineTool, textResult } from "../../src/tools/tool.ts"
import { eventually } from "../support/eventually.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const open: Agent[] = []
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

/** A response that cost so many dollars. */
function costs(total: number): Usage {
  const cost = { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total }
  return { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost }
}

const look = defineTool({
  name: "look",
  description: "look",
  parameters: Type.Object({}),
  version: 1,
  effect: "pure",
  title: () => "look",
  execute: async () => textResult("seen"),
})

/** Ten calls at 40 cents each, then an answer. */
const script: ModelScript = (request, n) => {
  const calls = request.messages.filter(({ role }) => role === "toolResult").length
  return calls < 10
    ? { calls: [{ id: `call_${n}`, name: "look" }], usage: costs(0.4) }
    : { text: "done", usage: costs(0.4) }
}

async function agentWith(costPerRun: number | undefined, storage?: MemoryStorage): Promise<Agent> {
  const clock = new ManualClock()
  const ledger = await memorySession({ clock, ...(storage === undefined ? {} : { storage }) })
  const agent = openAgent({ ledger, clock, script, tools: [look], settings: { costPerRun } })
  open.push(agent)
  await agent.settle()
  return agent
}

const works = (agent: Agent): readonly object[] => [...agent.view().tasks.values()].map(({ work }) => work)

async function waits(agent: Agent, requests: number): Promise<void> {
  await eventually(
    () => agent.model.requests.length === requests && works(agent).some((work) => "limit" in work),
    () => `${agent.model.requests.length} requests, ${JSON.stringify(works(agent))}`,
  )
}

test("a run that has cost as much as it may waits before its next request, and says so; let go, it may cost as much again", async () => {
  const agent = await agentWith(1)
  await agent.say("go")
  await waits(agent, 3)
  expect(works(agent)).toMatchObject([{ kind: "generation", phase: "limit", limit: { of: 1 } }])
  expect(agent.transcript()).toEndWith(
    "notice: This run has cost $1.20, and limits.costPerRun is $1.00: it goes on when you let it.",
  )
  expect(agent.engine.busy()).toBe(true)
  await agent.engine.port.request({ type: "retryNow", conversation: rootConversation })
  await waits(agent, 6)
  await agent.engine.port.request({ type: "retryNow", conversation: rootConversation })
  await waits(agent, 9)
  await agent.engine.port.request({ type: "retryNow", conversation: rootConversation })
  await agent.idle()
  expect(agent.transcript()).toEndWith("assistant: done")
})

test("a run that waits at its limit can be stopped, and the next one begins at nothing", async () => {
  const agent = await agentWith(1)
  await agent.say("go")
  await waits(agent, 3)
  await agent.stop()
  await agent.idle()
  expect(agent.transcript()).toContain("attempt (aborted):  | stopped by you")
  await agent.say("again")
  await waits(agent, 6)
})

test("without a limit nothing waits, and what costs are unknown does not count", async () => {
  const agent = await agentWith(undefined)
  await agent.say("go")
  await agent.idle()
  expect(agent.model.requests.length).toBe(11)
})

test("what failed and what was stopped is in the totals, by model, and says that it is an estimate", async () => {
  const clock = new ManualClock()
  const words = "x".repeat(400)
  const agent = openAgent({
    ledger: await memorySession({ clock }),
    clock,
    script: [
      { text: words, error: new ProviderError("fatal", "http_400", "No.") },
      { text: words, hang: true },
      { text: "done", usage: costs(0.4) },
    ],
    modelFields: () => ({ cost: { input: 0, output: 1_000, cacheRead: 0, cacheWrite: 0 } }),
  })
  open.push(agent)
  await agent.say("fails")
  await agent.say("hangs")
  await agent.stop()
  await agent.say("works")
  await agent.idle()
  const usage = readDocument(agent.ledger.live, rootConversation, "usage")
  expect(usage?.total.cost?.total).toBeCloseTo(0.1 + 0.1 + 0.4)
  expect(usage?.total.estimated).toBe(true)
  expect(usage?.models["test/model"]).toEqual(usage?.total)
})
