/** Calls of one round that touch the same files: each sees what those before it have written. */
import { afterEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { builtinTools } from "../../src/tools/registry.ts"
import { openAgent } from "../support/agent.ts"

let top = ""
afterEach(() => rmSync(top, { recursive: true, force: true }))

test("a file that is edited, read and looked at by a command in one round is the edited one each time", async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cairn-round-")))
  mkdirSync(join(top, "work"))
  writeFileSync(join(top, "work/f"), "one\n")
  symlinkSync("f", join(top, "work/link"))
  const edit = (path: string, oldText: string, newText: string) => ({ path, edits: [{ oldText, newText }] })
  const calls = [
    { id: "1", name: "edit", args: edit("f", "one", "two") },
    { id: "2", name: "read", args: { path: "link" } },
    { id: "3", name: "edit", args: edit("link", "two", "three") },
    { id: "4", name: "bash", args: { command: "cat f" } },
    { id: "5", name: "grep", args: { pattern: "t" } },
    { id: "6", name: "write", args: { path: "new", content: "fresh\n" } },
    { id: "7", name: "read", args: { path: "new" } },
    { id: "8", name: "find", args: { pattern: "ne*" } },
  ]
  const dataDir = join(top, "data")
  const folder = join(top, "work")
  const ledger = await createSession({ dataDir, id: uuidv7(systemClock.now()), clock: systemClock })
  const tools = builtinTools()
  const agent = openAgent({ ledger, folder, tools, clock: systemClock, script: [{ calls }, { text: "done" }] })
  await agent.say("go")
  await agent.idle()
  const told = agent.transcript().split("\n").slice(2, -1)
  await agent.engine.close()
  // In the order in which they ended.
  expect(told.toSorted()).toEqual(
    [
      "edit (done): Edited f: +1 -1 lines, from line 1.",
      "read (done): two",
      "edit (done): Edited link: +1 -1 lines, from line 1.",
      "bash (done): three",
      "grep (done): f:1: three",
      "write (done): Wrote new: 6 bytes, new.",
      "read (done): fresh",
      "find (done): new",
    ].toSorted(),
  )
})
