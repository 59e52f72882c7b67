/**
 * Damaged ledgers: a block of zeros, a cut tail, a flipped byte, an empty file, garbage. What is whole is found and
 * kept, what is not is counted, and nothing is deleted.
 */
import { afterEach, expect, test } from "bun:test"
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { checkSession, type Checked } from "../../src/ledger/check.ts"
import { SessionMissing } from "../../src/ledger/errors.ts"
import { sessionPaths, type SessionPaths } from "../../src/ledger/folder.ts"
import { listSessions } from "../../src/ledger/list.ts"
import { createFrom, createSession, openSession } from "../../src/ledger/open.ts"
import { readWhole } from "../../src/ledger/peek.ts"
import { salvage } from "../../src/ledger/salvage.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { say, texts } from "../support/ledger-deeds.ts"
import { ManualClock } from "../support/manual-clock.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Place = {
  readonly dataDir: string
  readonly id: string
  readonly clock: ManualClock
  readonly paths: SessionPaths
}

function newPlace(): Place {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const id = uuidv7(clock.now())
  return { dataDir, id, clock, paths: sessionPaths(dataDir, id) }
}

const long = "x".repeat(5_000)

/** A closed session of entries short and long, with a fork, a document and a queued input. */
async function closed(entries = 30): Promise<Place> {
  const place = newPlace()
  const ledger = await createSession(place)
  for (let n = 1; n <= entries; n++) {
    ledger.commit("flushed", (tx) => {
      say(tx, n % 3 === 0 ? `${n} ${long}` : `${n}`)
      tx.setDocument(0, "session", { title: "a title", n })
    })
  }
  ledger.commit("flushed", (tx) => {
    const fork = tx.addConversation({ parent: { conversation: 1, entry: 5 }, owner: null })
    say(tx, "in the fork", fork.id)
    tx.submit({ conversation: 1, requestId: "r", kind: "input", data: { long } })
  })
  await ledger.close()
  return place
}

function check(place: Place, accept = false): Promise<Checked> {
  return checkSession({ ...place, accept, invariants: () => [], rebuild: (found) => found })
}

/** The texts of all entries of a session, shortened. */
function told(place: Place, id = place.id): readonly string[] {
  const whole = readWhole({ dataDir: place.dataDir, id })
  if (whole.state !== "ok") throw new Error(whole.note)
  return texts(whole.records.entries).map((text) => short(String(text)))
}

const short = (text: string): string => text.slice(0, 12)
const all = [
  ...Array.from({ length: 30 }, (_, n) => short(n % 3 === 2 ? `${n + 1} ${long}` : `${n + 1}`)),
  "in the fork",
]

test("a session that is whole is found whole, and is left as it is", async () => {
  const place = await closed()
  const before = readFileSync(place.paths.db)
  expect(await check(place, true)).toEqual({ state: "ok", problems: [], mended: [] })
  expect(readFileSync(place.paths.db)).toEqual(before)
  expect(told(place)).toEqual(all)
})

test("salvage finds every record of a session that is whole, in its file and in its log", async () => {
  const place = await closed()
  const whole = readWhole(place)
  if (whole.state !== "ok") throw new Error(whole.note)
  const { tasks, ...records } = whole.records
  expect(tasks).toEqual([])
  expect(salvage(place.paths)).toEqual({ ...records, counted: 31 })

  const open = await openSession(place)
  open.commit("flushed", (tx) => {
    say(tx, `in the log ${long}`)
    tx.setDocument(0, "session", { title: "a newer title" })
  })
  const found = salvage(place.paths)
  expect(found.entries).toHaveLength(32)
  expect(found.documents.map(({ value }) => value)).toEqual([{ title: "a newer title" }])
  await open.close()
})

