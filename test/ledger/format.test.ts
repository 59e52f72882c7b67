/**
 * Versions of the files: a newer one is left alone, an older one is brought along, and a migration may stop anywhere.
 */
import { afterEach, expect, test } from "bun:test"
import { Database } from "bun:sqlite"
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NewerFormat, SessionDamaged, SessionMissing } from "../../src/ledger/errors.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { SessionPaths } from "../../src/ledger/folder.ts"
import { formatCurrent, migrate, readFormat } from "../../src/ledger/format.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { readSession } from "../../src/ledger/peek.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { say } from "../support/ledger-deeds.ts"

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup()
})

type Place = {
  readonly dataDir: string
  readonly id: string
  readonly clock: ManualClock
  readonly paths: SessionPaths
}

async function closedSession(): Promise<Place> {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = new ManualClock()
  const id = uuidv7(clock.now())
  const ledger = await createSession({ dataDir, id, clock })
  ledger.commit("flushed", (tx) => say(tx, "kept"))
  await ledger.close()
  return { dataDir, id, clock, paths: sessionPaths(dataDir, id) }
}

/** Every file and folder, with its bytes and its times. */
function everything(folder: string): unknown {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
  return ["", ...names].map((name) => {
    const { mtimeMs, ctimeMs, size } = statSync(join(folder, name))
    const isFile = statSync(join(folder, name)).isFile()
    return { name, mtimeMs, ctimeMs, size, bytes: isFile ? readFileSync(join(folder, name)).toString("base64") : null }
  })
}

/** Two steps, the second of which fails for one of these databases where `broken`. */
const steps = (broken: boolean): { readonly to: number; readonly sql: string }[] => [
  { to: formatCurrent + 1, sql: "ALTER TABLE entries ADD COLUMN note TEXT; CREATE TABLE extra (id INTEGER) STRICT" },
  { to: formatCurrent + 2, sql: broken ? "INSERT INTO nowhere VALUES (1)" : "UPDATE entries SET note = 'moved'" },
]

function tablesOf(paths: SessionPaths): {
  readonly version: number
  readonly extra: boolean
  readonly entries: number
} {
  const db = new Database(paths.db)
  const version = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0
  const extra = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'extra'").get() !== null
  const entries = db.query<{ n: number }, []>("SELECT count(*) AS n FROM entries").get()?.n ?? 0
  db.close()
  return { version, extra, entries }
}

test("P9, T26: a session of a newer format is refused without one byte written, and can be listed (16)", async () => {
  const place = await closedSession()
  writeFileSync(place.paths.format, `cairn ${formatCurrent + 1}\n`)
  const before = everything(place.paths.folder)
  const error: unknown = await openSession(place).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(NewerFormat)
  expect(error).toMatchObject({ found: formatCurrent + 1, supported: formatCurrent })
  expect((await readSession(place)).state).toBe("newer")
  await expect(openSession({ ...place, takeOver: true, acceptLoss: true })).rejects.toThrow(NewerFormat)
  expect(everything(place.paths.folder)).toEqual(before)
})

test("looking into a closed session writes nothing", async () => {
  const place = await closedSession()
  const before = everything(place.paths.folder)
  expect((await readSession(place)).state).toBe("ok")
  expect(everything(place.paths.folder)).toEqual(before)
})

test("a format file that says nothing is damage, and a folder without one is no session", async () => {
  const place = await closedSession()
  for (const text of ["", "cairn", "cairn x\n", "cairn 1", "opencode 1\n"]) {
    writeFileSync(place.paths.format, text)
    await expect(openSession(place)).rejects.toThrow(SessionDamaged)
  }
  rmSync(place.paths.format)
  await expect(openSession(place)).rejects.toThrow(SessionMissing)
  await expect(openSession({ ...place, id: uuidv7(1) })).rejects.toThrow(SessionMissing)
})

test("a migration keeps a copy of what was, and moves everything at once (16)", async () => {
  const { paths } = await closedSession()
  const to = formatCurrent + 2
  migrate(paths, { to, steps: steps(false) })
  expect(readFormat("", paths, to)).toBe(to)
  expect(tablesOf(paths)).toEqual({ version: to, extra: true, entries: 1 })
  const copy = new Database(join(paths.backup, String(formatCurrent), "ledger.db"), { readonly: true })
  expect(copy.query("SELECT count(*) AS n FROM entries").get()).toEqual({ n: 1 })
  expect(copy.query("PRAGMA user_version").get()).toEqual({ user_version: formatCurrent })
  copy.close()
  expect(existsSync(paths.wal)).toBe(false)
})

test("a migration that fails leaves the tables as they were, refuses older programs, and can be done again (15)", async () => {
  const place = await closedSession()
  const { paths } = place
  const to = formatCurrent + 2
  expect(() => migrate(paths, { to, steps: steps(true) })).toThrow("nowhere")
  expect(tablesOf(paths)).toEqual({ version: formatCurrent, extra: false, entries: 1 })
  await expect(openSession(place)).rejects.toThrow(NewerFormat)
  migrate(paths, { to, steps: steps(false) })
  migrate(paths, { to, steps: steps(false) })
  expect(tablesOf(paths)).toEqual({ version: to, extra: true, entries: 1 })
})

test("P9, T26: a migration that was killed between its copy, its number and its tables is finished by the next", async () => {
  const { paths } = await closedSession()
  const to = formatCurrent + 1
  mkdirSync(join(paths.backup, String(formatCurrent)), { recursive: true })
  writeFileSync(join(paths.backup, String(formatCurrent), "ledger.db.new"), "half a copy")
  writeFileSync(paths.format, `cairn ${to}\n`)
  migrate(paths, { to, steps: steps(false) })
  expect(tablesOf(paths)).toMatchObject({ version: to, extra: true })
  // Or its tables had come along and only its number had not.
  writeFileSync(paths.format, `cairn ${formatCurrent}\n`)
  migrate(paths, { to, steps: steps(false) })
  expect(readFormat("", paths, to)).toBe(to)
})
