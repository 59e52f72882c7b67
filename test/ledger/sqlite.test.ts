/**
 * What is true of ledgers in files only: how far a commit is flushed, what the disk's refusals mean, that no read is a
 * scan.
 */
import { afterEach, expect, test } from "bun:test"
import { Database, SQLiteError } from "bun:sqlite"
import { statSync } from "node:fs"
import { join } from "node:path"
import { connect, meaning, walIsSound } from "../../src/ledger/database.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { SessionPaths } from "../../src/ledger/folder.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { readMark } from "../../src/ledger/mark.ts"
import { createSession, openSession, openedHere } from "../../src/ledger/open.ts"
import { commitsPage, page, put, reads, writes } from "../../src/ledger/queries.ts"
import { tables } from "../../src/ledger/rows.ts"
import type { Table } from "../../src/ledger/rows.ts"
import schema from "../../src/ledger/schema.sql" with { type: "text" }
import { Rejected, Unknown } from "../../src/ledger/storage.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { aTask, say } from "../support/ledger-deeds.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Opened = {
  readonly ledger: Ledger
  readonly paths: SessionPaths
  readonly clock: ManualClock
  readonly place: Place
}
type Place = { readonly dataDir: string; readonly id: string; readonly clock: ManualClock }

async function inFile(): Promise<Opened> {
  const { dataDir, remove } = scratch()
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const ledger = await createSession(place)
  cleanups.push(remove, () => ledger.close())
  return { ledger, paths: sessionPaths(dataDir, place.id), clock, place }
}

function ask<T>(paths: SessionPaths, sql: string): T {
  const storage = openedHere(paths)
  if (!storage) throw new Error("the session is open")
  return storage.look((db) => db.query<T, []>(sql).get() as T)
}

test("a flushed commit is synced and marked, a relaxed one is neither", async () => {
  const { ledger, paths } = await inFile()
  const level = (): number => ask<{ synchronous: number }>(paths, "PRAGMA synchronous").synchronous
  const marked = (): number => readMark(paths.mark)?.seq ?? 0
  ledger.commit("flushed", (tx) => say(tx, "a"))
  expect([level(), marked()]).toEqual([2, ledger.seq])
  const flushed = ledger.seq
  ledger.commit("relaxed", (tx) => say(tx, "b"))
  ledger.commit("relaxed", (tx) => say(tx, "c"))
  expect([level(), marked()]).toEqual([1, flushed])
  ledger.commit("flushed", () => undefined)
  expect([level(), marked()]).toEqual([2, ledger.seq])
  expect(ledger.seq).toBe(flushed + 3)
  ledger.commit("flushed", () => undefined)
  expect(ledger.seq).toBe(flushed + 3)
})

test("a ledger is opened in WAL mode with pages of a kilobyte, and leaves one file", async () => {
  const { ledger, paths } = await inFile()
  expect(ask<{ journal_mode: string }>(paths, "PRAGMA journal_mode").journal_mode).toBe("wal")
  expect(ask<{ page_size: number }>(paths, "PRAGMA page_size").page_size).toBe(1024)
  expect(ledger.notices).toEqual([])
  await ledger.close()
  expect(statSync(paths.wal, { throwIfNoEntry: false })).toBeUndefined()
})

test("the log does not grow with the history", async () => {
  const { ledger, paths } = await inFile()
  let largest = 0
  for (let n = 0; n < 3_000; n++) {
    ledger.commit("relaxed", (tx) => tx.setDocument(0, "view", { n, text: "x".repeat(2_000) }))
    if (n % 100 === 0) largest = Math.max(largest, statSync(paths.wal).size)
  }
  expect(largest).toBeLessThan(2 * 1024 * 1024)
  expect(statSync(paths.db).size).toBeLessThan(1024 * 1024)
})