const spoilers: readonly [string, (bytes: Buffer) => Buffer][] = [
  ["whose beginning is a block of zeros", (bytes) => bytes.fill(0, 0, 400)],
  ["that is garbage at its beginning", (bytes) => bytes.fill("garbage ", 0, 1024)],
  ["with a block of zeros in its middle", (bytes) => bytes.fill(0, 20 * 1024, 24 * 1024)],
  ["whose tail is cut", (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.6))],
]

test.each(spoilers)("T14: of a session %s what is whole is kept, and the rest is counted", async (_, spoil) => {
  const place = await closed()
  const other = await closed(3)
  writeFileSync(place.paths.db, spoil(readFileSync(place.paths.db)))
  const spoiled = readFileSync(place.paths.db)

  const asked = await check(place)
  expect(asked.state).toBe("damaged")
  expect(asked.problems.length).toBeGreaterThan(0)
  // Asking changes nothing.
  expect(readFileSync(place.paths.db)).toEqual(spoiled)
  const { entries = 0 } = asked.whole ?? {}
  expect(entries).toBeGreaterThan(5)

  const done = await check(place, true)
  expect(done.state).toBe("salvaged")
  const made = done.made?.id ?? ""
  expect(readFileSync(join(done.made?.aside ?? "", "ledger.db"))).toEqual(spoiled)
  expect(existsSync(place.paths.folder)).toBe(false)
  const kept = told(place, made)
  expect(kept).toHaveLength(entries)
  expect(all.filter((text) => kept.includes(text))).toEqual([...kept])
  const ledger = await openSession({ ...place, id: made })
  expect(await ledger.verify(true)).toEqual([])
  // What was said last is said after all that there is.
  ledger.commit("flushed", (tx) => say(tx, "goes on"))
  expect(texts(await ledger.entries({ conversation: 1, limit: 1 }))).toEqual(["goes on"])
  await ledger.close()
  expect(listSessions(place.dataDir).map(({ id, state }) => [id, state])).toEqual([[made, "ok"]])
  expect(listSessions(other.dataDir).map(({ state }) => state)).toEqual(["ok"])
})

test("P12: an empty file has nothing to keep: it is set aside, and the next session is not in its way", async () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from("garbage ".repeat(400))]) {
    const place = await closed(3)
    writeFileSync(place.paths.db, bytes)
    expect(await check(place)).toMatchObject({ state: "damaged", whole: { entries: 0, counted: null } })
    const done = await check(place, true)
    expect(done).toMatchObject({ state: "salvaged", made: { id: null } })
    expect(readFileSync(join(done.made?.aside ?? "", "ledger.db"))).toEqual(bytes)
    expect(listSessions(place.dataDir)).toEqual([])
  }
})

test("P12, T14: a byte that flips anywhere in the file is found, and costs one row or one page at most", async () => {
  const place = await closed(12)
  const whole = readFileSync(place.paths.db)
  let found = 0
  for (let at = 130; at < whole.length; at += 397) {
    const flipped = Buffer.from(whole)
    flipped[at] = (flipped[at] ?? 0) ^ 0x24
    writeFileSync(place.paths.db, flipped)
    const { state } = await check(place)
    if (state === "damaged") found++
    const salvaged = salvage(place.paths)
    // A page of the smallest rows holds few of them.
    expect(salvaged.entries.length).toBeGreaterThanOrEqual(13 - 6)
    for (const entry of salvaged.entries) expect(String(entry.data["text"])).toMatch(/^(\d+( x+)?|in the fork)$/)
  }
  // The others hit what holds nothing: the free ends of pages.
  expect(found).toBeGreaterThan(20)
  writeFileSync(place.paths.db, whole)
})

