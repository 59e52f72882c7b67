/**
 * One holder a session: the lock file, the kernel's lock on it, and who it says that the holder is.
 *
 * - The lock is the kernel's. What the file says is for people, for the process that takes over, and for the two cases
 *   that the kernel does not know: a holder on another machine, and a successor that was named.
 * - The file is written in place and never renamed or removed, or two processes could each lock a file of that name.
 * - Content is one line of JSON, padded to a fixed length so that it is written in one piece; a file of blanks names
 *   nobody.
 * - Taking is in two steps: `takeLock` locks and writes nothing, `name` writes once the epoch is raised.
 */
import { closeSync, readSync, writeSync } from "node:fs"
import { isObject, parseJson } from "../std/json.ts"
import { SessionHeld } from "./errors.ts"
import type { Holder } from "./errors.ts"
import { flock, openLockFile } from "./flock.ts"
import type { Flock } from "./flock.ts"
import { sessionPaths } from "./folder.ts"
import { isAlive, isElsewhere, self } from "./holder.ts"
import type { Self } from "./holder.ts"
import { startOfFile } from "./start-of-file.ts"

/** A socket's path has at most 108 bytes, a host's name 64: this is room for both, twice. */
const contentBytes = 1024
/** How long a successor that was named has the session to itself. */
const successionMs = 5_000

/** Who may open next, after an orderly close; null where nobody holds and nobody is named. */
type Content =
  | { readonly type: "held"; readonly holder: Holder }
  | { readonly type: "handed"; readonly to: number; readonly until: number }
  | { readonly type: "free" }
  | { readonly type: "unreadable" }

export type LockOptions = {
  readonly session: string
  readonly path: string
  readonly self: Self
  /** Wall-clock milliseconds. */
  readonly now: number
  /** Take a lock that names another machine. */
  readonly passOver?: boolean
  readonly flock?: Flock
}

export class Lock {
  readonly #fd: number
  readonly #self: Self
  /** False where the file system has no locks; then SQLite must not rely on them either. */
  readonly isKernels: boolean
  #holder: Holder | null = null
  #open = true

  constructor(fd: number, self: Self, isKernels: boolean) {
    this.#fd = fd
    this.#self = self
    this.isKernels = isKernels
  }

  /** Says who holds the session. */
  name(epoch: number, now: number): void {
    const { pid, startTime, bootId, machine } = this.#self
    this.#write({ pid, startTime, bootId, machine, epoch, socket: null, since: now })
  }

  setSocket(socket: string | null): void {
    if (this.#holder !== null && this.#isNamed()) this.#write({ ...this.#holder, socket })
  }

  /** Lets go. What it wrote is blanked, so that a lock that still names somebody was not let go in order. */
  release(successor: number | null, now: number): void {
    if (this.#isNamed()) {
      writeContent(this.#fd, successor === null ? "" : JSON.stringify({ successor, until: now + successionMs }))
    }
    this.abandon()
  }

  /** Lets go and leaves what the file says, as for a lock that was taken and not used. */
  abandon(): void {
    if (this.#open) closeSync(this.#fd)
    this.#open = false
  }

  /** False where nobody is named, or somebody else: the lock was passed over, and the file is theirs. */
  #isNamed(): boolean {
    const content = contentOf(readContent(this.#fd))
    if (this.#holder === null || content.type !== "held") return false
    return content.holder.epoch === this.#holder.epoch && content.holder.pid === this.#holder.pid
  }

  #write(holder: Holder): void {
    this.#holder = holder
    writeContent(this.#fd, JSON.stringify(holder))
  }
}

/** Throws {@link SessionHeld} where somebody has it, or may have. */
export function takeLock(options: LockOptions): Lock {
  const fd = openLockFile(options.path)
  try {
    const answer = (options.flock ?? flock)(fd)
    const content = contentOf(readContent(fd))
    refuse(options, answer === "held", answer === "unsupported", content)
    return new Lock(fd, options.self, answer === "taken")
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function refuse(options: LockOptions, held: boolean, unlockable: boolean, content: Content): void {
  const { session, self: here, now } = options
  const holder = content.type === "held" ? content.holder : null
  const elsewhere = holder !== null && isElsewhere(holder, here)
  if (held) throw new SessionHeld(session, holder, elsewhere, "locked")
  if (elsewhere && options.passOver !== true) throw new SessionHeld(session, holder, true, "named")
  // Without the kernel's word the file's is taken.
  if (unlockable && holder !== null && isAlive(holder, here)) throw new SessionHeld(session, holder, false, "named")
  if (content.type !== "handed" || content.to === here.pid || now >= content.until) return
  // A clock that went back must not lock everybody out: the time left is never longer than it was given.
  if (content.until - now <= successionMs) throw new SessionHeld(session, null, false, "handed")
}

/** Who holds the session now, as far as can be told without touching it; null where nobody does. */
export function readHolder(dataDir: string, id: string, here: Self = self()): Holder | null {
  const { lock } = sessionPaths(dataDir, id)
  const text = startOfFile(lock, contentBytes)
  if (text === null) return null
  const content = contentOf(text.toString("utf8"))
  if (content.type !== "held") return null
  // Another container of this kernel has other pids: its processes cannot be looked at either.
  return content.holder.machine !== here.machine || isAlive(content.holder, here) ? content.holder : null
}

function readContent(fd: number): string {
  const bytes = Buffer.alloc(contentBytes)
  return bytes.toString("utf8", 0, readSync(fd, bytes, 0, contentBytes, 0))
}

function writeContent(fd: number, text: string): void {
  const bytes = Buffer.alloc(contentBytes, " ")
  bytes.write(text)
  bytes[contentBytes - 1] = 0x0a
  writeSync(fd, bytes, 0, contentBytes, 0)
}

function contentOf(text: string): Content {
  if (text.trim() === "") return { type: "free" }
  const value = parseJson(text)
  if (!isObject(value)) return { type: "unreadable" }
  const { successor, until, pid, startTime, bootId, machine, epoch, socket, since } = value
  if (typeof successor === "number" && typeof until === "number") return { type: "handed", to: successor, until }
  if (typeof pid !== "number" || typeof startTime !== "string") return { type: "unreadable" }
  if (typeof bootId !== "string" || typeof machine !== "string") return { type: "unreadable" }
  if (typeof epoch !== "number" || typeof since !== "number") return { type: "unreadable" }
  const listens = typeof socket === "string" ? socket : null
  return { type: "held", holder: { pid, startTime, bootId, machine, epoch, socket: listens, since } }
}
