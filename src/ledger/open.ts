/**
 * Opening sessions: a new one, one that is on disk, one that is nowhere but in memory.
 *
 * - A session is open in one process at most. What opens it raises the epoch in its first commit; whoever held it
 *   before is refused from then.
 * - Opening starts no work. What was running is pending; checkpoints, facts and abort marks are as they were.
 * - Nothing is written before the format is known, the lock is held, and the ledger has been compared with its mark.
 */
import { closeSync, existsSync, openSync, rmSync } from "node:fs"
import { assert } from "../std/assert.ts"
import { sleep } from "../std/clock.ts"
import type { Clock } from "../std/clock.ts"
import { shortId, uuidv7 } from "../std/id.ts"
import type { At } from "../std/moment.ts"
import { connect, connectReadOnly } from "./database.ts"
import type { Connection } from "./database.ts"
import { damaged } from "./damage.ts"
import { SessionDamaged, SessionHeld } from "./errors.ts"
import type { Flock } from "./flock.ts"
import { fileMode, makeFolder, sessionPaths, syncFile, syncFolder } from "./folder.ts"
import type { SessionPaths } from "./folder.ts"
import { formatCurrent, migrate, readFormat, steps, tablesFormat, writeFormat } from "./format.ts"
import { isAlive, self } from "./holder.ts"
import type { Self } from "./holder.ts"
import type { Ledger } from "./ledger.ts"
import { takeLock } from "./lock.ts"
import type { Lock } from "./lock.ts"
import { acceptLoss, checkLoss, logState } from "./loss.ts"
import { MemoryStorage } from "./memory.ts"
import type { SessionRecords } from "./salvage.ts"
import { begin, fill, view } from "./session.ts"
import { SqliteStorage } from "./sqlite.ts"
import { endHolder } from "./take-over.ts"

export type SessionPlace = {
  /** The folder of all of Cairn's data; absolute. Sessions are in `sessions/<id>` below it. */
  readonly dataDir: string
  /** A UUIDv7. */
  readonly id: string
}

export type CreateOptions = SessionPlace & {
  readonly clock: Clock
  /** Who this process is; found out where left out. */
  readonly self?: Self
  /** How a lock is taken; the kernel's way where left out. */
  readonly flock?: Flock
  /** Called around each commit. */
  readonly at?: At
}

export type OpenOptions = CreateOptions & {
  /**
   * End a live holder of this machine first, after checking that it is who the lock says; pass over one of another
   * machine.
   */
  readonly takeOver?: boolean
  /** Go on from what is there, although commits are missing that were acknowledged. */
  readonly acceptLoss?: boolean
}

export type ViewOptions = SessionPlace & { readonly clock: Clock; readonly reason: string }

/** The kernel may have to wait for a disk before it lets a killed process's files go. */
const passingMs = 2_000
const passingLookMs = 5

/** Sessions that this process has open, by their folder: nothing else here may open a file of theirs. */
const openHere = new Map<string, { readonly ledger: Ledger; readonly storage: SqliteStorage }>()

/** The storage of a session that this process has open, if it does. */
export function openedHere(paths: SessionPaths): SqliteStorage | undefined {
  return openHere.get(paths.folder)?.storage
}

/**
 * A new session: root conversation 1 and nothing else. When it returns, files and every folder made are on the platter.
 * Throws where the folder exists, and with a system error where the disk refuses; then nothing is left of it.
 */
export function createSession(options: CreateOptions): Promise<Ledger> {
  return make(options, begin)
}

/**
 * A new session that holds `records` from its beginning, under the ids that they have; closed when this returns. Throws
 * as {@link createSession} does.
 */
export async function createFrom(options: CreateOptions, records: SessionRecords): Promise<void> {
  const ledger = await make(options, async (storage, around) => {
    await fill(storage, records, Math.trunc(options.clock.now()))
    return begin(storage, around)
  })
  await ledger.close()
}

