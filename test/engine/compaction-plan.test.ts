/** When a conversation is compacted by itself, on any window, and what is done where that fails. */
import { afterEach, expect, test } from "bun:test"
import { planOf } from "../../src/engine/compaction-plan.ts"
import { roomOf } from "../../src/engine/cut.ts"
import { summarySystem } from "../../src/engine/summary.ts"
import { memorySession } from "../../src/ledger/open.ts"
import { textOf } from "../../src/message/message.ts"
import { ProviderError, type ModelRequest } from "../../src/providers/provider.ts"
import type { Model } from "../../src/providers/model.ts"
import { openAgent, type Agent, type Reply } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const open: Agent[] = []
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

const isSummary = (request: ModelRequest): boolean => request.system === summarySystem

async function agentWith(window: number | undefined, reply: (request: ModelRequest) => Reply): Promise<Agent> {
  const clock = new ManualClock()
  const settings = {
    compaction: { enabled: true },
    retry: { enabled: false, maxRetries: 0, baseDelayMs: 1, maxAgentDelayMs: 1 },
  }
  const modelFields = (): Partial<Model> => ({ contextWindow: window })
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script: reply, settings, modelFields })
  open.push(agent)
  await agent.settle()
  return agent
}

/** About a thousand tokens. */
const thousand = "word ".repeat(800)
const summaries = (agent: Agent): number => agent.model.requests.filter(isSummary).length
const placed = (agent: Agent): number => agent.view().entries.filter(({ data }) => data.kind === "compaction").length

test.each([
  ["8k", 8_000, 4_800, 6_000],
  ["32k", 32_000, 19_200, 24_000],
  ["128k", 128_000, 92_416, 111_616],
  ["200k", 200_000, 153_616, 183_616],
  ["a million", 1_000_000, 950_848, 983_616],
])(
  "on a window of %s a summary is begun behind the work, and before the next request when it is full",
  (_, window, near, full) => {
    const room = roomOf(window, {})
    const plan = (size: number) => planOf(size, room, Infinity, 0)
    expect([plan(near), plan(near + 1), plan(full), plan(full + 1)]).toEqual(["none", "behind", "behind", "first"])
  },
)

test("after a compaction there is none until a tenth of the window is new, and after two failures none by itself", () => {
  const room = roomOf(8_000, {})
  expect([planOf(7_900, room, 799, 0), planOf(7_900, room, 800, 0)]).toEqual(["none", "first"])
  expect([planOf(5_000, room, 799, 0), planOf(5_000, room, 800, 0)]).toEqual(["none", "behind"])
  expect([planOf(7_900, room, 800, 1), planOf(7_900, room, 800, 2)]).toEqual(["first", "stop"])
  expect([planOf(5_000, room, 800, 1), planOf(5_000, room, 800, 2)]).toEqual(["behind", "none"])
})

test.each([
  ["8k", 8_000],
  ["32k", 32_000],
])("a conversation goes on without end in a window of %s, and no request is larger than that", async (_, window) => {
  const agent = await agentWith(window, (request) =>
    isSummary(request) ? { text: "## Goal\nmend it" } : { text: "done" },
  )
  const turns = Math.ceil((window / 1_000) * 3)
  for (let n = 0; n < turns; n++) await agent.say(`${n} ${thousand}`)
  await agent.settle()
  expect(placed(agent)).toBeGreaterThan(2)
  expect(placed(agent)).toBe(summaries(agent))
  // A tenth of the window at least has come between two of them.
  expect(summaries(agent)).toBeLessThan(turns)
  const sizes = agent.model.requests
    .filter((request) => !isSummary(request))
    .map(({ messages }) => messages.map(textOf).join("").length / 4)
  expect(Math.max(...sizes)).toBeLessThan(window * 0.8)
  expect(agent.transcript()).toContain("user: 0 word")
  // What was summarized is found all the same.
  const search = { type: "search", client: "main", conversation: 1, query: "0 word", regex: false, limit: 500 } as const
  expect((await agent.engine.port.request(search)).hits.length).toBeGreaterThan(0)
  expect(agent.transcript()).not.toContain("attempt")
})

test("a summary is made behind the work: the answer does not wait for it, and the next request has it", async () => {
  const made = Promise.withResolvers<void>()
  const agent = await agentWith(8_000, (request) =>
    isSummary(request) ? { text: "## Goal\nmend it", until: made.promise } : { text: "done" },
  )
  for (let n = 0; n < 5; n++) await agent.say(`${n} ${thousand}`)
  expect(agent.transcript()).toEndWith("assistant: done")
  expect([summaries(agent), placed(agent)]).toEqual([1, 0])
  await agent.say("and on")
  expect([summaries(agent), placed(agent)]).toEqual([1, 0])
  made.resolve()
  await agent.settle()
  expect([summaries(agent), placed(agent)]).toEqual([1, 1])
  await agent.say("now")
  expect(textOf(agent.model.requests.at(-1)!.messages[0]!)).toContain("mend it")
})

