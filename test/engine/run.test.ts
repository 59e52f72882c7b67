import { afterEach, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { memorySession } from "../../src/ledger/open.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { defineTool, errorResult, textResult, type Tool } from "../../src/tools/tool.ts"
import { queueOf, runOf } from "../../src/protocol/view.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { openAgent, type Agent, type AgentOptions } from "../support/agent.ts"

const open: Agent[] = []

async function agentWith(options: Omit<AgentOptions, "ledger" | "clock">): Promise<Agent> {
  const clock = new ManualClock()
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, ...options })
  open.push(agent)
  await agent.settle()
  return agent
}

afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
})

const echo = defineTool({
  name: "echo",
  description: "says it again",
  parameters: Type.Object({ text: Type.String() }),
  version: 1,
  effect: "pure",
  title: (args) => String(args.text ?? ""),
  execute: async (args) => textResult(String(args.text)),
})

/** A tool that runs until the test lets it go, or until it is stopped. */
function gated(name = "wait"): { tool: Tool; release(): void; started: Promise<void> } {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const tool = defineTool({
    name,
    description: "waits",
    parameters: Type.Object({}),
    version: 1,
    effect: "unsafe",
    title: () => name,
    async execute(_args, _intent, context) {
      context.progress("begun ")
      started.resolve()
      const stopped = new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()))
      await Promise.race([gate.promise, stopped])
      return context.signal.aborted ? errorResult("stopped after: begun") : textResult("went on")
    },
  })
  return { tool, release: gate.resolve, started: started.promise }
}

test("an input is answered, and the conversation is idle again", async () => {
  const agent = await agentWith({ script: [{ text: "hi" }] })
  await agent.say("hello")
  expect(agent.transcript()).toBe("user: hello\nassistant: hi")
  expect(runOf(agent.view(), 1)).toBeUndefined()
  expect(agent.frames.at(-1)).toEqual({ type: "settled", aborted: false })
})

test("the first line of the first input is the session's title", async () => {
  const agent = await agentWith({})
  await agent.say("\n  mend the gate  \nand more")
  await agent.say("something else")
  expect(agent.ledger.live.document(0, "session")?.value).toMatchObject({ title: "mend the gate" })
})

test("P5, T10: the same request id is admitted once", async () => {
  const agent = await agentWith({})
  const first = await agent.say("hello", "steer", "r1")
  expect(await agent.say("hello", "steer", "r1")).toBe(first)
  expect(agent.transcript()).toBe("user: hello\nassistant: done")
})

test("T10: two clients that send the same request at the same moment are told of one and the same input", async () => {
  const agent = await agentWith({})
  const { port } = agent.engine
  const content = [{ type: "text", text: "hello" }] as const
  const send = () => port.request({ type: "submit", conversation: 1, requestId: "r1", content, mode: "followUp" })
  const [one, other] = await Promise.all([send(), send()])
  expect(other.submission).toBe(one.submission)
  await agent.settle()
  expect(agent.transcript()).toBe("user: hello\nassistant: done")
  expect(agent.model.requests).toHaveLength(1)
})

test("an empty input is refused and nothing is written", async () => {
  const agent = await agentWith({})
  const before = agent.ledger.seq
  await expect(agent.say("  \n ")).rejects.toThrow("The input is empty")
  expect(agent.ledger.seq).toBe(before)
})

test("calls of one answer run, and their results reach the next request in call order", async () => {
  const calls = [
    { id: "a", name: "echo", args: { text: "one" } },
    { id: "b", name: "echo", args: { text: "two" } },
  ]
  const agent = await agentWith({ tools: [echo], script: [{ calls }, { text: "both" }] })
  await agent.say("go")
  expect(agent.transcript()).toBe(
    "user: go\nassistant: [echo a] [echo b]\necho (done): one\necho (done): two\nassistant: both",
  )
  const results = agent.model.requests[1]?.messages.filter((message) => message.role === "toolResult")
  expect(results?.map((message) => message.toolCallId)).toEqual(["a", "b"])
})

test("arguments are coerced to the schema, and those that do not fit are told back", async () => {
  const calls = [
    { id: "a", name: "echo", args: { text: 5 } },
    { id: "b", name: "echo", args: { txt: "x" } },
    { id: "c", name: "ecko", args: {} },
  ]
  const agent = await agentWith({ tools: [echo], script: [{ calls }] })
  await agent.say("go")
  expect(agent.transcript()).toContain("echo (done): 5")
  expect(agent.transcript()).toContain("echo (failed): The arguments do not fit echo: text is missing")
  expect(agent.transcript()).toContain("ecko (failed): There is no tool named ecko. The tools are: echo.")
})

test("a call whose arguments are no whole JSON is answered, never run", async () => {
  const agent = await agentWith({
    tools: [echo],
    script: [{ calls: [{ id: "a", name: "echo", cut: '{"text":"rm -rf bu' }] }, { text: "ok" }],
  })
  await agent.say("go")
  expect(agent.transcript()).toContain("echo (failed): The arguments of this call were not whole JSON")
  expect(agent.transcript()).toContain("assistant: ok")
})

