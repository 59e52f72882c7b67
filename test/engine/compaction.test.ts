import { afterEach, expect, test } from "bun:test"
import { memorySession } from "../../src/ledger/open.ts"
import { ProviderError, type ModelRequest } from "../../src/providers/provider.ts"
import { textOf } from "../../src/message/message.ts"
import { isFull, roomOf, sizeOf } from "../../src/engine/cut.ts"
import { filesOf, summarySystem } from "../../src/engine/summary.ts"
import { openAgent, type Agent, type Reply } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const open: Agent[] = []

afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

const isSummary = (request: ModelRequest): boolean => request.system === summarySystem

async function agentWith(reply: (request: ModelRequest) => Reply): Promise<Agent> {
  const clock = new ManualClock()
  const settings = { compaction: { enabled: true, reserve: 1_000, keep: 100 } }
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script: reply, settings })
  open.push(agent)
  await agent.settle()
  return agent
}

const long = "word ".repeat(80)

test("an overflow compacts once, and the same turn is asked again by itself", async () => {
  let refused = 0
  const agent = await agentWith((request) => {
    if (isSummary(request)) return { text: "## Goal\nmend it" }
    const size = request.messages.map(textOf).join("").length
    if (size < 1_500) return { text: "answer" }
    refused++
    return { error: new ProviderError("overflow", "overflow", "The prompt is too long.") }
  })
  for (let n = 0; n < 4; n++) await agent.say(`${n} ${long}`)
  expect(refused).toBe(1)
  expect(agent.transcript()).toContain("attempt (error):  | The prompt is too long.")
  expect(agent.transcript()).toEndWith("assistant: answer")
  const last = agent.model.requests.at(-1)
  expect(textOf(last!.messages[0]!)).toContain("mend it")
  expect(textOf(last!.messages[1]!)).not.toStartWith("0 ")
})

test("an overflow that a summary cannot help fails with the vendor's words, never in a loop", async () => {
  const agent = await agentWith((request) =>
    isSummary(request) ? { text: "short" } : { error: new ProviderError("overflow", "overflow", "Too long.") },
  )
  await agent.say(long)
  expect(agent.model.requests.length).toBeLessThan(4)
  expect(agent.transcript()).toEndWith("Too long.")
})

test("a summary that fails, is empty or makes calls leaves the conversation as it was", async () => {
  const bad: Reply[] = [
    { error: new ProviderError("fatal", "http_500", "No.") },
    { text: " " },
    { text: "x", calls: [{ id: "a", name: "read" }] },
  ]
  for (const reply of bad) {
    const agent = await agentWith((request) => (isSummary(request) ? reply : { text: "answer" }))
    await agent.say(`one ${long}`)
    await agent.say(`two ${long}`)
    await agent.engine.port.request({ type: "compact", conversation: 1 })
    await agent.settle()
    expect(agent.view().entries.some((entry) => entry.data.kind === "compaction")).toBe(false)
    expect(agent.transcript()).toContain("notice: The ")
    await agent.say("three")
    expect(agent.transcript()).toEndWith("user: three\nassistant: answer")
  }
})

test("a manual compaction heads the context, keeps every entry, and its cost counts", async () => {
  const agent = await agentWith((request) => (isSummary(request) ? { text: "## Goal\nwalls" } : { text: "answer" }))
  await agent.say(`one ${long}`)
  await agent.say(`two ${long}`)
  await agent.engine.port.request({ type: "compact", conversation: 1, focus: "the walls" })
  await agent.settle()
  expect(textOf(agent.model.requests.find(isSummary)!.messages[0]!)).toContain("special attention to: the walls")
  await agent.say("three")
  const seen = agent.model.requests.at(-1)!.messages.map(textOf)
  expect(seen[0]).toContain("walls")
  expect(seen.some((text) => text.startsWith("one "))).toBe(false)
  expect(agent.transcript()).toContain("user: one ")
  expect(agent.ledger.live.document(1, "usage")?.value).toMatchObject({ total: { input: 40 } })
})