async function make(options: CreateOptions, start: typeof begin): Promise<Ledger> {
  const { dataDir, id, clock, self: me = self(), flock } = options
  const paths = sessionPaths(dataDir, id)
  if (existsSync(paths.folder)) throw new Error(`session ${shortId(id)} cannot be made: its folder exists`)
  try {
    for (const folder of [paths.folder, paths.spool, paths.output, paths.blobs]) makeFolder(folder)
    const lock = takeLock({ session: id, path: paths.lock, self: me, now: clock.now(), flock })
    // SQLite gives its companions the mode that this file has.
    closeSync(openSync(paths.db, "wx", fileMode))
    const connection = (): Connection => connect(paths.db, { create: true, dotfile: !lock.isKernels })
    const ledger = await work(options, paths, lock, connection, start)
    syncFile(paths.mark)
    syncFolder(paths.folder)
    writeFormat(paths, formatCurrent)
    return ledger
  } catch (error) {
    await openHere.get(paths.folder)?.ledger.close()
    rmSync(paths.folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Throws SessionMissing, SessionHeld, NewerFormat, CommitsMissing or SessionDamaged (errors.ts), none of which has
 * changed what is stored.
 */
export async function openSession(options: OpenOptions): Promise<Ledger> {
  const { dataDir, id } = options
  const paths = sessionPaths(dataDir, id)
  readFormat(id, paths)
  const lock = await takeLockOrOver(options, paths)
  return work(options, paths, lock, () => connectChecked(id, paths, lock, options))
}

/**
 * A session that can only be looked at, because its disk takes nothing, because commits are missing and nobody has
 * accepted that, or because another process holds it: as it is now, without its lock and without a byte written.
 * `reason` is what its health says.
 */
export async function viewSession({ dataDir, id, clock, reason }: ViewOptions): Promise<Ledger> {
  const paths = sessionPaths(dataDir, id)
  readFormat(id, paths)
  assert(openedHere(paths) === undefined, "a session that this process has open is looked at where it is open")
  try {
    const connection = { db: connectReadOnly(paths.db, logState(paths)), wal: false, notices: [] }
    const nobody = { id, clock, setSocket: () => undefined, release: () => undefined }
    return await view(new SqliteStorage(connection, paths, clock), nobody, reason)
  } catch (error) {
    throw damaged(id, error)
  }
}

/** A session without a disk, for `--no-session` and for tests. Spools are in memory; there are no raw files. */
export function memorySession({ clock, id }: { readonly clock: Clock; readonly id?: string }): Promise<Ledger> {
  return begin(new MemoryStorage(), {
    id: id ?? uuidv7(clock.now()),
    clock,
    setSocket: () => undefined,
    release: () => undefined,
  })
}

/** Begins the session that is locked; where that fails, the lock is let go as it was found. */
async function work(
  { id, clock, at }: CreateOptions,
  paths: SessionPaths,
  lock: Lock,
  connection: () => Connection,
  start: typeof begin = begin,
): Promise<Ledger> {
  try {
    const storage = new SqliteStorage(connection(), paths, clock)
    const ledger = await start(storage, {
      id,
      clock,
      at,
      setSocket: (path) => lock.setSocket(path),
      release(successor) {
        if (openedHere(paths) === storage) openHere.delete(paths.folder)
        lock.release(successor, clock.now())
      },
    })
    lock.name(ledger.epoch, clock.now())
    openHere.set(paths.folder, { ledger, storage })
    return ledger
  } catch (error) {
    lock.abandon()
    throw damaged(id, error)
  }
}

async function takeLockOrOver(options: OpenOptions, paths: SessionPaths): Promise<Lock> {
  const { clock, takeOver = false, self: me = self() } = options
  try {
    return await takeLockPatiently(options, paths, me)
  } catch (error) {
    if (!takeOver || !(error instanceof SessionHeld) || error.holder === null) throw error
    if (!(await endHolder(error.holder, me, clock))) throw error
    return takeLockPatiently(options, paths, me)
  }
}

/**
 * Takes the lock, waiting only for what is passing: a process that was killed is gone a little before its lock is, and
 * one that opens has the lock a little before its name is in it.
 */
async function takeLockPatiently(options: OpenOptions, paths: SessionPaths, me: Self): Promise<Lock> {
  const { id, clock, takeOver = false, flock } = options
  const until = clock.monotonic() + passingMs
  for (;;) {
    try {
      return takeLock({ session: id, path: paths.lock, self: me, now: clock.now(), passOver: takeOver, flock })
    } catch (error) {
      if (!(error instanceof SessionHeld) || !isPassing(error, me) || clock.monotonic() >= until) throw error
    }
    await sleep(clock, passingLookMs)
  }
}

function isPassing({ why, holder, elsewhere }: SessionHeld, me: Self): boolean {
  return why === "locked" && !elsewhere && (holder === null || !isAlive(holder, me))
}

function connectChecked(id: string, paths: SessionPaths, lock: Lock, options: OpenOptions): Connection {
  const dotfile = !lock.isKernels
  // Once more, under the lock: whoever had it may have been newer.
  const format = readFormat(id, paths)
  if (!existsSync(paths.db)) throw new SessionDamaged(id, "its file ledger.db is missing")
  // Where SQLite locks by a file of its own, one that is there now is a dead process's: this one holds the session.
  if (dotfile) rmSync(`${paths.db}.lock`, { recursive: true, force: true })
  if (existsSync(paths.journal)) undoUnfinished(paths, dotfile)
  if (options.acceptLoss === true) acceptLoss(paths, options.clock)
  else checkLoss(id, paths)
  const connection = connect(paths.db, { dotfile })
  if (format === formatCurrent && tablesFormat(connection.db) === formatCurrent) return connection
  connection.db.close()
  migrate(paths, { to: formatCurrent, steps, dotfile })
  return connect(paths.db, { dotfile })
}

/**
 * Where there was no WAL, a killed process may have left a transaction half written. Undoing it loses nothing that was
 * acknowledged.
 */
function undoUnfinished(paths: SessionPaths, dotfile: boolean): void {
  connect(paths.db, { dotfile }).db.close()
}
