/**
 * Which sessions there are, told without opening any: names, times, sizes, who holds them.
 *
 * - One that is damaged or newer is in the list and says so; it hides no other.
 * - A folder without a format file is no session: it was never begun, or is being deleted.
 * - Newest first by the last write; the time is the file system's, and only sorts.
 */
import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { NewerFormat } from "./errors.ts"
import type { Holder } from "./errors.ts"
import { isSessionName, sessionPaths, sessionsFolder, syncFolder } from "./folder.ts"
import type { SessionPaths } from "./folder.ts"
import { readFormat } from "./format.ts"
import { self } from "./holder.ts"
import type { Self } from "./holder.ts"
import { readHolder, takeLock } from "./lock.ts"
import type { SessionPlace } from "./open.ts"

export type Listed = {
  readonly id: string
  /** Milliseconds since 1970, from the id. */
  readonly createdAt: number
  readonly updatedAt: number
  /** The ledger and its log; not spools and outputs. */
  readonly bytes: number
  readonly holder: Holder | null
  readonly state: "ok" | "damaged" | "newer"
  /** What is wrong, in a sentence; empty where nothing is. */
  readonly note: string
}

export function listSessions(dataDir: string, here: Self = self()): readonly Listed[] {
  const listed = sessionNames(dataDir).map((id) => describe(dataDir, id, here))
  return listed.sort((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? 1 : -1))
}

export type Resolved =
  | { readonly status: "one"; readonly id: string }
  | { readonly status: "none" }
  | { readonly status: "several"; readonly ids: readonly string[] }

/** The sessions that a person may mean by `name`: a whole id, the beginning of one, or its last eight digits. */
export function resolveSession(dataDir: string, name: string): Resolved {
  const digits = name.toLowerCase().replaceAll("-", "")
  if (digits === "" || !/^[0-9a-f]+$/.test(digits)) return { status: "none" }
  const ids = sessionNames(dataDir).filter((id) => {
    const all = id.replaceAll("-", "")
    return all.startsWith(digits) || (digits.length === 8 && all.endsWith(digits))
  })
  const [first, ...others] = ids
  if (first === undefined) return { status: "none" }
  return others.length === 0 ? { status: "one", id: first } : { status: "several", ids }
}

/**
 * Removes a session that nobody holds, with all that it kept. Throws SessionMissing or SessionHeld, with nothing
 * removed.
 */
export function deleteSession({ dataDir, id }: SessionPlace, now: number, here: Self = self()): void {
  const paths = sessionPaths(dataDir, id)
  statSync(paths.folder)
  const lock = takeLock({ session: id, path: paths.lock, self: here, now })
  try {
    // First what makes it a session: cut short here, what is left is nobody's.
    rmSync(paths.format, { force: true })
    syncFolder(paths.folder)
    rmSync(paths.folder, { recursive: true, force: true })
    syncFolder(sessionsFolder(dataDir))
  } finally {
    lock.abandon()
  }
}

/** Everything that a session takes on the disk, outputs and spools too. */
export function folderBytes(dataDir: string, id: string): number {
  const { folder } = sessionPaths(dataDir, id)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}

function sessionNames(dataDir: string): readonly string[] {
  const folder = sessionsFolder(dataDir)
  const names = readNames(folder).filter(isSessionName)
  return names.filter((name) => statSync(join(folder, name, "format"), { throwIfNoEntry: false }) !== undefined)
}

function readNames(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)
}

function describe(dataDir: string, id: string, here: Self): Listed {
  const paths = sessionPaths(dataDir, id)
  const files = [paths.db, paths.wal, paths.mark].map((path) => statSync(path, { throwIfNoEntry: false }))
  const [db, wal] = files
  return {
    id,
    createdAt: Number.parseInt(id.replace("-", "").slice(0, 12), 16),
    updatedAt: Math.max(0, ...files.map((file) => file?.mtimeMs ?? 0)),
    bytes: (db?.size ?? 0) + (wal?.size ?? 0),
    holder: readHolder(dataDir, id, here),
    ...standing(id, paths, db?.size),
  }
}

function standing(id: string, paths: SessionPaths, bytes: number | undefined): Pick<Listed, "state" | "note"> {
  try {
    readFormat(id, paths)
  } catch (error) {
    if (error instanceof NewerFormat) return { state: "newer", note: error.message }
    return { state: "damaged", note: error instanceof Error ? error.message : String(error) }
  }
  if (bytes === undefined) return { state: "damaged", note: "its file ledger.db is missing" }
  return { state: "ok", note: "" }
}
