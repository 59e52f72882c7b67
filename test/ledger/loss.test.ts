/**
 * Kills, cut logs and flipped bytes, tried on copies of a session's folder: what was acknowledged is there, or it is
 * said that it is not.
 */
import { afterEach, expect, test } from "bun:test"
import { cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { CommitsMissing, ReadOnly, SessionDamaged } from "../../src/ledger/errors.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { SessionPaths } from "../../src/ledger/folder.ts"
import { Mark, markBytes, readMark } from "../../src/ledger/mark.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { createSession, openSession, viewSession } from "../../src/ledger/open.ts"
import { readSession } from "../../src/ledger/peek.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { aTask, say } from "../support/ledger-deeds.ts"

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

/** The folder as another process would find it if this one were killed now. */
function image({ id, clock, paths }: Place): Place {
  const copy = scratch()
  cleanups.push(copy.remove)
  const to = sessionPaths(copy.dataDir, id)
  // By another process: closing a descriptor of the database here would drop this process's locks of it.
  Bun.spawnSync(["mkdir", "-p", join(copy.dataDir, "sessions")])
  Bun.spawnSync(["cp", "-r", paths.folder, to.folder])
  return { dataDir: copy.dataDir, id, clock, paths: to }
}

/** A session that dies after `commits` commits: each adds an entry and replaces a document, every third is flushed. */
async function dead(commits = 12): Promise<Place> {
  const place = newPlace()
  const ledger = await createSession(place)
  for (let n = 1; n <= commits; n++) {
    ledger.commit(n % 3 === 0 ? "flushed" : "relaxed", (tx) => {
      say(tx, `entry ${n}`)
      tx.setDocument(0, "n", n)
    })
  }
  const copy = image(place)
  await ledger.close()
  return copy
}

test("a killed process has lost nothing that was committed, flushed or not", async () => {
  const place = await dead()
  const ledger = await openSession(place)
  expect(ledger.unclean).toBe(true)
  expect((await ledger.entries({ conversation: 1 })).length).toBe(12)
  expect(ledger.live.document(0, "n")?.value).toBe(12)
  expect(await ledger.verify()).toEqual([])
  await ledger.close()
})

/** Each image is synced several times: what a busy disk needs for all of them, and ten times that. */
const imagesMs = 120_000

test(
  "T04: a log that is cut anywhere gives a beginning of what was committed, and says what is missing",
  async () => {
    const place = await dead(6)
    const { db, wal, shm, mark } = place.paths
    const files = [db, wal, shm, mark].map((path) => ({ path, bytes: readFileSync(path) }))
    const size = statSync(wal).size
    const outcomes = new Set<number>()
    for (let end = 0; end <= size; end += 512) {
      for (const { path, bytes } of files) writeFileSync(path, bytes)
      truncateSync(wal, end)
      const opened: unknown = await openSession(place).catch((error: unknown) => error)
      if (opened instanceof CommitsMissing) {
        outcomes.add(opened.missing)
        expect(opened.missing).toBe(7 - opened.found)
        expect(readFileSync(db)).toEqual(files[0]?.bytes ?? Buffer.alloc(0))
        expect(readFileSync(wal)).toEqual(files[1]?.bytes.subarray(0, end) ?? Buffer.alloc(0))
        expect(readFileSync(mark)).toEqual(files[3]?.bytes ?? Buffer.alloc(0))
      }
      const ledger = opened instanceof Error ? await openSession({ ...place, acceptLoss: true }) : (opened as Ledger)
      const entries = await ledger.entries({ conversation: 1 })
      expect(entries.map(({ data }) => data["text"])).toEqual(entries.map((_, n) => `entry ${n + 1}`))
      expect(ledger.live.document(0, "n")?.value ?? 0).toBe(entries.length)
      expect(await ledger.verify()).toEqual([])
      await ledger.close()
    }
    expect([...outcomes].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7])
  },
  imagesMs,
)

test("a loss that was accepted is not asked about again", async () => {
  const place = await dead()
  truncateSync(place.paths.wal, 5_000)
  await expect(openSession(place)).rejects.toThrow(CommitsMissing)
  await (await openSession({ ...place, acceptLoss: true })).close()
  await (await openSession(place)).close()
})

