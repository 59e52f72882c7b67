/**
 * How the sessions on this disk look from outside, quickly: nothing of them is opened, and the same stamp means that nothing was written since.
 *
 * - A stamp is made of size and time of the ledger and its log, and of the commit that the mark names: a log that is written from its start
 *   again keeps its size, and times are coarse.
 * - Whether a session is whole and of a known format is not told here; only a stamp that was seen before says that it is.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { errorCode } from "../std/files.ts"
import { isSessionName, sessionPaths, sessionsFolder } from "./folder.ts"
import { readMark } from "./mark.ts"

export type Stamped = {
  readonly id: string
  readonly stamp: string
  /** The file system's time of the last write; it only sorts. */
  readonly updatedAt: number
  /** The ledger and its log. */
  readonly bytes: number
}

/** All sessions, newest first by the last write. */
export function stampSessions(dataDir: string): readonly Stamped[] {
  return newestFirst(sessionNames(dataDir).flatMap((id) => stampSession(dataDir, id) ?? []))
}

/** Undefined where there is no such session, or one that was never begun. */
export function stampSession(dataDir: string, id: string): Stamped | undefined {
  const paths = sessionPaths(dataDir, id)
  const db = statSync(paths.db, { throwIfNoEntry: false })
  // What is begun has a format before it has a ledger.
  if (db === undefined && !existsSync(paths.format)) return undefined
  const wal = statSync(paths.wal, { throwIfNoEntry: false })
  const seq = seqOf(paths.mark)
  const sizes = [db, wal].map((file) => (file === undefined ? "-" : `${file.size}@${file.mtimeMs}`))
  return {
    id,
    stamp: [...sizes, seq].join(" "),
    updatedAt: Math.max(0, db?.mtimeMs ?? 0, wal?.mtimeMs ?? 0),
    bytes: (db?.size ?? 0) + (wal?.size ?? 0),
  }
}

/** The newest commit that was flushed, in words; a mark that cannot be read is as good as none. */
function seqOf(path: string): string {
  try {
    return `${readMark(path)?.seq ?? "-"}`
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return "?"
  }
}

/** What a stamp says of the session that it was made of. */
export function readStamp(id: string, stamp: string): Stamped {
  const files = stamp
    .split(" ")
    .flatMap((part) => (part.includes("@") ? [part.split("@").map(Number) as [number, number]] : []))
  return {
    id,
    stamp,
    updatedAt: Math.max(0, ...files.map(([, at]) => at)),
    bytes: files.reduce((sum, [size]) => sum + size, 0),
  }
}

function newestFirst(stamped: readonly Stamped[]): readonly Stamped[] {
  return stamped.toSorted((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? 1 : -1))
}

/** What stands in the index of sessions that are still there, as it was when it was written: nothing is looked at. */
export function knownStamps(
  dataDir: string,
  known: readonly { readonly id: string; readonly stamp: string }[],
): readonly Stamped[] {
  const there = new Set(sessionNames(dataDir))
  return newestFirst(known.flatMap(({ id, stamp }) => (there.has(id) ? [readStamp(id, stamp)] : [])))
}

/** The names of all folders of sessions. */
export function sessionNames(dataDir: string): readonly string[] {
  return namesIn(sessionsFolder(dataDir))
}

function namesIn(folder: string): readonly string[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true })
    return found.flatMap((one) => (isSessionName(one.name) && one.isDirectory() ? [one.name] : []))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}