test("T27: a reader that stays in the middle of the log loses nobody a commit, and once it goes the log is as short as before", async () => {
  const { ledger, paths } = await inFile()
  const reader = new Database(paths.db, { readonly: true })
  reader.run("BEGIN")
  reader.query("SELECT count(*) FROM entries").get()
  const write = (count: number): void => {
    for (let n = 0; n < count; n++) {
      ledger.commit("relaxed", (tx) => {
        tx.setDocument(0, "view", { n, text: "x".repeat(2_000) })
        if (n % 10 === 0) say(tx, `entry ${n}`)
      })
    }
  }
  write(2_000)
  // As long as what was written, and no longer: nothing of it may go under the reader.
  expect(statSync(paths.wal).size).toBeLessThan(20 * 1024 * 1024)
  expect(reader.query("SELECT count(*) AS n FROM entries").get()).toEqual({ n: 0 })
  reader.run("COMMIT")
  write(1_000)
  expect(statSync(paths.wal).size).toBeLessThan(5 * 1024 * 1024)
  expect(await ledger.verify(true)).toEqual([])
  expect(await ledger.entries({ conversation: 1, limit: 1_000 })).toHaveLength(300)
  cleanups.unshift(() => reader.close())
})

test("an input of a hundred kilobytes is written once, however many steps its task takes", async () => {
  const { ledger, paths } = await inFile()
  const text = "x".repeat(100_000)
  const { value: task } = ledger.commit("relaxed", (tx) => tx.addTask({ ...aTask, input: { text } }))
  const before = statSync(paths.wal).size
  for (let n = 0; n < 5; n++) ledger.commit("relaxed", (tx) => tx.setTask(task.id, { phase: `step ${n}` }))
  ledger.commit("relaxed", (tx) => tx.setTask(task.id, { status: "completed" }))
  expect(statSync(paths.wal).size - before).toBeLessThan(100_000)
  expect((await ledger.task(task.id))?.input).toEqual({ text })
})

test("T28: where there is no log, every commit is flushed, and it is said (23)", () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const path = join(dataDir, "ledger.db")
  new Database(path, { create: true }).close()
  const { db, wal, notices } = connect(path, { create: true, dotfile: true })
  expect(wal).toBe(false)
  expect(notices).toEqual([expect.stringContaining("every commit is flushed") as string])
  expect(db.query("PRAGMA synchronous").get()).toEqual({ synchronous: 2 })
  db.close()
})

test("a full disk and a busy file are rejections, and the batch is stored when they pass", async () => {
  const { ledger, paths, clock } = await inFile()
  const pages = ask<{ page_count: number }>(paths, "PRAGMA page_count").page_count
  ask(paths, `PRAGMA max_page_count = ${pages + 2}`)
  const { stored } = ledger.commit("flushed", (tx) => say(tx, "x".repeat(50_000)))
  expect(ledger.health()).toMatchObject({ state: "waiting", reason: expect.stringContaining("full") as string })
  expect(ledger.seq).toBe(2)
  ask(paths, "PRAGMA max_page_count = 100000")
  await clock.advance(250)
  await stored
  expect(ledger.health()).toEqual({ state: "ok" })

  const other = Bun.spawn([process.execPath, join(import.meta.dir, "busy.fixture.ts"), paths.db], {
    stdin: "pipe",
    stdout: "pipe",
  })
  cleanups.push(() => other.kill())
  await other.stdout.getReader().read()
  const receipt = ledger.commit("flushed", (tx) => say(tx, "later"))
  expect(ledger.health()).toMatchObject({ state: "waiting", reason: expect.stringContaining("locked") as string })
  other.stdin.end()
  await other.exited
  await clock.advance(250)
  await receipt.stored
  expect((await ledger.entries({ conversation: 1 })).length).toBe(2)
  expect(await ledger.verify()).toEqual([])
})