test("P7, T13: a byte that flips in the log takes commits with it, and that is told", async () => {
  const place = await dead()
  const whole = readFileSync(place.paths.wal)
  const flipped = Uint8Array.from(whole)
  const middle = Math.floor(whole.length / 2)
  flipped[middle] = (flipped[middle] ?? 0) ^ 0x10
  writeFileSync(place.paths.wal, flipped)
  const error: unknown = await openSession(place).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CommitsMissing)
  expect((error as CommitsMissing).message).toMatch(/\d+ acknowledged commits are missing/)
  // The log is still there for whoever wants to look.
  expect(readFileSync(place.paths.wal)).toEqual(Buffer.from(flipped))
})

test("a session with a loss can be looked at, and only looked at", async () => {
  const place = await dead()
  truncateSync(place.paths.wal, 5_000)
  const files = [place.paths.db, place.paths.wal, place.paths.shm, place.paths.mark, place.paths.lock]
  const before = files.map((path) => readFileSync(path))
  const ledger = await viewSession({ ...place, reason: "commits are missing" })
  const entries = await ledger.entries({ conversation: 1 })
  expect(ledger.live.document(0, "n")?.value ?? 0).toBe(entries.length)
  expect(ledger.health()).toEqual({ state: "read-only", reason: "commits are missing" })
  expect(() => ledger.commit("relaxed", (tx) => say(tx, "no"))).toThrow(ReadOnly)
  expect(() => ledger.assertOwner()).toThrow(ReadOnly)
  await ledger.close()
  expect(files.map((path) => readFileSync(path))).toEqual(before)
})

test("P7: a ledger that is not the one that was marked is found out", async () => {
  const place = await dead()
  const marked = readMark(place.paths.mark)
  if (!marked) throw new Error("a session that was flushed is marked")
  writeFileSync(place.paths.mark, markBytes({ ...marked, chain: marked.chain.map((byte) => byte ^ 1) }))
  await expect(openSession(place)).rejects.toThrow("its history is not the one that was marked")
  await (await openSession({ ...place, acceptLoss: true })).close()
})

test("a session without a mark is believed, and gets one", async () => {
  const place = await dead()
  rmSync(place.paths.mark)
  const ledger = await openSession(place)
  expect(readMark(place.paths.mark)?.seq).toBe(ledger.seq)
  await ledger.close()
})

test("a log without its index is read all the same", async () => {
  const place = await dead()
  rmSync(place.paths.shm)
  const ledger = await openSession(place)
  expect((await ledger.entries({ conversation: 1 })).length).toBe(12)
  await ledger.close()
})

test("a log that begins like none is passed over at once: what it held is told, and a closed session lacks nothing", async () => {
  const closed = newPlace()
  const ledger = await createSession(closed)
  ledger.commit("flushed", (tx) => say(tx, "kept"))
  await ledger.close()
  writeFileSync(closed.paths.wal, Buffer.alloc(5_000, 7))
  expect(await readSession(closed)).toMatchObject({ state: "ok", entries: 1 })
  await (await openSession(closed)).close()

  const { paths, ...torn } = await dead()
  const log = readFileSync(paths.wal)
  log[0] = 0x42
  writeFileSync(paths.wal, log)
  await expect(openSession(torn)).rejects.toThrow(/missing|damaged/)
  expect(existsSync(paths.wal)).toBe(true)
})

test("a log of which only the head was written, its index beside it, keeps nobody waiting and lacks nothing", async () => {
  const place = await dead()
  await (await openSession(place)).close()
  const ledger = await openSession(place)
  const copy = image(place)
  await ledger.close()
  // Killed in its first write after an orderly close: the head is there, and not one frame.
  const head = readFileSync(copy.paths.wal).subarray(0, 32)
  cpSync(place.paths.folder, copy.paths.folder, { recursive: true })
  writeFileSync(copy.paths.wal, head)
  expect(existsSync(copy.paths.shm)).toBe(true)
  const again = await openSession(copy)
  expect((await again.entries({ conversation: 1 })).length).toBe(12)
  expect(await again.verify()).toEqual([])
  await again.close()
})

