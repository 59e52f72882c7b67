/**
 * Checking a session to the bottom, and mending what can be: for a person who asks, never by itself.
 *
 * - What loses nothing is mended at once: an index that disagrees with its table, a format file that says nothing.
 * - What loses something is told, and done when the loss is accepted: going on behind missing commits; a new session
 *   of what is whole, with the damaged one set aside under `damaged/`.
 * - Nothing is ever deleted. A session that is held is only looked at.
 */
import type { Database } from "bun:sqlite"
import { existsSync, linkSync, copyFileSync, readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { uuidv7 } from "../std/id.ts"
import type { Clock } from "../std/clock.ts"
import { connect, connectReadOnly } from "./database.ts"
import { damaged } from "./damage.ts"
import { CommitsMissing, NewerFormat, SessionDamaged, SessionHeld, SessionMissing } from "./errors.ts"
import { makeFolder, sessionPaths, sessionsFolder, syncFolder } from "./folder.ts"
import type { SessionPaths } from "./folder.ts"
import { formatCurrent, readFormat, tablesFormat, writeFormat } from "./format.ts"
import { self } from "./holder.ts"
import type { Self } from "./holder.ts"
import { takeLock } from "./lock.ts"
import { acceptLoss, checkLoss, logState } from "./loss.ts"
import { createFrom } from "./open.ts"
import type { SessionPlace } from "./open.ts"
import { allRecords } from "./peek.ts"
import type { AllRecords } from "./peek.ts"
import { salvage } from "./salvage.ts"
import type { Salvage, SessionRecords } from "./salvage.ts"
import { verify } from "./verify.ts"

export type CheckOptions = SessionPlace & {
  readonly clock: Clock
  readonly self?: Self
  /** Go on from what is there. */
  readonly accept: boolean
  /** What else must hold of the records, told in sentences: the ledger does not know what they mean. */
  readonly invariants: (records: AllRecords) => readonly string[]
  /** What a session of what was salvaged holds. */
  readonly rebuild: (found: Salvage, from: string, to: string) => SessionRecords
}

/**
 * `ok`: all agrees, or does now. `loss`: something is missing, and opening needs `accept`. `damaged`: it does not open,
 * and `accept` makes a new session of what is whole. `salvaged`: that has been done.
 */
export type Checked = {
  readonly state: "ok" | "loss" | "damaged" | "salvaged" | "newer"
  readonly problems: readonly string[]
  readonly mended: readonly string[]
  /** Entries that are whole, of those that the ledger counted; where it is damaged. */
  readonly whole?: { readonly entries: number; readonly counted: number | null }
  /** The new session, null where nothing was whole, and where the damaged one is now. */
  readonly made?: { readonly id: string | null; readonly aside: string }
}

/** Throws SessionMissing. */
export async function checkSession(options: CheckOptions): Promise<Checked> {
  const { dataDir, id, clock } = options
  const paths = sessionPaths(dataDir, id)
  if (!existsSync(paths.folder)) throw new SessionMissing(id)
  let formatNote: string | null = null
  try {
    readFormat(id, paths)
  } catch (error) {
    if (error instanceof NewerFormat) return { state: "newer", problems: [error.message], mended: [] }
    if (error instanceof SessionMissing) throw error
    formatNote = "its file `format` does not say which format it has"
  }
  try {
    const lock = takeLock({ session: id, path: paths.lock, self: options.self ?? self(), now: clock.now() })
    try {
      return await checkOwn(options, paths, formatNote)
    } finally {
      lock.abandon()
    }
  } catch (error) {
    if (!(error instanceof SessionHeld) && !isReadOnlyDisk(error)) throw error
    const problems = await problemsOf(paths, options)
    return { state: problems.length === 0 ? "ok" : "damaged", problems, mended: [] }
  }
}

function isReadOnlyDisk(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EROFS" || error.code === "EACCES")
}

async function checkOwn(options: CheckOptions, paths: SessionPaths, formatNote: string | null): Promise<Checked> {
  const mended: string[] = []
  undoUnfinished(paths)
  let problems = await problemsOf(paths, options)
  if (problems.length > 0 && problems.every(isOfIndex)) {
    reindex(paths)
    mended.push(`indexes were made anew: ${problems.join("; ")}`)
    problems = await problemsOf(paths, options)
  }
  if (problems.length > 0) return mendDamage(options, paths, problems, mended)
  if (formatNote !== null) {
    if (formatOf(paths) !== formatCurrent) return { state: "damaged", problems: [formatNote], mended }
    writeFormat(paths, formatCurrent)
    mended.push(`${formatNote}: it was written anew`)
  }
  const missing = lossOf(options.id, paths)
  if (missing === null) return { state: "ok", problems, mended }
  if (!options.accept) return { state: "loss", problems: [missing.message], mended }
  acceptLoss(paths, options.clock)
  mended.push(`${missing.message.replace(/; "cairn sessions check.*$/, "")}: it goes on from what is there`)
  return { state: "ok", problems, mended }
}

/** All that does not agree, of a session that nobody in this process has open. */
async function problemsOf(paths: SessionPaths, { id, clock, invariants }: CheckOptions): Promise<readonly string[]> {
  if (!existsSync(paths.db)) return ["its file ledger.db is missing"]
  let db: Database | null = null
  try {
    db = connectReadOnly(paths.db, logState(paths))
    const problems = await verify(db, true, clock)
    return problems.length > 0 ? problems : invariants(allRecords(db))
  } catch (error) {
    if (!(damaged(id, error) instanceof SessionDamaged)) throw error
    return [error instanceof Error ? error.message : String(error)]
  } finally {
    db?.close()
  }
}

/** What SQLite says of an index that its table knows better. */
function isOfIndex(problem: string): boolean {
  return /^SQLite: (row \d+ missing from index|wrong # of entries in index|non-unique entry in index)/.test(problem)
}

function reindex(paths: SessionPaths): void {
  const { db } = connect(paths.db)
  try {
    db.run("REINDEX")
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}

function undoUnfinished(paths: SessionPaths): void {
  if (!existsSync(paths.journal) || !existsSync(paths.db)) return
  try {
    connect(paths.db).db.close()
  } catch (error) {
    // A damaged file's journal is of no use either; what is wrong is told by the checks.
    if (!(damaged("", error) instanceof SessionDamaged)) throw error
  }
}

function formatOf(paths: SessionPaths): number {
  const db = connectReadOnly(paths.db, logState(paths))
  try {
    return tablesFormat(db)
  } finally {
    db.close()
  }
}

function lossOf(id: string, paths: SessionPaths): CommitsMissing | null {
  try {
    checkLoss(id, paths)
    return null
  } catch (error) {
    if (error instanceof CommitsMissing) return error
    throw error
  }
}

async function mendDamage(
  options: CheckOptions,
  paths: SessionPaths,
  problems: readonly string[],
  mended: readonly string[],
): Promise<Checked> {
  const found = salvage(paths)
  const whole = { entries: found.entries.length, counted: found.counted }
  if (!options.accept) return { state: "damaged", problems, mended, whole }
  const { dataDir, id: from, clock } = options
  const aside = join(dataDir, "damaged", from)
  if (found.entries.length === 0) {
    setAside(dataDir, paths, aside)
    return { state: "salvaged", problems, mended, whole, made: { id: null, aside } }
  }
  const id = uuidv7(clock.now())
  await createFrom({ dataDir, id, clock, self: options.self }, options.rebuild(found, from, id))
  copyKept(paths, sessionPaths(dataDir, id), null)
  setAside(dataDir, paths, aside)
  return { state: "salvaged", problems, mended, whole, made: { id, aside } }
}

function setAside(dataDir: string, paths: SessionPaths, aside: string): void {
  makeFolder(join(dataDir, "damaged"))
  renameSync(paths.folder, aside)
  syncFolder(join(dataDir, "damaged"))
  syncFolder(sessionsFolder(dataDir))
}

/** Gives a new session what another kept beside its ledger: contents, and the outputs of `tasks`, or of all. */
export function copyKept(from: SessionPaths, to: SessionPaths, tasks: ReadonlySet<number> | null): void {
  copyFiles(from.blobs, to.blobs, () => true)
  copyFiles(from.output, to.output, (name) => tasks === null || tasks.has(Number(name)))
}

function copyFiles(from: string, to: string, wanted: (name: string) => boolean): void {
  if (!existsSync(from)) return
  for (const name of readdirSync(from)) {
    // Neither kind of name has a dot; a draft that was cut short has.
    if (name.includes(".") || !wanted(name)) continue
    try {
      linkSync(join(from, name), join(to, name))
    } catch {
      // A file system without links keeps a copy.
      copyFileSync(join(from, name), join(to, name))
    }
  }
  syncFolder(to)
}