test("an error of SQLite means one thing before COMMIT and may mean another in it", () => {
  const error = (code: string): Error => Object.assign(new Error(code), { name: "SQLiteError", code })
  const means = (code: string, committing: boolean): unknown => meaning(error(code), committing)
  for (const code of ["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_NOMEM"]) {
    expect([means(code, false), means(code, true)]).toEqual([expect.any(Rejected), expect.any(Rejected)])
  }
  expect(means("SQLITE_IOERR_WRITE", false)).toBeInstanceOf(Rejected)
  expect(means("SQLITE_IOERR_FSYNC", true)).toBeInstanceOf(Unknown)
  expect(means("SQLITE_CORRUPT", false)).toBeInstanceOf(Unknown)
  expect(means("SQLITE_CONSTRAINT_UNIQUE", false)).toBeInstanceOf(SQLiteError)
})

test("T27: SQLite's versions with the fault in restarting a log are known", () => {
  const sound = ["3.51.3", "3.53.4", "4.0.0", "3.50.7", "3.44.6"]
  const faulty = ["3.51.2", "3.50.6", "3.49.9", "3.44.5", "3.37.0"]
  expect(sound.filter(walIsSound)).toEqual(sound)
  expect(faulty.filter(walIsSound)).toEqual([])
})

test("P5, T10: the database itself refuses a second submission of one request, and a task that has ended and not ended", () => {
  const db = new Database(":memory:")
  db.run("PRAGMA foreign_keys = ON")
  db.run(schema)
  db.run("INSERT INTO conversations VALUES (1, 0, NULL, NULL, NULL, NULL, 1, x'00')")
  const submit = "INSERT INTO submissions VALUES (?, 1, 'r', 'input', 'queued', 0, NULL, NULL, NULL, 1, x'00')"
  db.run(submit, [2])
  expect(() => db.run(submit, [3])).toThrow("UNIQUE")
  const task =
    "INSERT INTO tasks VALUES (4, 1, 'job', 1, ?, NULL, 0, NULL, 1, 0, 0, ?, 'p', '{}', '{}', NULL, 1, x'00')"
  expect(() => db.run(task, ["completed", null])).toThrow("CHECK")
  expect(() => db.run(task, ["running", 5])).toThrow("CHECK")
  expect(() => db.run(task, ["resting", null])).toThrow("CHECK")
  expect(() => db.run("INSERT INTO entries VALUES (5, 9, 0, 'note', NULL, NULL, '{}', 1, x'00')")).toThrow(
    "FOREIGN KEY",
  )
  db.close()
})

test("no statement reads a table from end to end but those that mean to", () => {
  const db = new Database(":memory:")
  db.run(schema)
  const scans = (sql: string): readonly string[] => {
    const plan = db.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
    const details = plan.map(({ detail }) => detail)
    return details.filter(
      (detail) => /^SCAN (?!CONSTANT)|TEMP B-TREE/.test(detail) && !/USING (COVERING )?INDEX/.test(detail),
    )
  }
  for (const [name, { sql, whole }] of Object.entries(reads)) {
    // The last commit is the end of its table: one step from there, however it is called.
    if (!whole && name !== "lastCommit") expect({ name, scans: scans(sql) }).toEqual({ name, scans: [] })
  }
  for (const sql of [
    ...Object.values(writes),
    commitsPage,
    ...(Object.keys(tables) as Table[]).flatMap((table) => [put(table), page(table)]),
  ]) {
    expect({ sql, scans: scans(sql) }).toEqual({ sql, scans: [] })
  }
  const uses = (sql: string): string =>
    db.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()[0]?.detail ?? ""
  expect(uses(reads.liveTasks.sql)).toContain("tasks_live")
  expect(uses(reads.openSubmissions.sql)).toContain("submissions_open")
  expect(uses(reads.newestHead.sql)).toContain("entries_with_head")
  expect(uses(reads.entries.sql)).toContain("entries_by_conversation")
  db.close()
})

test("an opening goes on where the last one stopped, and counts what it opens", async () => {
  const { ledger, place } = await inFile()
  const { seq } = ledger
  await ledger.close()
  const again = await openSession(place)
  cleanups.push(() => again.close())
  expect([again.epoch, again.unclean]).toEqual([ledger.epoch + 1, false])
  // One commit closed it, one opened it.
  expect(again.seq).toBe(seq + 2)
  expect(await again.verify()).toEqual([])
})
