/**
 * Giving space back: what is free inside a session's file, and what a deletion or a beginning that was cut short has
 * left behind.
 */
import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../std/clock.ts"
import { connect } from "./database.ts"
import { SessionHeld } from "./errors.ts"
import { isSessionName, sessionPaths, sessionsFolder } from "./folder.ts"
import { readFormat } from "./format.ts"
import { self } from "./holder.ts"
import type { Self } from "./holder.ts"
import { takeLock } from "./lock.ts"
import { checkLoss } from "./loss.ts"
import type { SessionPlace } from "./open.ts"
import { prunedData } from "./records.ts"

/** Less than this is not worth writing the whole file anew. */
const freeBytesMin = 64 * 1024
/** A session that is being made has no format file for a moment. */
const leftoverMs = 60_000

/** Writes the file anew without what is free in it; the bytes given back, 0 where it is not worth it or is held. */
export async function compactSession({
  dataDir,
  id,
  clock,
  self: me = self(),
}: SessionPlace & { readonly clock: Clock; readonly self?: Self }): Promise<number> {
  const paths = sessionPaths(dataDir, id)
  readFormat(id, paths)
  try {
    const lock = takeLock({ session: id, path: paths.lock, self: me, now: clock.now() })
    try {
      return vacuum(paths.db)
    } finally {
      lock.abandon()
    }
  } catch (error) {
    if (error instanceof SessionHeld) return 0
    throw error
  }
}

/**
 * Lets go of what entries of these kinds held that are older than `before` (wall-clock milliseconds), and of outputs
 * that were kept then; the entries stay where they are, empty. The bytes given back. Throws SessionHeld, or CommitsMissing: where some are
 * lost, what may still be found of them stays as it is.
 */
export async function pruneSession(
  { dataDir, id, clock, self: me = self() }: SessionPlace & { readonly clock: Clock; readonly self?: Self },
  { before, kinds }: { readonly before: number; readonly kinds: readonly string[] },
): Promise<number> {
  const paths = sessionPaths(dataDir, id)
  readFormat(id, paths)
  const lock = takeLock({ session: id, path: paths.lock, self: me, now: clock.now() })
  try {
    checkLoss(id, paths)
    const { db } = connect(paths.db)
    try {
      const places = kinds.map(() => "?").join(", ")
      db.run(`UPDATE entries SET data = ? WHERE at < ? AND kind IN (${places}) AND length(data) > ?`, [
        JSON.stringify(prunedData),
        before,
        ...kinds,
        JSON.stringify(prunedData).length,
      ])
    } finally {
      db.close()
    }
    return dropOutputs(paths.output, before) + vacuum(paths.db)
  } finally {
    lock.abandon()
  }
}

function dropOutputs(folder: string, before: number): number {
  let given = 0
  for (const name of statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)) {
    const { mtimeMs, size } = statSync(join(folder, name))
    if (mtimeMs >= before) continue
    rmSync(join(folder, name), { force: true })
    given += size
  }
  return given
}

function vacuum(path: string): number {
  const before = statSync(path).size
  const { db } = connect(path)
  try {
    const number = (pragma: string): number => Number(Object.values(db.query(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
    if (number("freelist_count") * number("page_size") < freeBytesMin) return 0
    db.run("VACUUM")
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
  return Math.max(0, before - statSync(path).size)
}

/** Removes folders that are no sessions: of a deletion that was cut short, or of a beginning. Returns how many. */
export function sweepLeftovers(dataDir: string, now: number, me: Self = self()): number {
  const folder = sessionsFolder(dataDir)
  let swept = 0
  for (const name of statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)) {
    if (!isSessionName(name)) continue
    const paths = sessionPaths(dataDir, name)
    if (statSync(paths.format, { throwIfNoEntry: false }) !== undefined) continue
    if (now - statSync(paths.folder).mtimeMs < leftoverMs) continue
    try {
      const lock = takeLock({ session: name, path: paths.lock, self: me, now })
      rmSync(join(folder, name), { recursive: true, force: true })
      lock.abandon()
      swept++
    } catch (error) {
      if (!(error instanceof SessionHeld)) throw error
    }
  }
  return swept
}
