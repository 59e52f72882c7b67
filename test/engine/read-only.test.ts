/** A session that can only be looked at: everything shows, nothing starts, and what would change it is refused in a sentence. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import type { LockAnswer } from "../../src/ledger/flock.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import { createSession, openSession, viewSession } from "../../src/ledger/open.ts"
import { Rejected } from "../../src/ledger/storage.ts"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { openAgent } from "../support/agent.ts"
import { eventually } from "../support/eventually.ts"
import { ledgerOn, writing } from "../support/ledger-backends.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"

let dataDir = ""
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "cairn-look-"))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const refusal = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => "done",
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : error),
  )

test("a session that is only looked at shows what was said and what was going on, and no work of it starts", async () => {
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const first = openAgent({
    ledger: await createSession(place),
    clock,
    script: [{ text: "hi" }, { text: "…", hang: true }],
  })
  await first.say("hello")
  await first.say("and now")
  await first.engine.close()
  const bytes = readFileSync(sessionPaths(dataDir, place.id).db)

  const ledger = await viewSession({ ...place, reason: "3 commits are missing" })
  const agent = openAgent({ ledger, clock, script: [{ text: "never" }] })
  await agent.settle()
  expect(agent.transcript()).toBe("user: hello\nassistant: hi\nuser: and now")
  expect(agent.view().health).toEqual({ state: "read-only", reason: "3 commits are missing" })
  expect(agent.view().held).not.toBe(null)
  expect(agent.model.requests).toEqual([])
  const { port } = agent.engine
  const content = [{ type: "text", text: "more" }] as const
  const submit = { type: "submit", conversation: 1, requestId: "r", content, mode: "steer" } as const
  const told = "Refusal: Nothing can be changed here: this session is read-only: 3 commits are missing."
  expect(await refusal(port.request(submit))).toBe(told)
  expect(await refusal(port.request({ type: "abort", conversation: 1 }))).toBe(told)
  expect(await refusal(port.request({ type: "title", title: "x" }))).toBe(told)
  // What a screen keeps of itself fails without a word.
  expect(await refusal(port.request({ type: "screen", client: "main", value: {} }))).toBe("done")
  await agent.engine.close()
  expect(readFileSync(sessionPaths(dataDir, place.id).db)).toEqual(bytes)
})

test("while the disk takes nothing an input is refused, so that its draft is kept, and taken when it does", async () => {
  const clock = new ManualClock()
  const storage = new MemoryStorage()
  let full = false
  const ledger = await ledgerOn(
    writing(storage, (batch) => {
      if (full) throw new Rejected("database or disk is full")
      storage.write(batch)
    }),
    clock,
  )
  const agent = openAgent({ ledger, clock, script: [{ text: "one" }, { text: "two" }] })
  await agent.say("first")
  full = true
  const submit = { type: "submit", conversation: 1, requestId: "r", mode: "steer" } as const
  const content = [{ type: "text", text: "second" }] as const
  ledger.commit("relaxed", (tx) => tx.setDocument(0, "screen/main", 1))
  expect(agent.view().health.state).toBe("waiting")
  expect(await refusal(agent.engine.port.request({ ...submit, content }))).toContain("database or disk is full")
  full = false
  await clock.advance(1_000)
  expect(agent.view().health.state).toBe("ok")
  await agent.engine.port.request({ ...submit, content })
  await settle()
  await agent.idle()
  expect(agent.transcript()).toBe("user: first\nassistant: one\nuser: second\nassistant: two")
  await agent.engine.close()
})

test("after a death all that is stored is verified before work goes on; what is damaged stays as it is, and says so", async () => {
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const first = openAgent({
    ledger: await createSession(place),
    clock,
    script: [{ text: "hi" }, { text: "…", hang: true }],
  })
  await first.say("hello")
  await first.idle()
  await first.say("and now")
  const copy = mkdtempSync(join(tmpdir(), "cairn-died-"))
  // By another process: closing a descriptor of the database here would drop this process's locks of it.
  Bun.spawnSync(["cp", "-r", join(dataDir, "sessions"), copy])
  await first.engine.close()
  const dead = { ...place, dataDir: copy }

  const sound = openAgent({ ledger: await openSession(dead), clock, script: [{ text: "went on" }] })
  await sound.idle()
  expect(sound.transcript()).toEndWith("assistant: went on")
  await sound.engine.close()

  rmSync(join(copy, "sessions"), { recursive: true })
  Bun.spawnSync(["cp", "-r", join(dataDir, "sessions"), copy])
  const db = new Database(sessionPaths(copy, place.id).db)
  db.run("UPDATE entries SET data = replace(data, 'hello', 'jello')")
  db.run("UPDATE meta SET clean = 0")
  db.close()
  const agent = openAgent({ ledger: await openSession(dead), clock, script: [{ text: "never" }] })
  await eventually(
    () => agent.view().health.state === "read-only",
    () => "the damage is found",
  )
  expect(agent.view().health.reason).toMatch(
    /is damaged: entries \d+: not what was written; "cairn sessions check [0-9a-f]{8}"/,
  )
  expect(agent.model.requests).toEqual([])
  expect(await refusal(agent.engine.port.request({ type: "title", title: "x" }))).toContain(
    "Nothing can be changed here",
  )
  await agent.engine.close()
  rmSync(copy, { recursive: true })
})

test("a session on a disk without a log and without locks works, and says so in its first entry, once", async () => {
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock, flock: (): LockAnswer => "unsupported" }
  const first = openAgent({ ledger: await createSession(place), clock, script: [{ text: "hi" }] })
  await first.say("hello")
  await first.settle()
  await first.engine.close()
  const agent = openAgent({ ledger: await openSession(place), clock, script: [{ text: "again" }] })
  await agent.say("more")
  await agent.settle()
  const notices = agent
    .view()
    .entries.flatMap(({ data }) => (data.kind === "notice" && "text" in data ? [data.text] : []))
  expect(notices).toEqual([
    "this file system has no write-ahead log for SQLite: every commit is flushed, which is slower",
  ])
  expect(agent.transcript()).toEndWith("user: hello\nassistant: hi\nuser: more\nassistant: again")
  await agent.engine.close()
})