test("a byte that flips in the log costs what stood there, and not what came behind it", async () => {
  const place = await closed(6)
  const ledger = await openSession(place)
  for (let n = 0; n < 10; n++) ledger.commit("flushed", (tx) => say(tx, `logged ${n}`))
  const copy = scratch()
  cleanups.push(copy.remove)
  const dead = { ...place, dataDir: copy.dataDir, paths: sessionPaths(copy.dataDir, place.id) }
  Bun.spawnSync(["mkdir", "-p", join(copy.dataDir, "sessions")])
  Bun.spawnSync(["cp", "-r", place.paths.folder, dead.paths.folder])
  await ledger.close()
  const log = readFileSync(dead.paths.wal)
  const at = log.indexOf("logged 4")
  log[at] = (log[at] ?? 0) ^ 1
  writeFileSync(dead.paths.wal, log)
  const asked = await check(dead)
  expect(asked.state).toBe("loss")
  expect(asked.problems[0]).toMatch(/\d+ acknowledged commits are missing/)
  const found = texts(salvage(dead.paths).entries)
  for (const n of [0, 1, 2, 3, 5, 6, 7, 8, 9]) expect(found).toContain(`logged ${n}`)
  expect((await check(dead, true)).state).toBe("ok")
  await (await openSession(dead)).close()
})

test("what only an index has wrong is mended, without a question", async () => {
  const place = await closed()
  const db = new Database(place.paths.db)
  const index = "SELECT rootpage FROM sqlite_schema WHERE name = 'entries_by_conversation'"
  const root = db.query<{ rootpage: number }, []>(index).get()?.rootpage ?? 0
  db.close()
  const bytes = readFileSync(place.paths.db)
  // The id in the first cell that was written: it stands at the page's end.
  const end = root * 1024 - 1
  bytes[end] = (bytes[end] ?? 0) + 100
  writeFileSync(place.paths.db, bytes)
  const done = await check(place)
  expect(done).toMatchObject({ state: "ok", problems: [] })
  expect(done.mended[0]).toContain("indexes were made anew")
  expect(await check(place)).toEqual({ state: "ok", problems: [], mended: [] })
})

test("a format file that says nothing is written anew; a folder without one is no session", async () => {
  const place = await closed(3)
  writeFileSync(place.paths.format, Buffer.alloc(8))
  expect(listSessions(place.dataDir).map(({ state }) => state)).toEqual(["damaged"])
  expect(await check(place)).toMatchObject({ state: "ok", mended: [expect.stringContaining("format")] })
  expect(readFileSync(place.paths.format, "utf8")).toBe("cairn 1\n")
  await expect(
    checkSession({ ...place, id: uuidv7(1), accept: false, invariants: () => [], rebuild: (it) => it }),
  ).rejects.toThrow(SessionMissing)
})

test("a row that vanished with its index is missed", async () => {
  const place = await closed(9)
  const db = new Database(place.paths.db)
  db.run("DELETE FROM entries WHERE id = 4")
  db.close()
  const { state, problems } = await check(place)
  expect(state).toBe("damaged")
  expect(problems).toContain("10 entries were written, and 9 are there")
})

test("a session that is held is looked at and not touched, whatever is asked", async () => {
  const place = await closed(3)
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, "hold.fixture.ts"), place.dataDir, place.id], {
    stdin: "pipe",
    stdout: "pipe",
  })
  cleanups.push(() => holder.kill())
  await holder.stdout.getReader().read()
  expect(await check(place, true)).toEqual({ state: "ok", problems: [], mended: [] })
  holder.stdin.end()
  await holder.exited
})

test("a session is made of records, under their ids, and new ids come after them", async () => {
  const place = await closed(20)
  const whole = readWhole(place)
  if (whole.state !== "ok") throw new Error(whole.note)
  const id = uuidv7(place.clock.now())
  await createFrom({ ...place, id }, whole.records)
  const copy = readWhole({ dataDir: place.dataDir, id })
  expect(copy).toEqual(whole)
  const ledger = await openSession({ ...place, id })
  const newest = Math.max(...whole.records.submissions.map((it) => it.id))
  expect(ledger.commit("flushed", (tx) => say(tx, "new")).value).toBe(newest + 1)
  expect(await ledger.verify(true)).toEqual([])
  await ledger.close()
  truncateSync(place.paths.db, 100)
})
