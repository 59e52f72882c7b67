import { expect, test } from "bun:test"
import type { AssistantMessage, Message, StopReason } from "../../src/message/message.ts"
import { noUsage } from "../../src/message/usage.ts"
import { orderMessages } from "../../src/message/order.ts"

/** `u:text`, `a:text id id …` with an optional stop reason, `r:id text`. */
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 })
const says = (text: string, ids: readonly string[] = [], stopReason: StopReason = "stop"): AssistantMessage => ({
  role: "assistant",
  content: [
    { type: "text", text },
    ...ids.map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: {} })),
  ],
  api: "x",
  provider: "x",
  model: "x",
  usage: noUsage,
  stopReason,
  timestamp: 1,
})
const result = (id: string, text = "ok"): Message => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 1,
})

function picture(messages: readonly Message[]): readonly string[] {
  return orderMessages(messages).map((message) => {
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
    return message.role === "toolResult" ? `${message.toolCallId}=${text}` : `${message.role[0]}:${text}`
  })
}

test("results stand behind their message in the order of the calls", () => {
  expect(picture([user("go"), says("x", ["a", "b"]), result("b", "2"), result("a", "1")])).toEqual([
    "u:go",
    "a:x",
    "a=1",
    "b=2",
  ])
})

test("what was typed while the tools ran comes after their results", () => {
  expect(picture([says("x", ["a"]), user("wait"), result("a")])).toEqual(["a:x", "a=ok", "u:wait"])
})

test("an interrupted call gets an error result that says so (36)", () => {
  const ordered = orderMessages([says("x", ["a", "b"]), result("a"), user("more")])
  expect(ordered[2]).toMatchObject({ toolCallId: "b", isError: true })
  expect(picture([says("x", ["a", "b"]), result("a")])).toEqual([
    "a:x",
    "a=ok",
    "b=No result: the call was interrupted",
  ])
})

test("a result without a call is dropped", () => {
  expect(picture([user("go"), result("z"), says("x")])).toEqual(["u:go", "a:x"])
})

test("failed and aborted attempts leave nothing, not even their results", () => {
  const messages = [user("go"), says("half", ["a"], "aborted"), result("a"), says("bad", [], "error"), says("x")]
  expect(picture(messages)).toEqual(["u:go", "a:x"])
})

test("ids used again in a later message are paired with the message before the result (field report 65)", () => {
  const messages = [says("1", ["read:0"]), result("read:0", "first"), says("2", ["read:0"]), result("read:0", "second")]
  expect(picture(messages)).toEqual(["a:1", "read:0=first", "a:2", "read:0=second"])
})

test("two calls of one message with the same id are paired by position (field report 65)", () => {
  expect(picture([says("x", ["a", "a"]), result("a", "1"), result("a", "2")])).toEqual(["a:x", "a=1", "a=2"])
})

test("an attempt that reused an id does not take the result of the message before it", () => {
  expect(picture([says("x", ["a"]), result("a"), says("half", ["a"], "error"), user("go")])).toEqual([
    "a:x",
    "a=ok",
    "u:go",
  ])
})
