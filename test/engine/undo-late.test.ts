/**
 * An undo on storage that answers late: no file is written before its plan is stored, and its answer comes however the commits are told. And two
 * undos that are asked for at once.
 */
import { expect, test } from "bun:test"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { memorySession } from "../../src/ledger/open.ts"
import { builtinTools } from "../../src/tools/registry.ts"
import { openAgent } from "../support/agent.ts"
import { eventually } from "../support/eventually.ts"
import { ledgerOn, writing } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"

test("P2: an undo whose plan is not stored yet writes nothing; once it is, the file is taken back and the answer comes", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cairn-undo-")))
  const path = join(folder, "a.txt")
  writeFileSync(path, "one\n")
  const clock = new ManualClock()
  const memory = new MemoryStorage()
  const gates = { title: Promise.withResolvers<void>(), undo: Promise.withResolvers<void>() }
  let isAsked = false
  const storage = writing(memory, (batch) => {
    const isTitle = batch.changes.some((change) => JSON.stringify(change).includes("a title"))
    const isPlan = !isAsked && batch.changes.some((change) => change.type === "task" && change.task.kind === "undo")
    if (!isTitle && !isPlan) return memory.write(batch)
    isAsked ||= isPlan
    return gates[isPlan ? "undo" : "title"].promise.then(() => memory.write(batch))
  })
  const edits = [{ oldText: "one", newText: "two" }]
  const script = [{ calls: [{ id: "a", name: "edit", args: { path: "a.txt", edits } }] }, { text: "done" }]
  const agent = openAgent({ ledger: await ledgerOn(storage, clock), clock, folder, tools: builtinTools(), script })
  await agent.say("go")
  await agent.idle()
  expect(readFileSync(path, "utf8")).toBe("two\n")
  const run = agent.view().entries.find(({ data }) => data.kind === "user")?.id ?? 0
  // What is told meanwhile makes the engine look for work: it is not to begin with this.
  const named = agent.engine.port.request({ type: "title", title: "a title" })
  const undone = agent.engine.port.request({ type: "undo", conversation: 1, run, what: "files" })
  // More than the undo would have to do.
  const settled = async (): Promise<void> => {
    for (let n = 0; n < 60; n++) {
      const file = await open(join(folder, "other"), "w")
      await file.writeFile("x")
      await file.sync()
      await file.close()
      await agent.settle()
    }
  }
  await settled()
  gates.title.resolve()
  await named
  await eventually(
    () => isAsked,
    () => "the undo is never planned",
  )
  await settled()
  expect(readFileSync(path, "utf8")).toBe("two\n")
  gates.undo.resolve()
  expect((await undone).undone).toHaveLength(1)
  expect(readFileSync(path, "utf8")).toBe("one\n")
  await agent.engine.close()
  rmSync(folder, { recursive: true })
})

test("of two undos that are asked for at once one takes the change back, and the other is refused", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cairn-undo-")))
  const path = join(folder, "a.txt")
  writeFileSync(path, "one\n")
  const clock = new ManualClock()
  const edits = [{ oldText: "one", newText: "two" }]
  const script = [{ calls: [{ id: "a", name: "edit", args: { path: "a.txt", edits } }] }, { text: "done" }]
  const ledger = await memorySession({ clock })
  const agent = openAgent({ ledger, clock, folder, tools: builtinTools(), script })
  await agent.say("go")
  await agent.idle()
  const run = agent.view().entries.find(({ data }) => data.kind === "user")?.id ?? 0
  const asked = [1, 2].map(() => agent.engine.port.request({ type: "undo", conversation: 1, run, what: "files" }))
  const answers = await Promise.allSettled(asked)
  const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [String(answer.reason)] : []))
  expect(refusals).toEqual([expect.stringContaining("The agent is changing files now")])
  expect(agent.view().entries.filter(({ data }) => data.kind === "undo")).toHaveLength(1)
  expect(readFileSync(path, "utf8")).toBe("one\n")
  await agent.engine.close()
  rmSync(folder, { recursive: true })
})
