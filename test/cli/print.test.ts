import { expect, test } from "bun:test"
import { printed } from "../../src/cli/print.ts"
import type { AssistantMessage } from "../../src/message/message.ts"
import { noUsage } from "../../src/message/usage.ts"

function answer(text: string, stopReason: AssistantMessage["stopReason"] = "stop"): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "openai-completions",
    provider: "p",
    model: "m",
    usage: { ...noUsage, output: 9 },
    stopReason,
    timestamp: 0,
  }
}

test("an answer goes to stdout, whole and with one newline behind it", () => {
  expect(printed({ kind: "answered", message: answer("a\tb") }, false)).toEqual({ out: "a\tb\n", err: "", code: 0 })
})

test("print mode never exits 0 with nothing to show for it", () => {
  expect(printed({ kind: "answered", message: answer(" \n") }, false).code).toBe(1)
  expect(printed({ kind: "nothing" }, false).code).toBe(2)
  expect(printed({ kind: "aborted" }, false).code).toBe(130)
})

test("an answer that the limit cut is printed, and the status says so", () => {
  const written = printed({ kind: "answered", message: answer("half", "length") }, false)
  expect(written.out).toBe("half\n")
  expect(written.err).toContain("9 tokens")
  expect(written.code).toBe(1)
})

test("nothing that a model wrote can drive a terminal", () => {
  const evil = "\u001b]52;c;aGk=\u0007x\u001b[2Jy\u009b2Jz"
  const { out } = printed({ kind: "answered", message: answer(evil) }, true)
  expect(out).not.toMatch(/[\u001b\u0007\u009b]/)
  expect(printed({ kind: "failed", problem: evil }, false).err).not.toMatch(/[\u001b\u0007\u009b]/)
  expect(printed({ kind: "answered", message: answer(evil) }, false).out).toContain("\u001b")
})