test("where there is no log, what a killed process left half written is undone", async () => {
  const place = await dead()
  await (await openSession(place)).close()
  Bun.spawnSync([process.execPath, join(import.meta.dir, "half.fixture.ts"), place.paths.db])
  expect(existsSync(place.paths.journal)).toBe(true)
  const ledger = await openSession(place)
  expect((await ledger.entries({ conversation: 1 })).length).toBe(12)
  expect(await ledger.verify()).toEqual([])
  await ledger.close()
})

test("one of the mark's two slots always stands", () => {
  const place = newPlace()
  Bun.spawnSync(["mkdir", "-p", place.paths.folder])
  const chain = new Uint8Array(16).fill(7)
  const mark = new Mark(place.paths.mark, place.clock)
  for (let seq = 1; seq <= 5; seq++) mark.write({ seq, chain, at: 1_000 + seq })
  mark.close()
  expect(readMark(place.paths.mark)).toEqual({ seq: 5, chain, at: 1_005 })
  const whole = readFileSync(place.paths.mark)
  for (let at = 0; at < whole.length; at++) {
    const flipped = Uint8Array.from(whole)
    flipped[at] = (flipped[at] ?? 0) ^ 0xff
    writeFileSync(place.paths.mark, flipped)
    expect([4, 5]).toContain(readMark(place.paths.mark)?.seq ?? 0)
  }
  for (let end = 0; end < 512; end++) {
    writeFileSync(place.paths.mark, whole.subarray(0, end))
    expect([null, 5]).toContain(readMark(place.paths.mark)?.seq ?? null)
  }
})

test("the mark is synced once a second at most, and at close", async () => {
  const place = newPlace()
  const ledger = await createSession(place)
  const timers = place.clock.pending.length
  for (let n = 0; n < 50; n++) ledger.commit("flushed", (tx) => say(tx, `${n}`))
  expect(place.clock.pending.length).toBe(timers)
  await place.clock.advance(1_000)
  expect(place.clock.pending.length).toBe(0)
  ledger.commit("flushed", (tx) => say(tx, "once more"))
  expect(place.clock.pending).toEqual([1_000])
  await ledger.close()
  expect(place.clock.pending).toEqual([])
})

test("P7: verification names the row that is not what was written, and the commit that is missing", async () => {
  const place = await dead()
  await (await openSession(place)).close()
  const spoil = async (sql: string): Promise<readonly string[]> => {
    const spare = join(place.dataDir, "spare")
    cpSync(place.paths.folder, spare, { recursive: true })
    const db = new Database(place.paths.db)
    db.run(sql)
    db.close()
    const ledger = await openSession(place)
    const problems = await ledger.verify()
    await ledger.close()
    rmSync(place.paths.folder, { recursive: true })
    cpSync(spare, place.paths.folder, { recursive: true })
    rmSync(spare, { recursive: true })
    return problems
  }
  expect(await spoil(`UPDATE entries SET data = '{"text":"forged"}' WHERE id = 5`)).toEqual([
    "entries 5: not what was written",
  ])
  expect(await spoil("UPDATE documents SET version = 2")).toEqual(["documents 0 n: not what was written"])
  expect(await spoil("DELETE FROM commits WHERE seq BETWEEN 4 AND 5")).toContain("commits 4 to 5 are missing")
  expect(await spoil("UPDATE commits SET at = at + 1 WHERE seq = 3")).toContain("commit 3: the chain is broken")
  expect(await spoil("UPDATE entries SET seq = 3 WHERE seq = 4")).toEqual([
    "commit 3: its rows are not those that it wrote",
  ])
  expect(await spoil("UPDATE entries SET seq = 3 WHERE seq IN (4, 5)")).toEqual([
    "commit 3: 3 rows name it, it wrote 2",
  ])
  expect(await spoil("UPDATE entries SET seq = 900 WHERE seq = 4")).toEqual([
    "rows name commit 900, which is not there",
  ])
})

