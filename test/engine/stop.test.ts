import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { createSession, memorySession } from "../../src/ledger/open.ts"
import { ProviderError } from "../../src/providers/provider.ts"
import { editTool } from "../../src/tools/edit.ts"
import { defineTool, textResult, type Tool } from "../../src/tools/tool.ts"
import { writeTool } from "../../src/tools/write.ts"
import { runOf } from "../../src/protocol/view.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { eventually } from "../support/eventually.ts"
import { openAgent, type Agent, type Reply } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let folder = ""
const open: Agent[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-stop-"))
})
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.engine.close()
  rmSync(folder, { recursive: true, force: true })
})

async function agentWith(tools: readonly Tool[], script: readonly Reply[], disk = false): Promise<Agent> {
  const clock = new ManualClock()
  const dataDir = join(folder, "data")
  const ledger = disk
    ? await createSession({ dataDir, id: uuidv7(clock.now()), clock })
    : await memorySession({ clock })
  const agent = openAgent({ ledger, clock, tools, script, folder })
  open.push(agent)
  await agent.settle()
  return agent
}

/** Until all work has ended, that of the disk included. */
const done = (agent: Agent): Promise<void> =>
  eventually(
    () => agent.frames.at(-1)?.type === "settled",
    () => agent.transcript(),
  )

const stop = (agent: Agent): void => {
  void agent.engine.port.request({ type: "abort", conversation: 1 })
}

/** A tool that notes each run. */
function counted(): { readonly tool: Tool; readonly runs: string[] } {
  const runs: string[] = []
  const tool = defineTool({
    name: "count",
    description: "counts",
    parameters: Type.Object({}),
    version: 1,
    effect: "unsafe",
    title: () => "count",
    execute: async () => {
      runs.push("ran")
      return textResult("ran")
    },
  })
  return { tool, runs }
}

test("a stop that is stored before the answer rules: no call of that answer runs, and what was said is kept as an attempt", async () => {
  const { tool, runs } = counted()
  // Read when the answer is whole: the last moment before it would be stored.
  const late: Reply = {
    text: "I count.",
    calls: [{ id: "a", name: "count" }],
    get stop() {
      stop(agent)
      return "toolUse" as const
    },
  }
  const agent = await agentWith([tool], [late])
  await agent.say("go")
  await done(agent)
  expect(runs).toEqual([])
  expect(agent.transcript()).toBe("user: go\nattempt (aborted): I count. [count a] | stopped by you")
  expect(agent.frames.at(-1)).toEqual({ type: "settled", aborted: true })
})

test("T21: a stop at the very end of an answer starts no queued follow-up", async () => {
  const gate = Promise.withResolvers<void>()
  const late: Reply = {
    text: "first",
    until: gate.promise,
    get stop() {
      stop(agent)
      return "stop" as const
    },
  }
  const agent = await agentWith([], [late, { text: "second" }])
  await agent.say("one")
  await agent.say("two", "followUp")
  gate.resolve()
  await done(agent)
  expect(agent.model.requests).toHaveLength(1)
  expect([...agent.view().submissions.values()].map(({ status }) => status)).toEqual(["unanswered", "queued"])
})

test("a stop during the wait for a retry is the run's last word", async () => {
  const agent = await agentWith([], [{ error: new ProviderError("retry", "http_529", "Overloaded.") }])
  await agent.say("hello")
  stop(agent)
  await done(agent)
  expect(agent.transcript()).toBe("user: hello\nattempt (error):  | Overloaded.\nattempt (aborted):  | stopped by you")
  expect(runOf(agent.view(), 1)).toBeUndefined()
})

test("a stop between the preparation of a write and the write itself leaves neither the file nor a temporary one", async () => {
  const held: Tool = {
    ...writeTool,
    async prepare(args, context) {
      const prepared = await writeTool.prepare?.(args as never, context)
      stop(agent)
      return prepared ?? { ok: true, intent: {} }
    },
  }
  const args = { path: "new.txt", content: "x" }
  const agent = await agentWith([held], [{ calls: [{ id: "a", name: "write", args }] }])
  await agent.say("go")
  await done(agent)
  expect(agent.transcript()).toContain("write (not started)")
  expect(readdirSync(folder)).toEqual([])
})

test("an edit that was made before a stop was heard is told as made", async () => {
  writeFileSync(join(folder, "f"), "old\n")
  const late: Tool = {
    ...editTool,
    async execute(args, intent, context) {
      const result = await editTool.execute(args as never, intent, context)
      stop(agent)
      return result
    },
  }
  const args = { path: "f", edits: [{ oldText: "old", newText: "new" }] }
  const agent = await agentWith([late], [{ calls: [{ id: "a", name: "edit", args }] }])
  await agent.say("go")
  await done(agent)
  expect(readFileSync(join(folder, "f"), "utf8")).toBe("new\n")
  expect(agent.transcript()).toContain("edit (done): Edited f")
})

test("a disk that refuses to keep a long output costs the output, and neither the call nor the run", async () => {
  const long = defineTool({
    name: "long",
    description: "says much",
    parameters: Type.Object({}),
    version: 1,
    effect: "unsafe",
    title: () => "long",
    async execute(_args, _intent, context) {
      writeFileSync(context.files?.output ?? "", "much")
      return textResult("a part", { cut: true })
    },
  })
  const agent = await agentWith([long], [{ calls: [{ id: "a", name: "long" }] }, { text: "went on" }], true)
  const output = join(folder, "data", "sessions", agent.ledger.session, "output")
  rmSync(output, { recursive: true })
  writeFileSync(output, "in the way")
  await agent.say("go")
  await done(agent)
  expect(existsSync(join(output, "1"))).toBe(false)
  expect(agent.transcript()).toMatch(
    /long \(done\): a part\s*\[The whole output could not be kept: .*\]\nassistant: went on$/,
  )
  expect(agent.reports).toEqual([])
})
