import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession, memorySession, openSession } from "../../src/ledger/open.ts"
import { uuidv7 } from "../../src/std/id.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { builtinTools } from "../../src/tools/registry.ts"
import { openAgent, type Reply } from "../support/agent.ts"
import { ManualClock } from "../support/manual-clock.ts"

let top = ""
let folder = ""
const clock = new ManualClock()

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cairn-history-")))
  folder = join(top, "work")
  mkdirSync(folder)
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const call = (name: string, args: JsonObject): Reply => ({ calls: [{ id: "1", name, args }] })

test("what a model has seen of a file is known after a restart, and a change by others is told then", async () => {
  const id = uuidv7(clock.now())
  writeFileSync(join(folder, "a.txt"), "one\n")
  const given = { clock, folder, tools: builtinTools() }
  const script = [call("read", { path: "a.txt" }), { text: "seen" }]
  const first = openAgent({ ...given, script, ledger: await createSession({ dataDir: top, id, clock }) })
  await first.say("read it")
  await first.idle()
  await first.engine.close()
  writeFileSync(join(folder, "a.txt"), "one\nby someone else\n")
  const write = call("write", { path: "a.txt", content: "two\n" })
  const ledger = await openSession({ dataDir: top, id, clock })
  const second = openAgent({ ...given, script: [write, write, { text: "done" }], ledger })
  await second.say("change it")
  await second.idle()
  expect(second.transcript()).toContain("write (failed): a.txt changed since you last read or wrote it")
  expect(second.transcript()).toContain("+by someone else")
  expect(second.transcript()).toContain("write (done): Wrote a.txt: 4 bytes, +1 -2 lines.")
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("two\n")
  await second.engine.close()
})

test("what a call of the same round was told is not seen by a call that was written beside it", async () => {
  const calls = (...list: readonly (readonly [name: string, args: JsonObject])[]): Reply => ({
    calls: list.map(([name, args], at) => ({ id: `${at}`, name, args })),
  })
  const edits = (oldText: string, newText: string) => [{ oldText, newText }]
  writeFileSync(join(folder, "a.txt"), "one\n")
  const script = [
    call("read", { path: "a.txt" }),
    { text: "seen" },
    calls(
      ["edit", { path: "a.txt", edits: edits("one", "two") }],
      ["read", { path: "a.txt" }],
      ["write", { path: "a.txt", content: "mine\n" }],
    ),
    calls(
      ["write", { path: "a.txt", content: "three\n" }],
      ["edit", { path: "a.txt", edits: edits("three", "four") }],
      ["write", { path: "a.txt", content: "five\n" }],
    ),
    { text: "done" },
  ]
  const ledger = await memorySession({ clock })
  const agent = openAgent({ clock, folder, tools: builtinTools(), script, ledger })
  await agent.say("read it")
  await agent.idle()
  writeFileSync(join(folder, "a.txt"), "one\nby someone else\n")
  await agent.say("change it")
  await agent.idle()
  const told = agent.transcript()
  await agent.engine.close()
  // The edit is told what others changed, and the write of that round could not know of it.
  expect(told).toContain("write (failed): a.txt changed since you last read or wrote it")
  expect(told).toContain("+by someone else")
  // In the next round all is seen, and what its calls make is their own.
  expect(told.match(/write \(done\)/g)?.length).toBe(2)
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("five\n")
})
