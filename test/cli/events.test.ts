import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { Events, type Event } from "../../src/cli/events.ts"
import { memorySession } from "../../src/ledger/open.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { defineTool, textResult } from "../../src/tools/tool.ts"
import { openAgent, type ModelScript } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

const echo = defineTool({
  name: "echo",
  description: "says it again",
  parameters: Type.Object({ text: Type.String() }),
  version: 1,
  effect: "pure",
  title: () => "echo",
  execute: async (args, _intent, context) => {
    context.progress(`${args.text}…`)
    return textResult(args.text)
  },
})

async function eventsOf(script: ModelScript, waitMs = 0): Promise<Event[]> {
  const clock = new ManualClock()
  const agent = openAgent({ ledger: await memorySession({ clock }), clock, script, tools: [echo] })
  const events = new Events(1, () => clock.now())
  const heard: Event[] = []
  agent.engine.port.watch((frame) => heard.push(...events.feed(frame)))
  await agent.settle()
  await agent.say("go")
  await clock.advance(waitMs)
  await agent.engine.close()
  return heard
}

const names = (events: readonly Event[]): string => events.map((event) => event.type).join(" ")

test("a plain answer is one agent, one turn, two messages, and settled is last", async () => {
  const events = await eventsOf([{ text: "hi" }])
  expect(names(events)).toBe(
    [
      "session_info_changed agent_start turn_start",
      "message_start message_end",
      "message_start message_update message_update message_update message_end turn_end",
      "agent_end agent_settled",
    ].join(" "),
  )
  expect(events.at(-1)).toEqual({ type: "agent_settled", aborted: false })
  expect(events.filter((event) => event.type === "message_update").map((event) => event.assistantMessageEvent)).toEqual(
    [
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "hi" },
      { type: "text_end", contentIndex: 0, content: "hi" },
    ],
  )
})

test("a round of calls starts and ends each call, and its results are messages in call order before the turn ends", async () => {
  const calls = [
    { id: "a", name: "echo", args: { text: "one" } },
    { id: "b", name: "echo", args: { text: "two" } },
  ]
  const events = await eventsOf([{ calls }, { text: "both" }])
  const ends = events.filter((event) => event.type === "tool_execution_end")
  expect(ends.map((event) => event.toolCallId)).toEqual(["a", "b"])
  expect(events.filter((event) => event.type === "tool_execution_start")).toHaveLength(2)
  const turn = events.find((event) => event.type === "turn_end")
  expect(turn?.toolResults).toMatchObject([{ toolCallId: "a" }, { toolCallId: "b" }])
  expect(names(events).match(/turn_start/g)).toHaveLength(2)
})

test("a failed attempt ends its agent with willRetry, and the next one starts anew", async () => {
  const busy = new ProviderError("retry", "http_529", "Overloaded.")
  const events = await eventsOf([{ error: busy }, { text: "hi" }], 2_000)
  const order = names(events)
  expect(order).toContain("message_end turn_end agent_end auto_retry_start")
  expect(order).toEndWith("message_end turn_end auto_retry_end agent_end agent_settled")
  expect(events.filter((event) => event.type === "agent_end").map((event) => event.willRetry)).toEqual([true, false])
  expect(events.find((event) => event.type === "auto_retry_start")).toMatchObject({
    attempt: 1,
    maxAttempts: 3,
    delayMs: 2_000,
    errorMessage: "Overloaded.",
  })
})

test("every call that ends has started, one that is no call of any tool included", async () => {
  const calls = [
    { id: "a", name: "fly", args: { high: true } },
    { id: "b", name: "echo", args: {} },
  ]
  const events = await eventsOf([{ calls }, { text: "both" }])
  const started = events.filter((event) => event.type === "tool_execution_start")
  expect(started.map(({ toolCallId, args }) => ({ toolCallId, args }))).toEqual([
    { toolCallId: "a", args: { high: true } },
    { toolCallId: "b", args: {} },
  ])
  expect(names(events).match(/tool_execution_\w+/g)).toEqual([
    "tool_execution_start",
    "tool_execution_end",
    "tool_execution_start",
    "tool_execution_end",
  ])
})

test("who comes in the middle of a round hears its end as everybody does", async () => {
  const clock = new ManualClock()
  const gate = Promise.withResolvers<void>()
  const slow = { ...echo, name: "slow", execute: () => gate.promise.then(() => textResult("slow")) }
  const calls = [
    { id: "a", name: "echo", args: { text: "quick" } },
    { id: "b", name: "slow", args: { text: "x" } },
  ]
  const ledger = await memorySession({ clock })
  const agent = openAgent({ ledger, clock, script: [{ calls }, { text: "both" }], tools: [echo, slow] })
  await agent.settle()
  await agent.say("go")
  const events = new Events(1, () => clock.now())
  const heard: Event[] = []
  agent.engine.port.watch((frame) => heard.push(...events.feed(frame)))
  await agent.settle()
  gate.resolve()
  await agent.idle()
  await agent.engine.close()
  expect(names(heard)).toMatch(
    /^agent_start turn_start (tool_execution_\w+ )*tool_execution_end message_start message_end message_start message_end turn_end turn_start /,
  )
  expect(heard.find((event) => event.type === "turn_end")?.toolResults).toMatchObject([
    { toolCallId: "a" },
    { toolCallId: "b" },
  ])
})
