/** What watchers are told while storage refuses or answers late: never more than is stored. */
import { afterEach, expect, test } from "bun:test"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { Rejected, type Batch } from "../../src/ledger/storage.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { applyFrame, emptyView, queueOf, type View } from "../../src/protocol/view.ts"
import { openAgent, type Agent, type ModelScript } from "../support/agent.ts"
import { ledgerOn, writing } from "../support/ledger-backends.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"

const open: Agent[] = []

afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close().catch(() => undefined)
})

/** An agent whose disk takes no batch of which `full` says so. */
async function agentOn(full: (batch: Batch) => boolean, script: ModelScript): Promise<Agent> {
  const clock = new ManualClock()
  const storage = new MemoryStorage()
  const write = (batch: Batch): void => {
    if (full(batch)) throw new Rejected("disk full")
    storage.write(batch)
  }
  const agent = openAgent({ ledger: await ledgerOn(writing(storage, write), clock), clock, script })
  open.push(agent)
  await agent.settle()
  return agent
}

/** What a client that comes now is shown. */
async function newcomer(agent: Agent): Promise<View> {
  let view = emptyView
  const leave = agent.engine.port.watch((frame) => (view = applyFrame(view, frame)))
  await settle()
  leave()
  return view
}

test("a client that comes while the disk is full sees what is stored, and nothing that waits", async () => {
  let full = false
  const agent = await agentOn(() => full, [{ text: "hi", hang: true }])
  await agent.say("hello")
  full = true
  const content = [{ type: "text" as const, text: "more" }]
  const answer = agent.engine.port.request({ type: "submit", conversation: 1, requestId: "r", content, mode: "steer" })
  await settle()
  const during = await newcomer(agent)
  expect(queueOf(during, 1)).toEqual([])
  expect(during.health.state).toBe("waiting")
  full = false
  await agent.clock.advance(1_000)
  await answer
  expect(queueOf(await newcomer(agent), 1)).toHaveLength(1)
})

test("progress of an attempt is told after the commit that begins it, however late that is stored", async () => {
  let full = true
  const asks = ({ changes }: Batch): boolean =>
    changes.some((change) => change.type === "task" && change.task.phase === "request")
  const agent = await agentOn((batch) => full && asks(batch), [{ text: "streamed", hang: true }])
  await agent.say("hello")
  expect(agent.frames.some(({ type }) => type === "progress")).toBe(false)
  full = false
  await agent.clock.advance(1_000)
  const views = agent.frames.map((_, n) => agent.frames.slice(0, n).reduce(applyFrame, emptyView))
  const known = agent.frames.flatMap((frame, n) =>
    frame.type === "progress" ? [views[n]?.tasks.get(frame.task)?.attempt === frame.attempt] : [],
  )
  expect(known).not.toEqual([])
  expect(known).not.toContain(false)
})

test("the end of work is told behind the commit that ends it", async () => {
  let full = false
  let release = (): void => undefined
  const until = new Promise<void>((resolve) => (release = resolve))
  const agent = await agentOn(() => full, [{ text: "hi", until }])
  await agent.say("hello")
  full = true
  release()
  await settle()
  expect(agent.frames.some(({ type }) => type === "settled")).toBe(false)
  full = false
  await agent.clock.advance(1_000)
  expect(agent.frames.filter(({ type }) => type === "commit" || type === "settled").at(-1)?.type).toBe("settled")
  expect(agent.frames.filter(({ type }) => type === "settled")).toHaveLength(1)
})

test("a client that comes back where it left is told that the work has ended meanwhile", async () => {
  let release = (): void => undefined
  const until = new Promise<void>((resolve) => (release = resolve))
  const agent = await agentOn(() => false, [{ text: "hi", until }])
  await agent.say("hello")
  const { epoch, seq } = agent.view()
  release()
  await agent.idle()
  const told: string[] = []
  agent.engine.port.watch(({ type }) => told.push(type), { epoch, seq })
  expect(told.at(0)).toBe("commit")
  expect(told.at(-1)).toBe("settled")
  agent.engine.port.watch(({ type }) => told.push(type), { epoch, seq: agent.view().seq })
  expect(told.filter((type) => type === "settled")).toHaveLength(1)
})

test("another choice of a model is seen in the turn that will ask it, by old and new clients alike", async () => {
  const clock = new ManualClock()
  let id = "model"
  const busy = new ProviderError("retry", "busy", "Busy.")
  const ledger = await ledgerOn(new MemoryStorage(), clock)
  const agent = openAgent({ ledger, clock, script: [{ error: busy }], modelFields: () => ({ id }) })
  open.push(agent)
  await agent.say("hello")
  id = "other"
  await agent.engine.port.request({ type: "configure", conversation: 1, model: "test/other" })
  const works = ({ tasks }: View): unknown => [...tasks.values()].map(({ work }) => work)
  expect(works(agent.view())).toMatchObject([{ kind: "generation", phase: "retry", model: "test/other" }])
  expect(works(await newcomer(agent))).toEqual(works(agent.view()))
})