test("calls of an answer that the token limit cut never run, and after three such answers the run ends and says so", async () => {
  const cut = { calls: [{ id: "a", name: "echo", args: { text: "x" } }], stop: "length" as const }
  const agent = await agentWith({ tools: [echo], script: [cut, cut, cut, { text: "never asked" }] })
  await agent.say("go")
  expect(agent.transcript().match(/not started/g)).toHaveLength(3)
  expect(agent.transcript()).toContain("notice: The model's answer was cut at its output limit 3 times")
  expect(agent.model.requests).toHaveLength(3)
})

test("a steer joins at the next turn boundary, a follow-up waits for the end of the run", async () => {
  const wait = gated()
  const agent = await agentWith({
    tools: [wait.tool],
    script: [{ calls: [{ id: "a", name: "wait" }] }, { text: "first" }, { text: "second" }],
  })
  await agent.say("go")
  await wait.started
  await agent.say("later", "followUp")
  await agent.say("now", "steer")
  expect(queueOf(agent.view(), 1).map((item) => item.mode)).toEqual(["followUp", "steer"])
  wait.release()
  await agent.settle()
  expect(agent.transcript()).toBe(
    "user: go\nassistant: [wait a]\nwait (done): went on\nuser: now\nassistant: first\nuser: later\nassistant: second",
  )
})

test("a queued input that was taken back is never placed", async () => {
  const wait = gated()
  const agent = await agentWith({ tools: [wait.tool], script: [{ calls: [{ id: "a", name: "wait" }] }] })
  await agent.say("go")
  const queued = await agent.say("no", "followUp")
  const taken = await agent.engine.port.request({ type: "withdraw", submission: queued })
  expect(taken.content).toEqual([{ type: "text", text: "no" }])
  wait.release()
  await agent.settle()
  expect(agent.transcript()).not.toContain("user: no")
  await expect(agent.engine.port.request({ type: "withdraw", submission: queued })).rejects.toThrow(
    "not queued any more",
  )
})

test("a failed run leaves queued inputs waiting, and the next input places them first", async () => {
  const hold = Promise.withResolvers<void>()
  const refused = new ProviderError("auth", "http_401", "The key was refused.")
  const agent = await agentWith({ script: [{ until: hold.promise, error: refused }, { text: "all three" }] })
  await agent.say("one")
  await agent.say("two", "followUp")
  hold.resolve()
  await agent.settle()
  expect(agent.transcript()).toStartWith(
    "user: one\nattempt (error):  | The key was refused.\nnotice: One input still waits",
  )
  expect(queueOf(agent.view(), 1)).toHaveLength(1)
  await agent.say("three")
  expect(agent.transcript()).toEndWith("user: two\nuser: three\nassistant: all three")
})

test("a transient error is asked again after the delay, and its attempt stays out of the next request", async () => {
  const busy = new ProviderError("retry", "http_529", "Overloaded.", { retryAfterMs: 5_000 })
  const agent = await agentWith({ script: [{ text: "par", error: busy }, { text: "hi" }] })
  await agent.say("hello")
  expect(agent.transcript()).toBe("user: hello\nattempt (error): par | Overloaded.")
  await agent.clock.advance(4_999)
  expect(agent.model.requests).toHaveLength(1)
  await agent.clock.advance(1)
  expect(agent.transcript()).toEndWith("assistant: hi")
  expect(agent.model.requests[1]?.messages).toHaveLength(1)
})

test("after the last retry the run fails, with every attempt kept", async () => {
  const busy = new ProviderError("retry", "http_503", "Unavailable.")
  const agent = await agentWith({ script: [{ error: busy }, { error: busy }, { error: busy }, { error: busy }] })
  await agent.say("hello")
  await agent.clock.advance(2_000 + 4_000 + 8_000)
  expect(agent.model.requests).toHaveLength(4)
  expect(agent.transcript().match(/attempt/g)).toHaveLength(4)
  expect(runOf(agent.view(), 1)).toBeUndefined()
})

test("a vendor that wants a longer wait than we may sleep fails the run at once", async () => {
  const busy = new ProviderError("retry", "http_429", "Come back in two hours.", { retryAfterMs: 7_200_000 })
  const agent = await agentWith({ script: [{ error: busy }] })
  await agent.say("hello")
  expect(runOf(agent.view(), 1)).toBeUndefined()
})

test("a retry can be had at once", async () => {
  const busy = new ProviderError("retry", "http_529", "Overloaded.")
  const agent = await agentWith({ script: [{ error: busy }, { text: "hi" }] })
  await agent.say("hello")
  await agent.engine.port.request({ type: "retryNow", conversation: 1 })
  await agent.settle()
  expect(agent.transcript()).toEndWith("assistant: hi")
})

