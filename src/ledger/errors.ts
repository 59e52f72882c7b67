/**
 * Why a session does not open, or stops: weather that a person is told of, with the facts that the telling needs.
 *
 * - A message is one sentence that names the session, what is wrong and what to do; the fields are for programs.
 * - None of these has changed anything on disk when it is thrown.
 */
import { shortId } from "../std/id.ts"

/** Who holds a session, as the lock file tells it. `startTime` is the system's own word for when that process began. */
export type Holder = {
  readonly pid: number
  readonly startTime: string
  readonly bootId: string
  readonly machine: string
  readonly epoch: number
  /** Where the holder listens, once it does. */
  readonly socket: string | null
  /** Wall-clock milliseconds at which it took the session. */
  readonly since: number
}

/**
 * The kernel says so, the file says so where the kernel cannot, or the last holder has handed the session to a process
 * of its choice.
 */
export type HeldBecause = "locked" | "named" | "handed"

/** The session belongs to another process now. `holder` is null before that process has written its name. */
export class SessionHeld extends Error {
  override readonly name = "SessionHeld"
  readonly session: string
  readonly holder: Holder | null
  /** True where the lock names another machine: nobody here can tell whether that process lives. */
  readonly elsewhere: boolean
  readonly why: HeldBecause

  constructor(session: string, holder: Holder | null, elsewhere: boolean, why: HeldBecause) {
    super(heldMessage(session, holder, elsewhere))
    this.session = session
    this.holder = holder
    this.elsewhere = elsewhere
    this.why = why
  }
}

function heldMessage(session: string, holder: Holder | null, elsewhere: boolean): string {
  const name = `session ${shortId(session)}`
  if (holder === null) return `${name} is being opened by another process; try again`
  const since = new Date(holder.since).toISOString()
  if (elsewhere) {
    const where = `process ${holder.pid} on the machine ${holder.machine}`
    return `${name} is held by ${where} since ${since}; end it there, or use --take-over`
  }
  return `${name} is held by process ${holder.pid} since ${since}; attach to it, or use --take-over to end it`
}

export class SessionMissing extends Error {
  override readonly name = "SessionMissing"
  readonly session: string

  constructor(session: string) {
    super(`there is no session ${session}`)
    this.session = session
  }
}

/** A newer Cairn wrote this session: nothing of it has been touched. */
export class NewerFormat extends Error {
  override readonly name = "NewerFormat"
  readonly found: number
  readonly supported: number

  constructor(session: string, found: number, supported: number) {
    const formats = `format ${found}, this one knows ${supported}`
    super(`session ${shortId(session)} was written by a newer Cairn (${formats}); open it with the newer one`)
    this.found = found
    this.supported = supported
  }
}

/**
 * The ledger has lost commits that were acknowledged, or is not the one that was marked. `missing` counts the commits.
 */
export class CommitsMissing extends Error {
  override readonly name = "CommitsMissing"
  readonly missing: number
  readonly marked: number
  readonly found: number

  constructor(session: string, marked: number, found: number) {
    const missing = Math.max(0, marked - found)
    const commits = missing === 1 ? "commit is" : "commits are"
    const lost =
      missing > 0
        ? `${missing} acknowledged ${commits} missing (marked ${marked}, found ${found})`
        : `its history is not the one that was marked at commit ${marked}`
    const check = `"cairn sessions check ${shortId(session)} --accept"`
    super(`session ${shortId(session)}: ${lost}; ${check} goes on from what is there`)
    this.missing = missing
    this.marked = marked
    this.found = found
  }
}

/** The file cannot be read as a ledger. Nothing of it has been removed. */
export class SessionDamaged extends Error {
  override readonly name = "SessionDamaged"

  constructor(session: string, reason: string) {
    const name = shortId(session)
    super(`session ${name} is damaged: ${reason}; "cairn sessions check ${name}" says what is whole`)
  }
}

/** The session is only being looked at: it takes no commit, and no effect may start from it. */
export class ReadOnly extends Error {
  override readonly name = "ReadOnly"
}

/** The fate of a write is unknown: the session takes no commit until it has been opened again. */
export class Poisoned extends Error {
  override readonly name = "Poisoned"
}
