/** A stop at every moment around every commit and effect of a run, and a second one into the first: it ends idle, and what follows is accepted. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { enginePoints } from "../../src/engine/points.ts"
import { summarySystem } from "../../src/engine/summary.ts"
import { createSession } from "../../src/ledger/open.ts"
import { commitPoints } from "../../src/ledger/queue.ts"
import { textOf } from "../../src/message/message.ts"
import { encodeAnthropic } from "../../src/providers/anthropic-messages/encode.ts"
import { encodeGoogle } from "../../src/providers/google-generative-ai/encode.ts"
import { encodeCompletions } from "../../src/providers/openai-completions/encode.ts"
import { encodeResponses } from "../../src/providers/openai-responses/encode.ts"
import { ProviderError, type ModelRequest } from "../../src/providers/provider.ts"
import { runOf } from "../../src/protocol/view.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { defineTool, errorResult, textResult, type Tool } from "../../src/tools/tool.ts"
import { openAgent, testModel, type Agent, type Reply } from "../support/agent.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { checkRequest } from "../support/model-check.ts"
import type { Format } from "../support/model-script.ts"

let dataDir = ""
let clock = new ManualClock()
const open: Agent[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "cairn-abort-"))
  clock = new ManualClock()
})
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const plain = (name: string, effect: "pure" | "unsafe", execute: Tool["execute"]): Tool =>
  defineTool({
    name,
    description: name,
    parameters: Type.Object({}),
    version: 1,
    effect,
    title: () => name,
    prepare: async () => ({ ok: true, intent: {} }),
    execute,
  })

/** One looks and ends by itself; one works until a tenth of a second has passed, or it is stopped. */
const tools: readonly Tool[] = [
  plain("look", "pure", async (_args, _intent, { progress }) => {
    progress("looking\n")
    return textResult("seen", { cut: true })
  }),
  plain("work", "unsafe", async (_args, _intent, { signal, remember, clock: time }) => {
    await remember({ pid: 1 })
    await new Promise<void>((resolve) => {
      time.after(100, resolve)
      signal.addEventListener("abort", () => resolve(), { once: true })
    })
    return signal.aborted ? errorResult("stopped in its work") : textResult("worked")
  }),
]

/** Calls, then an answer that is refused once by a busy server and once as too long, so that it is summarized first. */
function script(): (request: ModelRequest) => Reply {
  const failures = [
    new ProviderError("retry", "http_529", "Overloaded."),
    new ProviderError("overflow", "context_length", "Too long."),
  ]
  return ({ system, messages }) => {
    if (system === summarySystem) return { text: "A summary." }
    const last = messages.findLast((message) => message.role === "user")
    if (last !== undefined && textOf(last) === "again") return { text: "once more" }
    const hasCalled = messages.some(({ role }) => role === "toolResult")
    const calls = [
      { id: "a", name: "look" },
      { id: "b", name: "work" },
    ]
    if (!hasCalled && failures.length === 2) return { text: "I call.", calls }
    const error = failures.shift()
    return error === undefined ? { text: "the answer" } : { text: "half", error }
  }
}

type Stop = { readonly point: string; readonly n: number }

/** Live a run with a stop at each of `stops`; how many of them came. */
async function run(stops: readonly Stop[]): Promise<{ readonly agent: Agent; readonly came: number }> {
  const counts = new Map<string, number>()
  let came = 0
  let isOver = false
  const at = (point: string): void => {
    const count = (counts.get(point) ?? 0) + 1
    counts.set(point, count)
    if (isOver || !stops.some((stop) => stop.point === point && stop.n === count)) return
    came++
    // Not inside the commit whose moment this is.
    queueMicrotask(() => void agent.engine.port.request({ type: "abort", conversation: 1 }))
  }
  const ledger = await createSession({ dataDir, id: uuidv7(clock.now() + open.length), clock, at })
  const compaction = { enabled: true, keep: 1 }
  const agent = openAgent({ ledger, clock, script: script(), tools, settings: { compaction }, at })
  open.push(agent)
  await agent.say("go")
  await idle(agent)
  isOver = true
  return { agent, came }
}

