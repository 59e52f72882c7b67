/**
 * Sessions that a person threw away, where they can be taken back from for a while: `trash/<id>` beside `sessions/`.
 *
 * - A session goes there whole and comes back as it was; in between it is in no list and nothing can open it.
 * - What was thrown away longer ago than `keptMs` goes for good, with the next one that is thrown away and with every pruning.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { SessionMissing } from "./errors.ts"
import { isSessionName, makeFolder, sessionPaths, sessionsFolder, syncFolder } from "./folder.ts"
import { self, type Self } from "./holder.ts"
import { takeLock } from "./lock.ts"
import type { SessionPlace } from "./open.ts"

const keptMs = 7 * 24 * 60 * 60 * 1000

function trashFolder(dataDir: string): string {
  return join(dataDir, "trash")
}

/** Throws SessionMissing or SessionHeld, with nothing moved. */
export function trashSession({ dataDir, id }: SessionPlace, now: number, here: Self = self()): void {
  const paths = sessionPaths(dataDir, id)
  if (!existsSync(paths.folder)) throw new SessionMissing(id)
  const lock = takeLock({ session: id, path: paths.lock, self: here, now })
  try {
    emptyTrash(dataDir, now)
    makeFolder(trashFolder(dataDir))
    // The folder's own time says since when it lies there.
    utimesSync(paths.folder, now / 1000, now / 1000)
    move(dataDir, paths.folder, join(trashFolder(dataDir), id))
  } finally {
    lock.abandon()
  }
}

/** Throws SessionMissing where it is not there, or not any more. */
export function restoreSession({ dataDir, id }: SessionPlace): void {
  const from = join(trashFolder(dataDir), id)
  if (!existsSync(from)) throw new SessionMissing(id)
  move(dataDir, from, sessionPaths(dataDir, id).folder)
}

/** Removes what was thrown away too long ago. */
export function emptyTrash(dataDir: string, now: number): void {
  const folder = trashFolder(dataDir)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder).filter(isSessionName)) {
    const path = join(folder, name)
    if (now - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true })
  }
}

function move(dataDir: string, from: string, to: string): void {
  renameSync(from, to)
  syncFolder(sessionsFolder(dataDir))
  syncFolder(trashFolder(dataDir))
}
