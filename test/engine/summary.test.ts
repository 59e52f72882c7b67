import { afterEach, expect, test } from "bun:test"
import { summaryPrompt, summarySystem, withFiles } from "../../src/engine/summary.ts"
import { memorySession } from "../../src/ledger/open.ts"
import { estimateText } from "../../src/message/estimate.ts"
import { textOf, type Message } from "../../src/message/message.ts"
import { ProviderError, type ModelRequest } from "../../src/providers/provider.ts"
import { openAgent, type Agent, type Reply } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const open: Agent[] = []
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

const said = (text: string): Message => ({ role: "user", content: [{ type: "text", text }], timestamp: 0 })

test("a conversation that fits is told whole", () => {
  const prompt = summaryPrompt([said("one"), said("two")], "", 10_000)
  expect(prompt).toContain("[person]\none\n\n[person]\ntwo")
  expect(prompt).not.toContain("left out")
})

test("of a conversation that does not fit the beginning and the end are told, and how much is missing", () => {
  const messages = Array.from({ length: 1_000 }, (_, n) => said(`message ${n} ${"word ".repeat(20)}`))
  const prompt = summaryPrompt(messages, "", 2_000)
  expect(estimateText(prompt)).toBeLessThan(2_300)
  expect(prompt).toContain("message 0 ")
  expect(prompt).toContain("message 999 ")
  const [, missing] = /\[… (\d+) messages left out …\]/.exec(prompt) ?? []
  expect(Number(missing)).toBe(1_000 - prompt.match(/message \d+ /g)!.length)
})

test("one huge message does not push the others out", () => {
  const prompt = summaryPrompt([said("the goal"), said("x".repeat(1_000_000)), said("the end")], "", 2_000)
  expect(prompt).toContain("the goal")
  expect(prompt).toContain("[… cut …]")
  expect(prompt).toContain("the end")
  expect(estimateText(prompt)).toBeLessThan(2_300)
})

test("a summary names the files that were touched last, and no endless list of them", () => {
  const messages = Array.from({ length: 300 }, (_, n): Message => {
    const call = { type: "toolCall", id: `c${n}`, name: "read", arguments: { path: `f${n}.ts` } } as const
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
    const made = {
      api: "openai-completions",
      provider: "p",
      model: "m",
      usage,
      stopReason: "toolUse",
      timestamp: 0,
    } as const
    return { role: "assistant", content: [call], ...made }
  })
  const text = withFiles("summary", messages)
  expect(text).toContain("f299.ts")
  expect(text).not.toContain("f199.ts")
})

const isSummary = (request: ModelRequest): boolean => request.system === summarySystem
const long = "word ".repeat(80)

async function agentWith(reply: (request: ModelRequest) => Reply): Promise<Agent> {
  const clock = new ManualClock()
  const settings = { compaction: { enabled: true, reserve: 1_000, keep: 100 } }
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script: reply, settings })
  open.push(agent)
  await agent.settle()
  return agent
}

test("a summary whose request is itself too long is asked for with less, until it fits", async () => {
  const asked: number[] = []
  const agent = await agentWith((request) => {
    if (!isSummary(request)) return { text: "answer" }
    asked.push(textOf(request.messages[0]!).length)
    return asked.length < 3
      ? { error: new ProviderError("overflow", "overflow", "Too long.") }
      : { text: "## Goal\nall" }
  })
  for (let n = 0; n < 400; n++) await agent.say(`${n} ${long.repeat(3)}`)
  expect(asked.length).toBeGreaterThanOrEqual(3)
  expect(asked[1]).toBeLessThan(asked[0]!)
  expect(asked[2]).toBeLessThan(asked[1]!)
  expect(agent.transcript()).toEndWith("assistant: answer")
})

test("a summary that a busy server refuses is asked for again after a wait", async () => {
  let refused = 0
  const agent = await agentWith((request) => {
    if (!isSummary(request)) return { text: "answer" }
    return refused++ < 2 ? { error: new ProviderError("retry", "http_529", "Overloaded.") } : { text: "## Goal\nall" }
  })
  for (let n = 0; n < 4; n++) await agent.say(`${n} ${long}`)
  const compacted = agent.engine.port.request({ type: "compact", conversation: 1 })
  await compacted
  await agent.clock.advance(60_000)
  await agent.idle()
  expect(refused).toBe(3)
  expect(agent.view().entries.some(({ data }) => data.kind === "compaction")).toBe(true)
})