async function idle(agent: Agent): Promise<void> {
  await eventually(
    async () => {
      if (agent.engine.busy()) await clock.advance(100)
      return !agent.engine.busy()
    },
    () => `it does not become idle: ${agent.transcript()}`,
  )
  await agent.settle()
}

const formats: readonly (readonly [Format, (request: ModelRequest) => { readonly body: unknown }])[] = [
  ["completions", encodeCompletions],
  ["responses", encodeResponses],
  ["anthropic", encodeAnthropic],
  ["google", encodeGoogle],
]

/** What a strict server of each format says of what the model was asked last. */
function refusals(agent: Agent): readonly string[] {
  const request = agent.model.requests.at(-1)
  if (request === undefined) return ["nothing was asked"]
  const model = { ...testModel, thinking: { off: "" } }
  return formats.flatMap(([format, encode]) =>
    checkRequest(format, JSON.stringify(encode({ ...request, model }).body), {}, model.id).map(
      (problem) => `${format}: ${problem}`,
    ),
  )
}

/** Idle, each call with one result, and the next input answered. */
async function problemsOf(agent: Agent): Promise<readonly string[]> {
  const problems: string[] = []
  if (runOf(agent.view(), 1) !== undefined || agent.view().tasks.size > 0) problems.push("work is left")
  const lines = agent.transcript().split("\n")
  const calls = lines.filter((line) => line.startsWith("assistant: I call.")).length * 2
  const results = lines.filter((line) => /^(look|work) \(/.test(line)).length
  if (calls !== results) problems.push(`${calls} calls have ${results} results`)
  if (agent.reports.length > 0) problems.push(...agent.reports)
  await agent.say("again")
  await idle(agent)
  if (!agent.transcript().endsWith("user: again\nassistant: once more")) problems.push(agent.transcript())
  return [...problems, ...refusals(agent)]
}

/** A stop at the first moment of the name, the second, and so on, until a run ends without coming to it. */
async function everywhere(point: string, more: (n: number) => readonly Stop[] = () => []): Promise<number> {
  for (let n = 1; ; n++) {
    const stops = [{ point, n }, ...more(n)]
    const { agent, came } = await run(stops)
    const problems = await problemsOf(agent)
    expect({ stops, problems }).toEqual({ stops, problems: [] })
    await agent.engine.close()
    if (came === 0) return n - 1
  }
}

test("a run that nobody stops has an answer, a retry and a summary in it", async () => {
  const { agent } = await run([])
  const [go, calls, first = "", second = "", ...rest] = agent.transcript().split("\n")
  expect([go, calls]).toEqual(["user: go", "assistant: I call. [look a] [work b]"])
  // Which of them is stored first is a matter of the disk.
  expect([first, second].toSorted()).toEqual(["look (done): seen", "work (done): worked"])
  expect(rest).toEqual([
    "attempt (error): half | Overloaded.",
    "attempt (error): half | Too long.",
    "assistant: the answer",
  ])
  expect(agent.view().entries.some(({ data }) => data.kind === "compaction")).toBe(true)
  expect(await problemsOf(agent)).toEqual([])
})

/** A run of this kind in one life comes to no host before it. */
const inheriting: readonly string[] = ["inherit", "inherited"]

test.each(enginePoints.filter((point) => !inheriting.includes(point)))(
  "a stop at every moment of the name %s ends idle, and the next input is accepted by every format",
  async (point) => {
    expect(await everywhere(point)).toBeGreaterThan(0)
  },
  120_000,
)

test.each([...commitPoints])(
  "a stop at every %s ends idle, and the next input is accepted by every format",
  async (point) => {
    expect(await everywhere(point)).toBeGreaterThan(15)
  },
  120_000,
)

test("a stop into a stop changes nothing about that", async () => {
  // Two commits further on, the first stop is being carried out.
  await everywhere("commit", (n) => [
    { point: "commit", n: n + 2 },
    { point: "committed", n: n + 3 },
  ])
}, 120_000)

test("a stop ends the wait for a busy server, and a summary that is being made", async () => {
  for (const [point, n] of [
    ["ask", 2],
    ["summarize", 1],
  ] as const) {
    const { agent } = await run([{ point, n }])
    expect(agent.transcript()).toEndWith("stopped by you")
    expect(agent.view().entries.some(({ data }) => data.kind === "compaction")).toBe(false)
  }
})