test("a full window waits for the summary that is under way, and for no second one", async () => {
  const made = Promise.withResolvers<void>()
  const agent = await agentWith(8_000, (request) =>
    isSummary(request) ? { text: "## Goal\nmend it", until: made.promise } : { text: "done" },
  )
  for (let n = 0; n < 5; n++) await agent.say(`${n} ${thousand}`)
  await agent.say(`full ${thousand}`)
  expect(agent.transcript()).not.toEndWith("assistant: done")
  made.resolve()
  await agent.settle()
  expect(agent.transcript()).toEndWith("assistant: done")
  expect([summaries(agent), placed(agent)]).toEqual([1, 1])
})

test("two failures in a row end it with choices; a summary that the person asks for and gets begins anew", async () => {
  let works = false
  const agent = await agentWith(8_000, (request) => {
    if (!isSummary(request)) return { text: "done" }
    return works
      ? { text: "## Goal\nmend it" }
      : { error: new ProviderError("fatal", "http_500", "No summaries here.") }
  })
  for (let n = 0; n < 9 && !agent.transcript().includes("in a row"); n++) await agent.say(`${n} ${thousand}`)
  expect(summaries(agent)).toBe(2)
  expect(agent.transcript()).toEndWith(
    "The conversation is too long for test/model, and summarizing it failed 2 times in a row. " +
      "Choose a model with a larger window, compact by hand with a word on what matters, or begin a new session.",
  )
  await agent.say("and now?")
  expect(agent.transcript()).toEndWith("or begin a new session.")
  expect(summaries(agent)).toBe(2)
  works = true
  await agent.engine.port.request({ type: "compact", conversation: 1, focus: "the walls" })
  await agent.settle()
  await agent.say("and now?")
  expect(agent.transcript()).toEndWith("user: and now?\nassistant: done")
})

test("of two that are under way the one that keeps less rules, whichever comes last, and both are paid for", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  for (const first of [0, 1]) {
    let asked = 0
    const agent = await agentWith(100_000, (request) =>
      isSummary(request) ? { text: `summary ${asked}`, until: gates[asked++]?.promise } : { text: "done" },
    )
    for (let n = 0; n < 26; n++) await agent.say(`${n} ${thousand}`)
    await agent.engine.port.request({ type: "compact", conversation: 1 })
    for (let n = 26; n < 32; n++) await agent.say(`${n} ${thousand}`)
    await agent.engine.port.request({ type: "compact", conversation: 1 })
    await agent.settle()
    gates[first]?.resolve()
    await agent.settle()
    gates[1 - first]?.resolve()
    await agent.settle()
    gates.splice(0, 2, Promise.withResolvers(), Promise.withResolvers())
    await agent.say("now")
    expect(textOf(agent.model.requests.at(-1)!.messages[0]!)).toContain("summary 1")
    expect(placed(agent)).toBe(first === 0 ? 2 : 1)
    expect(agent.ledger.live.document(1, "usage")?.value).toMatchObject({ total: { input: 10 * 35 } })
  }
})

test("a window that nobody knows is assumed, and that is told once", async () => {
  const agent = await agentWith(undefined, (request) => (isSummary(request) ? { text: "so far" } : { text: "done" }))
  for (let n = 0; n < 30; n++) await agent.say(`${n} ${thousand}`)
  await agent.settle()
  const told = "How much test/model can read at once is not known: 32,768 tokens are assumed."
  expect(agent.transcript().split(told).length).toBe(2)
  expect(placed(agent)).toBeGreaterThan(0)
})

test("what is refused as too long while a summary is under way has one of its own, and is asked again once", async () => {
  const made = Promise.withResolvers<void>()
  let asked = 0
  const agent = await agentWith(8_000, (request) => {
    if (isSummary(request)) return { text: `summary ${++asked}`, until: asked === 1 ? made.promise : undefined }
    const size = request.messages.map(textOf).join("").length / 4
    return size < 5_500 ? { text: "done" } : { error: new ProviderError("overflow", "overflow", "Too long.") }
  })
  for (let n = 0; n < 5; n++) await agent.say(`${n} ${thousand}`)
  expect(asked).toBe(1)
  await agent.say(`more ${"word ".repeat(600)}`)
  expect(agent.transcript()).toMatch(/Too long\.\nassistant: done$/)
  made.resolve()
  await agent.settle()
  expect([asked, placed(agent)]).toEqual([2, 1])
})