test("what only SQLite can know to be wrong is found by the deep check", async () => {
  const place = await dead()
  await (await openSession(place)).close()
  const bytes = readFileSync(place.paths.db)
  // How many pages are free, in the file's header.
  bytes.writeUInt32BE(5, 36)
  writeFileSync(place.paths.db, bytes)
  const ledger = await openSession(place)
  expect(await ledger.verify()).toEqual([])
  expect((await ledger.verify(true)).join()).toContain("SQLite: ")
  await ledger.close()
})

test("a file that is no database is damage, told as such, and left as it is", async () => {
  const place = await dead()
  await (await openSession(place)).close()
  const whole = readFileSync(place.paths.db)
  const spoiled: readonly Uint8Array[] = [
    Buffer.alloc(whole.length),
    Buffer.from("not a database at all".repeat(100)),
    whole.subarray(0, 1500),
    Buffer.alloc(0),
  ]
  for (const bytes of spoiled) {
    writeFileSync(place.paths.db, bytes)
    const error: unknown = await openSession(place).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SessionDamaged)
    expect((await readSession(place)).state).toBe("damaged")
    expect(readFileSync(place.paths.db)).toEqual(Buffer.from(bytes))
  }
  writeFileSync(place.paths.db, whole)
  await (await openSession(place)).close()
})

/** Opens, takes a task up at virtual time 0, lives for `ms`, and dies. */
async function dieAfter(place: Place, ms: number): Promise<Place> {
  const ledger = existsSync(place.paths.folder) ? await openSession(place) : await createSession(place)
  ledger.commit("relaxed", (tx) => {
    const [task] = tx.live.tasks.values()
    const { id } = task ?? tx.addTask(aTask)
    tx.setTask(id, { status: "running", facts: { pid: 7 }, abort: { reason: "asked" } })
  })
  await place.clock.advance(ms)
  const copy = image(place)
  await ledger.close()
  return copy
}

async function restartsOf(place: Place): Promise<number | undefined> {
  const ledger = await openSession(place)
  const [task] = ledger.live.tasks.values()
  expect(task).toMatchObject({ status: "pending", checkpoint: { n: 1 }, facts: { pid: 7 }, abort: { reason: "asked" } })
  await ledger.close()
  return task?.restarts
}

test("P8, T20: a death within a minute of taking a task up counts against it, and each further one does", async () => {
  let place = newPlace()
  for (const expected of [1, 2, 3]) {
    place = await dieAfter(place, 59_000)
    expect(await restartsOf(image(place))).toBe(expected)
  }
})

test("a minute of life forgets the deaths before, though nothing was committed in it", async () => {
  const once = await dieAfter(newPlace(), 10)
  const twice = await dieAfter(once, 10)
  expect(await restartsOf(image(twice))).toBe(2)
  expect(await restartsOf(await dieAfter(twice, 61_000))).toBe(0)
})

test("an orderly close counts as no death, and a task that was set aside stays so", async () => {
  const place = newPlace()
  const ledger = await createSession(place)
  ledger.commit("relaxed", (tx) => {
    tx.setTask(tx.addTask(aTask).id, { status: "running", restarts: 2 })
    tx.setTask(tx.addTask(aTask).id, { restarts: 3 })
    tx.setTask(tx.addTask(aTask).id, { status: "waiting" })
  })
  await ledger.close()
  const again = await openSession(place)
  expect([...again.live.tasks.values()].map(({ status, restarts }) => [status, restarts])).toEqual([
    ["pending", 0],
    ["pending", 3],
    ["waiting", 0],
  ])
  await again.close()
})

test("while nothing runs no timer is set, and a running task sets one", async () => {
  const place = newPlace()
  const ledger = await createSession(place)
  await place.clock.advance(1_000)
  expect(place.clock.pending).toEqual([])
  ledger.commit("relaxed", (tx) => tx.setTask(tx.addTask(aTask).id, { status: "running" }))
  ledger.commit("relaxed", (tx) => tx.setTask(tx.addTask(aTask).id, { status: "running" }))
  expect(place.clock.pending.length).toBe(1)
  await ledger.close()
  expect(place.clock.pending).toEqual([])
})
