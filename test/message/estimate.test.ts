import { expect, test } from "bun:test"
import { encode } from "gpt-tokenizer"
import {
  estimateMessage,
  estimateRequest,
  estimateText,
  imageTokens,
  messageTokens,
} from "../../src/message/estimate.ts"

const samples: readonly [string, string][] = [
  ["prose", "The ledger is the execution plan: every step of an answer is committed before it is shown. ".repeat(20)],
  ["code", "export function add(a: number, b: number): number {\n  return a + b\n}\n\n".repeat(20)],
  ["Cyrillic", "Каждый шаг ответа записывается, прежде чем его покажут. ".repeat(20)],
  ["Chinese", "每一步都会先写入日志，然后才显示出来。".repeat(20)],
]

test.each(samples)("the estimate of %s is within a factor of two of a real tokenizer", (_, text) => {
  const real = encode(text).length
  expect(estimateText(text)).toBeGreaterThan(real / 2)
  expect(estimateText(text)).toBeLessThan(real * 2)
})

test("nothing is nothing, and every message has its frame", () => {
  expect(estimateText("")).toBe(0)
  const image = { type: "image" as const, data: "x".repeat(9_999), mimeType: "image/png" }
  expect(estimateMessage({ role: "user", content: [image], timestamp: 0 })).toBe(messageTokens + imageTokens)
})

test("a request counts its tools and its system prompt", () => {
  const empty = estimateRequest({ system: "", tools: [], messages: [] })
  expect(empty).toBe(0)
  expect(estimateRequest({ system: "abcd", tools: [{ name: "read" }], messages: [] })).toBeGreaterThan(4)
})