test("T22: a clock that jumps a day back or forth never makes a wait longer than it was", async () => {
  const busy = new ProviderError("retry", "http_529", "Overloaded.")
  const agent = await agentWith({ script: [{ error: busy }, { text: "hi" }] })
  await agent.say("hello")
  agent.clock.jump(-86_400_000)
  await agent.clock.advance(2_000)
  expect(agent.transcript()).toEndWith("assistant: hi")
})

test("a stop in mid-stream keeps what came, and the next request does not have it", async () => {
  const agent = await agentWith({ script: [{ text: "half an ans", hang: true }, { text: "fresh" }] })
  await agent.say("hello")
  await agent.stop()
  expect(agent.transcript()).toBe("user: hello\nattempt (aborted): half an ans | stopped by you")
  expect(agent.frames.at(-1)).toEqual({ type: "settled", aborted: true })
  await agent.say("again")
  expect(agent.model.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "user"])
})

test("a stop while calls run gives each call one result, those that had not begun included (36)", async () => {
  const wait = gated()
  const other = { ...gated("other").tool, sequential: true }
  const calls = [
    { id: "a", name: "wait" },
    { id: "b", name: "other" },
  ]
  const agent = await agentWith({ tools: [wait.tool, other], script: [{ calls }, { text: "next" }] })
  await agent.say("go")
  await wait.started
  await agent.stop()
  expect(agent.transcript()).toBe(
    "user: go\nassistant: [wait a] [other b]\nwait (aborted): stopped after: begun\nother (not started): Not started: the run was stopped before this call began.",
  )
  expect(runOf(agent.view(), 1)).toBeUndefined()
  await agent.say("more")
  expect(agent.transcript()).toEndWith("user: more\nassistant: next")
})

test("a stop ends the wait for a retry", async () => {
  const agent = await agentWith({ script: [{ error: new ProviderError("retry", "http_529", "Overloaded.") }] })
  await agent.say("hello")
  await agent.stop()
  expect(runOf(agent.view(), 1)).toBeUndefined()
  await agent.clock.advance(60_000)
  expect(agent.model.requests).toHaveLength(1)
})

test("a tool that throws is named, its call has a result, and the run goes on", async () => {
  const broken: Tool = { ...echo, execute: () => Promise.reject(new Error("boom")) }
  const agent = await agentWith({
    tools: [broken],
    script: [{ calls: [{ id: "a", name: "echo", args: { text: "x" } }] }, { text: "on" }],
  })
  await agent.say("go")
  expect(agent.transcript()).toContain(
    "echo (failed): The tool echo failed in a way that is a bug of this program: boom",
  )
  expect(agent.transcript()).toEndWith("assistant: on")
  expect(agent.reports[0]).toContain("boom")
})

test("P2: the dispatch mark is stored before the effect, and the result after it", async () => {
  const seen: unknown[] = []
  const tool: Tool = {
    ...echo,
    effect: "unsafe",
    async execute() {
      const [task] = [...agent.ledger.live.tasks.values()].filter((one) => one.kind === "toolCall")
      seen.push(task?.phase, task?.checkpoint.dispatched, agent.ledger.health().state)
      return textResult("done")
    },
  }
  const agent = await agentWith({
    tools: [tool],
    script: [{ calls: [{ id: "a", name: "echo", args: { text: "x" } }] }],
  })
  await agent.say("go")
  expect(seen).toEqual(["execute", true, "ok"])
})

test("what a turn cost is counted, the failed attempts included", async () => {
  const agent = await agentWith({ script: [{ text: "hi" }, { text: "ho" }] })
  await agent.say("one")
  await agent.say("two")
  expect(agent.ledger.live.document(1, "usage")?.value).toMatchObject({
    total: { input: 20, output: 10 },
    context: 15,
    contextWindow: 100_000,
  })
})

test("a change of model is an entry and is in effect from the next request", async () => {
  const agent = await agentWith({ script: [{ text: "hi" }, { text: "ho" }] })
  await agent.engine.port.request({ type: "configure", conversation: 1, thinking: "high" })
  await agent.say("one")
  expect(agent.model.requests[0]?.thinking).toBe("high")
  expect(agent.view().entries[0]?.data).toMatchObject({ kind: "model", thinking: "high" })
})

test("of a round of many calls some run at once, all run in the end, and results are in call order", async () => {
  let now = 0
  let most = 0
  const busy: Tool = {
    ...echo,
    async execute(args) {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
      return textResult(String((args as { readonly text: string }).text))
    },
  }
  const calls = Array.from({ length: 100 }, (_, n) => ({ id: `c${n}`, name: "echo", args: { text: `${n}` } }))
  const agent = await agentWith({ tools: [busy], script: [{ calls }, { text: "all" }] })
  await agent.say("go")
  await agent.idle()
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(16)
  const results = agent.model.requests[1]?.messages.filter((message) => message.role === "toolResult")
  expect(results?.map((message) => message.toolCallId)).toEqual(calls.map((call) => call.id))
})
