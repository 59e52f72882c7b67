/**
 * Opening sessions: a new one, one that is on disk, one that is nowhere but in memory.
 *
 * - A session is open in one process at most. What opens it raises the epoch in its first commit; whoever held it before is refused from then.
 * - Opening starts no work. What was running is pending; checkpoints, facts and abort marks are as they were.
 */
import type { Clock } from "../std/clock.ts"
import type { Self } from "./holder.ts"
import type { Ledger } from "./ledger.ts"

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
}

export type OpenOptions = CreateOptions & {
  /** End a live holder of this machine first, after checking that it is who the lock says; pass over one of another machine. */
  readonly takeOver?: boolean
  /** Go on from what is there, although commits are missing that were acknowledged. */
  readonly acceptLoss?: boolean
}

/**
 * A new session: root conversation 1 and nothing else. When it returns, files and every folder made are on the platter.
 * Throws where the folder exists, and with a system error where the disk refuses.
 */
export function createSession(options: CreateOptions): Promise<Ledger> {
  throw new Error(`not built yet: ${options.id}`)
}

/** Throws SessionMissing, SessionHeld, NewerFormat, CommitsMissing or SessionDamaged (errors.ts), none of which has written anything. */
export function openSession(options: OpenOptions): Promise<Ledger> {
  throw new Error(`not built yet: ${options.id}`)
}

/** A session without a disk, for `--no-session` and for tests. Spools are in memory; there are no raw files. */
export function memorySession(options: { readonly clock: Clock; readonly id?: string }): Promise<Ledger> {
  throw new Error(`not built yet: ${options.id}`)
}
