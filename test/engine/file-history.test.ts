import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession, openSession } from "../../src/ledger/open.ts"
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
  expect(second.transcript()).toContain("write (failed): a.txt changed since you last saw it")
  expect(second.transcript()).toContain("+by someone else")
  expect(second.transcript()).toContain("write (done): Wrote a.txt: 4 bytes, +1 -2 lines.")
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("two\n")
  await second.engine.close()
})
