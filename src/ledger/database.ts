/**
 * A connection to a ledger's file: how it is set, and what its errors mean.
 *
 * - One connection writes, for as long as the session is open. No other code of this process opens the file or its
 *   companions: closing any descriptor of them would drop SQLite's locks.
 * - WAL is asked for and read back. Where the file system has none, a rollback journal does, with every commit flushed.
 * - A full flush means the platter, also on macOS.
 */
import { Database, SQLiteError, constants } from "bun:sqlite"
import schema from "./schema.sql" with { type: "text" }
import { Rejected, Unknown } from "./storage.ts"

/** Three commits and a spool for an answer of 32 KB write half of what they do at 4 KB a page. */
export const pageBytes = 1024
/** In pages, 1 MiB: what a checkpoint moves at a time, and about what the WAL takes on disk. */
const walPagesMax = 1024
const walBytesMax = 4 * 1024 * 1024
/** Nobody else writes here, so a lock of the file is a passer-by's; longer than this the batch waits off the line. */
const busyMs = 250
/** STRICT tables. */
const versionMin = [3, 37, 0] as const

export type Connection = {
  readonly db: Database
  readonly wal: boolean
  readonly notices: readonly string[]
}

/** Opens `path`, which exists (an empty file becomes a ledger). `dotfile`: the file system has no locks. */
export function connect(path: string, { create = false, dotfile = false } = {}): Connection {
  const flags = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_URI
  const db = new Database(fileUri(path, dotfile ? "vfs=unix-dotfile" : ""), flags)
  try {
    const version = db.query<{ version: string }, []>("SELECT sqlite_version() AS version").get()?.version ?? ""
    if (!isAtLeast(version, versionMin)) throw new Error(`SQLite ${version} is too old: Cairn needs 3.37 or newer`)
    db.run(`PRAGMA busy_timeout = ${busyMs}`)
    db.run("PRAGMA foreign_keys = ON")
    if (process.platform === "darwin") db.run("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    if (create) {
      // Before there is a log, so that whatever a log may lose, the tables are there.
      db.run(`PRAGMA page_size = ${pageBytes}`)
      db.transaction(() => db.run(schema)).immediate()
    }
    const journal = db.query<{ journal_mode: string }, []>("PRAGMA journal_mode = WAL").get()?.journal_mode
    const wal = journal === "wal"
    db.run("PRAGMA synchronous = FULL")
    db.run(`PRAGMA wal_autocheckpoint = ${walPagesMax}; PRAGMA journal_size_limit = ${walBytesMax}`)
    return { db, wal, notices: notices(version, wal) }
  } catch (error) {
    db.close()
    throw error
  }
}

/** What stands beside a ledger's file: no log, one with its index, or one whose index is missing. */
export type LogState = "none" | "indexed" | "bare"

/**
 * A connection that writes nothing: for looking into a session that is closed, that died, or that another process
 * holds. Without a log the file alone is whole, and looking for one would leave one. With it, its shared index is read
 * where it is; only a missing one is made anew.
 */
export function connectReadOnly(path: string, log: LogState): Database {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
  const how = { none: "mode=ro&immutable=1", indexed: "mode=ro&readonly_shm=1", bare: "mode=ro" }
  const db = new Database(fileUri(path, how[log]), flags)
  db.run(`PRAGMA busy_timeout = ${busyMs}`)
  return db
}

function fileUri(path: string, query: string): string {
  const name = path.split("/").map(encodeURIComponent).join("/")
  return query === "" ? `file:${name}` : `file:${name}?${query}`
}

function notices(version: string, wal: boolean): readonly string[] {
  const told: string[] = []
  if (!wal) told.push("this file system has no write-ahead log for SQLite: every commit is flushed, which is slower")
  if (wal && !walIsSound(version)) {
    told.push(
      `SQLite ${version} can lose pages when two programs write to one file: open no session with another program`,
    )
  }
  return told
}

/**
 * False for versions with the fault in restarting a WAL that two connections write and checkpoint at the same instant.
 */
export function walIsSound(version: string): boolean {
  if (isAtLeast(version, [3, 51, 3])) return true
  const backported = (minor: number, patch: number): boolean =>
    isAtLeast(version, [3, minor, patch]) && !isAtLeast(version, [3, minor + 1, 0])
  return backported(50, 7) || backported(44, 6)
}

function isAtLeast(version: string, least: readonly [number, number, number]): boolean {
  const parts = version.split(".").map(Number)
  for (const [at, wanted] of least.entries()) {
    const part = parts[at] ?? 0
    if (part !== wanted) return part > wanted
  }
  return true
}

/** What rolls back with certainty: nothing of the batch is there, and trying again may help. */
const rejections = ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_NOMEM", "SQLITE_CANTOPEN"]
/** The file is no ledger any more: trying again does not help, opening again tells what is left. */
const damages = ["SQLITE_CORRUPT", "SQLITE_NOTADB"]

/**
 * What an error of a transaction means. An I/O error before COMMIT had no effect; one in it may have come after the
 * commit was in the log. What is neither weather nor damage, such as a broken constraint, is a bug and comes back as it
 * is.
 */
export function meaning(error: unknown, committing: boolean): unknown {
  if (!(error instanceof SQLiteError)) return error
  const code = error.code ?? ""
  const is = (prefix: string): boolean => code.startsWith(prefix)
  if (rejections.some(is)) return new Rejected(error.message, { cause: error })
  if (damages.some(is)) return new Unknown(error.message, { cause: error })
  if (!is("SQLITE_IOERR")) return error
  return committing ? new Unknown(error.message, { cause: error }) : new Rejected(error.message, { cause: error })
}
