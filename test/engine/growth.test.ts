/** What many streams leave behind: nothing but their records, within a budget of bytes. */
import { expect, test } from "bun:test"
import { readdirSync, statSync } from "node:fs"
import { Type } from "@sinclair/typebox"
import { sessionPaths } from "../../src/ledger/folder.ts"
import { createSession } from "../../src/ledger/open.ts"
import { textOf } from "../../src/message/message.ts"
import { defineTool, textResult, type Tool } from "../../src/tools/tool.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent, type ModelScript } from "../support/agent.ts"
import { scratch } from "../support/ledger-backends.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock } from "../support/manual-clock.ts"

const streams = 10
const turns = 6
/** What a turn with a call leaves in the file: answer, result, and the receipts of both tasks. */
const turnBytesMax = 8 * 1024
/** The log is checkpointed at 1 MiB, and no longer than 4 MiB once it was longer. */
const logBytesMax = 4 * 1024 * 1024 + 64 * 1024

const crowd = defineTool({
  name: "crowd",
  version: 1,
  description: "",
  parameters: Type.Object({}),
  effect: "keyed",
  title: () => "crowd",
  async execute(_args, _intent, { subagent }) {
    const names = Array.from({ length: streams }, (_, n) => String(n))
    const answers = await Promise.all(names.map((name) => subagent?.({ prompt: `child ${name}`, name })))
    return textResult(answers.map((answer) => answer?.status).join(" "))
  },
}) as Tool

const work = defineTool({
  name: "work",
  version: 1,
  description: "",
  parameters: Type.Object({}),
  effect: "unsafe",
  title: () => "work",
  async execute(_args, _intent, { progress }) {
    progress("some output\n".repeat(50))
    return textResult("worked")
  },
}) as Tool

const script: ModelScript = ({ messages }) => {
  const [first] = messages
  if (first !== undefined && textOf(first) === "go")
    return messages.length === 1 ? { calls: [{ id: "c", name: "crowd" }] } : { text: "all have answered" }
  const results = messages.filter(({ role }) => role === "toolResult").length
  const text = `a sentence of an answer that is streamed, turn ${results}`
  return results === turns ? { text } : { text, calls: [{ id: `w${results}`, name: "work" }] }
}

test("T24: ten streams with ten subagents leave no spool, a log within its limit, and few bytes a turn", async () => {
  const { dataDir, remove } = scratch()
  const clock = new ManualClock()
  const id = uuidv7(clock.now())
  const paths = sessionPaths(dataDir, id)
  const ledger = await createSession({ dataDir, id, clock })
  const agent = openAgent({ ledger, clock, script, tools: [crowd, work] })
  await agent.say("go")
  await agent.idle()
  expect(agent.transcript()).toEndWith(
    `crowd (done): ${Array(streams).fill("answered").join(" ")}\nassistant: all have answered`,
  )
  // A spool goes behind the commit that settled its task: the last one may be on its way.
  await eventually(
    () => readdirSync(paths.spool).length === 0,
    () => `spools are left: ${readdirSync(paths.spool).join(", ")}`,
  )
  expect(statSync(paths.wal).size).toBeLessThan(logBytesMax)
  const { tasks } = await ledger.counts()
  await agent.engine.close()
  // Each turn is a generation and a call.
  expect(tasks).toBe(2 + 1 + streams * (2 * turns + 1))
  expect(statSync(paths.db).size / (streams * turns)).toBeLessThan(turnBytesMax)
  remove()
})
