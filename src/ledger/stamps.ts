/**
 * How the sessions on this disk look from outside, quickly: nothing of them is opened, and the same stamp means that nothing was written since.
 *
 * - A stamp is made of size and time of the ledger and its log, and of the commit that the mark names: a log that is written from its start
 *   again keeps its size, and times are coarse.
 * - Whether a session is whole and of a known format is not told here; only a stamp that was seen before says that it is.
 */
import { readdirSync, statSync } from "node:fs"
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
  const stamped = namesIn(sessionsFolder(dataDir)).flatMap((id) => stampSession(dataDir, id) ?? [])
  return stamped.sort((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? 1 : -1))
}

/** Undefined where there is no such session, or one that was never begun. */
export function stampSession(dataDir: string, id: string): Stamped | undefined {
  const paths = sessionPaths(dataDir, id)
  const format = statSync(paths.format, { throwIfNoEntry: false })
  if (format === undefined) return undefined
  const db = statSync(paths.db, { throwIfNoEntry: false })
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

function namesIn(folder: string): readonly string[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true })
    return found.flatMap((one) => (isSessionName(one.name) && one.isDirectory() ? [one.name] : []))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}
