/** What is true of a session's records after real work, and each way in which it could be untrue. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { brokenInvariants } from "../../src/engine/invariants.ts"
import { createSession } from "../../src/ledger/open.ts"
import { readWhole, type AllRecords } from "../../src/ledger/peek.ts"
import { defineTool, textResult } from "../../src/tools/tool.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let dataDir = ""
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "cairn-invariants-"))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const look = defineTool({
  name: "look",
  version: 1,
  description: "",
  parameters: Type.Object({}),
  effect: "pure",
  title: () => "look",
  execute: async () => textResult("seen"),
})

/** The records of a session in which a run has ended, one was stopped, and one is under way with an input queued. */
async function records(): Promise<AllRecords> {
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const call = (id: string) => ({ calls: [{ id, name: "look" }] })
  const agent = openAgent({
    ledger: await createSession(place),
    clock,
    tools: [look],
    script: [call("a"), { text: "seen" }, { text: "…", hang: true }, call("b"), { text: "…", hang: true }],
  })
  await agent.say("one")
  await agent.idle()
  await agent.say("two")
  await agent.stop()
  await agent.say("three")
  await agent.say("four", "followUp")
  const whole = readWhole(place)
  await agent.engine.close()
  if (whole.state !== "ok") throw new Error(whole.note)
  return whole.records
}

test("what an agent at work leaves at any commit holds together", async () => {
  expect(brokenInvariants(await records())).toEqual([])
})

test("each thing that does not hold together is told by the record that it is about", async () => {
  const whole = await records()
  const broken = (change: Partial<AllRecords>): readonly string[] => brokenInvariants({ ...whole, ...change })
  const run = whole.documents.find(({ name }) => name === "run")
  const live = whole.tasks.find(({ endedAt }) => endedAt === null)
  const result = whole.entries.find(({ kind }) => kind === "toolResult")
  const input = whole.submissions.find(({ status }) => status === "placed")
  const done = whole.submissions.find(({ status }) => status === "done")
  if (!run || !live || !result || !input || !done) throw new Error("the session has one of each")
  const others = whole.documents.filter((it) => it !== run)

  expect(broken({ documents: others })).toEqual([
    `the turn t${live.id} is live, and c1 has no run`,
    `the input s${input.id} is placed, and 0 runs answer it`,
  ])
  const lost = { ...run, value: { ...(run.value as object), task: 9_999 } }
  expect(broken({ documents: [...others, lost] })).toEqual(["the run of c1 names t9999, which is no live turn of it"])
  expect(
    broken({ submissions: whole.submissions.map((it) => (it === input ? { ...it, status: "done" } : it)) }),
  ).toEqual([`the input s${input.id} is done, and 1 runs answer it`])
  expect(broken({ entries: whole.entries.filter((it) => it !== result) })).toEqual([
    `the call t${result.byTask} is completed, and 0 entries hold its result`,
  ])
  expect(broken({ entries: [...whole.entries, { ...result, id: 10_000 }] })).toEqual([
    `the call t${result.byTask} is completed, and 2 entries hold its result`,
  ])
  const user = whole.entries.find(({ id }) => id === done.entry)
  expect(broken({ entries: whole.entries.filter((it) => it !== user) })).toEqual([
    `the input s${done.id} is done, and 0 entries hold it`,
  ])
  const waiting = { ...live, phase: "tools", checkpoint: { entry: 1, calls: [9_999], cuts: 0 } }
  expect(broken({ tasks: whole.tasks.map((it) => (it === live ? waiting : it)) })).toEqual([
    `t${live.id} waits for t9999, which is not there`,
  ])
  const knot = { ...live, phase: "tools", checkpoint: { entry: 1, calls: [live.id], cuts: 0 } }
  expect(broken({ tasks: whole.tasks.map((it) => (it === live ? knot : it)) })).toEqual([
    `t${live.id} waits for itself`,
  ])
  const answer = whole.entries.find(({ kind }) => kind === "assistant")
  expect(broken({ entries: whole.entries.filter((it) => it !== answer) }).join()).toMatch(
    /c1 counts \d+ tokens, its attempts used \d+/,
  )
})
