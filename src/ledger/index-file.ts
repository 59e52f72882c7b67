/**
 * The file of the index, and what becomes of it when it is missing, of another version, or damaged: it is made anew, empty, and filled again
 * by whoever lists.
 *
 * - It is open only while one piece of work is done, and never across an await. Meanwhile its user has a part in the lock of `index.lock`;
 *   who puts another file in its place has that lock alone. A file replaced under its users would be mixed up with what SQLite keeps beside it.
 * - It can always be done without: where it cannot be opened now, there is no answer, and no error. Where its folder takes no writes at all, this
 *   process has one of its own, in memory, so that what is on the disk can still be listed and searched.
 */
import { Database, SQLiteError } from "bun:sqlite"
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { errorCode } from "../std/files.ts"
import schema from "./index.sql" with { type: "text" }
import { flock, flockShared, openLockFile, type Flock } from "./flock.ts"
import { fileMode, sessionsFolder } from "./folder.ts"
import { IndexDb } from "./index-db.ts"

const version = 2
/** Longer than this nobody waits for a cache. */
const busyMs = 250
/** 16 MiB: the pages of a search over everything. In KiB, as SQLite has it. */
const cacheKiB = 16 * 1024

/** By data folder, for as long as this process lives. */
const inMemory = new Map<string, Database>()

type Paths = { readonly db: string; readonly draft: string; readonly lock: string }

function pathsOf(dataDir: string): Paths {
  const inside = (name: string): string => join(dataDir, name)
  return { db: inside("index.db"), draft: inside("index.db.new"), lock: inside("index.lock") }
}

function memoryOf(dataDir: string): Database {
  const made = inMemory.get(dataDir)
  if (made !== undefined) return made
  const db = new Database(":memory:")
  db.transaction(() => db.run(schema)).immediate()
  inMemory.set(dataDir, db)
  return db
}

/** What `work` makes of the index; null where there is none to be had now. `work` may be called twice, the second time with an empty index. */
export function withIndex<T>(dataDir: string, work: (index: IndexDb) => T): T | null {
  if (!existsSync(sessionsFolder(dataDir))) return null
  const paths = pathsOf(dataDir)
  try {
    const found = withFile(paths, work)
    if (found.state === "done") return found.value
    if (found.state === "busy" || !replace(paths)) return null
    const again = withFile(paths, work)
    return again.state === "done" ? again.value : null
  } catch (error) {
    if (isUnwritable(error)) return work(new IndexDb(memoryOf(dataDir)))
    if (isWeather(error)) return null
    throw error
  }
}

type Used<T> = { readonly state: "done"; readonly value: T } | { readonly state: "useless" | "busy" }

function withFile<T>(paths: Paths, work: (index: IndexDb) => T): Used<T> {
  const used = locked(paths.lock, flockShared, (): Used<T> => {
    if (!existsSync(paths.db)) return { state: "useless" }
    try {
      return withDatabase(paths.db, (db) => {
        const found = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version
        return found === version ? { state: "done", value: work(new IndexDb(db)) } : { state: "useless" }
      })
    } catch (error) {
      if (isDamage(error)) return { state: "useless" }
      throw error
    }
  })
  return used ?? { state: "busy" }
}

/** Puts an empty index in the place of what is there; false where somebody uses it. */
function replace(paths: Paths): boolean {
  const replaced = locked(paths.lock, flock, () => {
    for (const path of [paths.draft, `${paths.draft}-journal`]) rmSync(path, { force: true })
    closeSync(openSync(paths.draft, "wx", fileMode))
    withDatabase(paths.draft, (db) => db.transaction(() => db.run(schema)).immediate())
    // What SQLite kept of the old file must not be taken for the new one's.
    for (const end of ["-journal", "-wal", "-shm", ""]) rmSync(`${paths.db}${end}`, { force: true })
    renameSync(paths.draft, paths.db)
    return true
  })
  return replaced ?? false
}

function withDatabase<T>(path: string, work: (db: Database) => T): T {
  const db = new Database(path, { readwrite: true })
  try {
    db.run(`PRAGMA busy_timeout = ${busyMs}; PRAGMA cache_size = -${cacheKiB}`)
    // No log: it would outlive every one of these short openings. Nothing here is worth a full flush.
    db.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")
    return work(db)
  } finally {
    db.close()
  }
}

function locked<T>(path: string, lock: Flock, work: () => T): T | null {
  const fd = openLockFile(path)
  try {
    const answer = lock(fd)
    // Where nobody can lock anything, a cache that is shared is not worth its risk.
    if (answer === "unsupported") throw new Unlockable("this file system has no locks")
    return answer === "taken" ? work() : null
  } finally {
    closeSync(fd)
  }
}

function isDamage(error: unknown): boolean {
  // A statement that does not fit the tables is damage too: they are not the ones that were made.
  return error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB|ERROR|FORMAT)/.test(error.code ?? "")
}

class Unlockable extends Error {
  override readonly name = "Unlockable"
}

/** The folder takes no file of ours, today or tomorrow. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Unlockable || ["EROFS", "EACCES", "EPERM", "EISDIR"].includes(errorCode(error) ?? "")
}

/** Busy, full, read-only, not allowed: no reason to fail, since it is a cache. */
function isWeather(error: unknown): boolean {
  return error instanceof SQLiteError || errorCode(error) !== undefined
}
