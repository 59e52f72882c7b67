/** Space that comes back: what is free inside a session's file, and folders that are no sessions. */
import { afterEach, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CommitsMissing, SessionHeld } from "../../src/ledger/errors.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import { self } from "../../src/ledger/holder.ts"
import { takeLock } from "../../src/ledger/lock.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { isPruned } from "../../src/ledger/records.ts"
import { compactSession, pruneSession, sweepLeftovers } from "../../src/ledger/space.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { say, texts } from "../support/ledger-deeds.ts"
import { ManualClock } from "../support/manual-clock.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test("P10: what documents that went had taken comes back, and nothing else is touched", async () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const { db } = sessionPaths(dataDir, place.id)
  const ledger = await createSession(place)
  ledger.commit("flushed", (tx) => {
    say(tx, "kept")
    for (let n = 0; n < 50; n++) tx.setDocument(0, `screen/${n}`, "x".repeat(20_000))
  })
  ledger.commit("flushed", (tx) => {
    for (let n = 0; n < 50; n++) tx.retireDocument(0, `screen/${n}`)
  })
  // Held: nobody else may.
  expect(await compactSession(place)).toBe(0)
  await ledger.close()
  const before = statSync(db).size
  const given = await compactSession(place)
  expect(given).toBeGreaterThan(900_000)
  expect(statSync(db).size).toBe(before - given)
  expect(await compactSession(place)).toBe(0)
  const again = await openSession(place)
  expect(again.unclean).toBe(false)
  expect(texts(await again.entries({ conversation: 1 }))).toEqual(["kept"])
  expect(await again.verify(true)).toEqual([])
  await again.close()
})

test("folders that are no sessions are swept once they are old enough to be left over, and held by nobody", () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const now = 1_700_000_000_000
  const folder = (minutes: number): string => {
    const path = sessionPaths(dataDir, uuidv7(now)).folder
    mkdirSync(path, { recursive: true })
    const at = (now - minutes * 60_000) / 1_000
    utimesSync(path, at, at)
    return path
  }
  const [old, young, held] = [folder(10), folder(0), folder(10)] as const
  const id = held.split("/").at(-1) ?? ""
  const lock = takeLock({ session: id, path: sessionPaths(dataDir, id).lock, self: self(), now })
  const at = (now - 600_000) / 1_000
  utimesSync(held, at, at)
  expect(sweepLeftovers(dataDir, now)).toBe(1)
  expect([old, young, held].map((path) => existsSync(path))).toEqual([false, true, true])
  lock.abandon()
})

test("P10: old output that is pruned leaves its entry where it was, and nothing that seems lost", async () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const ledger = await createSession(place)
  const add = (kind: string): unknown =>
    ledger.commit("flushed", (tx) => tx.addEntry({ conversation: 1, kind, data: { text: "y".repeat(100_000) } }))
  add("output")
  add("note")
  clock.jump(1_000)
  const before = clock.now()
  add("output")
  await ledger.close()
  expect(await pruneSession(place, { before, kinds: ["output"] })).toBeGreaterThan(90_000)
  expect(await pruneSession(place, { before, kinds: ["output"] })).toBe(0)
  const again = await openSession(place)
  const entries = await again.entries({ conversation: 1 })
  expect(entries.map((entry) => [entry.kind, isPruned(entry)])).toEqual([
    ["output", true],
    ["note", false],
    ["output", false],
  ])
  expect(await again.verify(true)).toEqual([])
  await expect(pruneSession(place, { before, kinds: ["output"] })).rejects.toThrow(SessionHeld)
  await again.close()
})

test("a session in which commits are missing is not pruned: what may still be found of them stays", async () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const place = { dataDir, id: uuidv7(clock.now()), clock }
  const { db, wal, shm, output } = sessionPaths(dataDir, place.id)
  const ledger = await createSession(place)
  const add = (): Promise<void> =>
    ledger.commit("flushed", (tx) =>
      tx.addEntry({ conversation: 1, kind: "output", data: { text: "y".repeat(9_000) } }),
    ).stored
  await add()
  const early = [db, wal].map((path) => readFileSync(path))
  await add()
  await ledger.close()
  rmSync(shm, { force: true })
  for (const [at, path] of [db, wal].entries()) writeFileSync(path, early[at] ?? "")
  mkdirSync(output, { recursive: true })
  writeFileSync(join(output, "7"), "kept")
  await expect(pruneSession(place, { before: Infinity, kinds: ["output"] })).rejects.toThrow(CommitsMissing)
  expect(readFileSync(db).equals(early[0] ?? Buffer.alloc(0))).toBe(true)
  expect(existsSync(join(output, "7"))).toBe(true)
})
