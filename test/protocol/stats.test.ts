import { expect, test } from "bun:test"
import { noUsage, type Usage } from "../../src/message/usage.ts"
import type { StopReason } from "../../src/message/message.ts"
import type { EntryData, EntryRecord } from "../../src/protocol/records.ts"
import { addStats, cacheShare, noStats } from "../../src/protocol/stats.ts"

function answer(model: string, stopReason: StopReason, usage: Partial<Usage>): EntryData {
  const message = { role: "assistant", content: [], api: "a", provider: "p", model, stopReason, timestamp: 0 } as const
  return { kind: "assistant", attempt: 1, message: { ...message, usage: { ...noUsage, ...usage }, durationMs: 1_000 } }
}

function result(outcome: "done" | "failed" | "reconciled", text: string): EntryData {
  const content = [{ type: "text", text }] as const
  const message = {
    role: "toolResult",
    toolCallId: "c",
    toolName: "bash",
    content,
    isError: false,
    timestamp: 0,
  } as const
  return { kind: "toolResult", message, task: 1, outcome, title: "", durationMs: 250 }
}

test("models and tools are added up, attempts with what they cost, and other entries count nothing", () => {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 }
  const entries: readonly EntryRecord["data"][] = [
    { kind: "user", content: [], submission: 1 },
    answer("a", "toolUse", { input: 100, cacheRead: 300, output: 10, cost }),
    answer("a", "error", { input: 50, cost }),
    answer("b", "stop", { input: 7 }),
    result("done", "x".repeat(400)),
    result("reconciled", ""),
    result("failed", ""),
    { kind: "notice", level: "info", code: "x", text: "y" },
    { kind: "?other", value: {} },
  ]
  const stats = entries.reduce((sum, data) => addStats(sum, { data }), noStats)
  expect(stats).toMatchObject({ inputs: 1, compactions: 0 })
  expect(stats.models).toMatchObject({
    "p/a": { answers: 1, attempts: 1, durationMs: 2_000, usage: { input: 150, cacheRead: 300, output: 10 } },
    "p/b": { answers: 1, attempts: 0, usage: { input: 7 } },
  })
  expect(stats.models["p/a"]?.usage.cost?.total).toBe(1)
  expect(stats.models["p/b"]?.usage.cost).toBeUndefined()
  expect(stats.tools).toEqual({ bash: { calls: 3, failed: 1, durationMs: 750, tokens: 100 } })
})

test("the share of a cache is of all that was sent", () => {
  expect(cacheShare({ ...noUsage, input: 50, cacheRead: 100, cacheWrite: 50 })).toBe(0.5)
  expect(cacheShare(noUsage)).toBe(null)
})