test("the room of a window: an eighth-sized one keeps its proportions, an unknown one is small", () => {
  expect(roomOf(200_000, {})).toEqual({ window: 200_000, reserve: 16_384, keep: 20_000 })
  expect(roomOf(8_000, {})).toEqual({ window: 8_000, reserve: 2_000, keep: 2_400 })
  expect(roomOf(undefined, {}).window).toBe(32_768)
})

test("a provider's count is believed only where it is near our own", () => {
  const room = roomOf(100_000, {})
  expect(sizeOf(1_000, 1_500, 100)).toBe(1_600)
  expect(sizeOf(1_000, 5_000_000, 100)).toBe(1_000)
  expect(sizeOf(1_000, 0, 100)).toBe(1_000)
  expect(isFull(90_000, room)).toBe(true)
  expect(isFull(80_000, room)).toBe(false)
})

test("files that were read and changed are listed once, a changed one not as read", () => {
  const call = (name: string, path: string) => ({ type: "toolCall" as const, id: path, name, arguments: { path } })
  const message = {
    role: "assistant" as const,
    content: [call("read", "a"), call("read", "b"), call("edit", "b"), call("bash", "c")],
    api: "x",
    provider: "p",
    model: "m",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    stopReason: "toolUse" as const,
    timestamp: 0,
  }
  expect(filesOf([message])).toEqual({ read: ["a"], changed: ["b"] })
})

test("a vendor that read less than it was sent, and said so only by its count, loses no answer: the next turn compacts", async () => {
  const clock = new ManualClock()
  let summaries = 0
  const agent = openAgent({
    ledger: await memorySession({ clock }),
    clock,
    script(request) {
      if (isSummary(request)) {
        summaries++
        return { text: "what mattered" }
      }
      // The window is 100,000; by our own estimate a third of it is used.
      const usage = { input: 120_000, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 120_005 }
      return summaries === 0 ? { text: "an answer", usage } : { text: "another" }
    },
    settings: { compaction: { enabled: true, keep: 100 } },
  })
  open.push(agent)
  for (let n = 0; n < 2; n++) await agent.say(`${n} ${"word ".repeat(30_000)}`)
  await agent.idle()
  expect(agent.transcript()).toContain("assistant: an answer")
  expect(summaries).toBeGreaterThan(0)
  expect(agent.transcript()).toEndWith("assistant: another")
})

const counts = (input: number) => ({ input, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: input + 5 })

test("what a summary cost counts where it came to nothing as well, and what its attempts wrote before they broke off", async () => {
  const script: Reply[] = [
    { text: "words of half a summary", error: new ProviderError("retry", "http_503", "Busy.") },
    { text: "", usage: counts(1_000) },
    { text: "a summary", usage: counts(2_000) },
  ]
  const agent = await agentWith((request) =>
    isSummary(request) ? (script.shift() ?? { text: "none left" }) : { text: "answer" },
  )
  for (let n = 0; n < 3; n++) await agent.say(`${n} ${long}`)
  const spent = () =>
    agent.ledger.live.document(1, "usage")?.value as {
      total: { input: number; output: number; estimated?: boolean }
      context: number
    }
  const before = spent().total
  await agent.engine.port.request({ type: "compact", conversation: 1 })
  await agent.clock.advance(10_000)
  await agent.idle()
  // One attempt broke off, and is estimated; the next came back empty, and was billed.
  const empty = spent().total
  expect(script.length).toBe(1)
  expect(agent.transcript()).toContain("The summary came back empty")
  expect(empty.estimated).toBe(true)
  expect(empty.input - before.input).toBeGreaterThan(1_000)
  expect(empty.output - before.output).toBeGreaterThan(5)
  await agent.engine.port.request({ type: "compact", conversation: 1 })
  await agent.idle()
  expect(spent().total.input - empty.input).toBe(2_000)
  expect(spent().context).toBe(0)
})
