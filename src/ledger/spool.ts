/**
 * Spools: the progress of running tasks, on disk until they settle, so that a killed process loses at most one frame of
 * a stream.
 *
 * - A spool belongs to (task, attempt) and is named `<task>.<attempt>.<epoch>`. One write per screen frame; nothing is
 *   shown before it.
 * - Framed spools hold records `length:u32le crc32:u32le payload`; reading stops at the first record that is not whole,
 *   and the tail after it is cut before the next append. Raw files (`.out`, `.status`, `.begun`) belong to a command that writes
 *   them itself, with this process dead or alive.
 * - `at` is an offset in the joined payloads, in bytes: what a client that fell behind asks from.
 * - A spool goes when its task has settled, durably; or it is kept, renamed to `output/<task>`, where the settled
 *   result was cut.
 * - At open: spools of ended or unknown tasks are swept, and those of live tasks stay readable under their task and
 *   attempt.
 */
import type { TaskId } from "./records.ts"

export type Spool = {
  readonly task: TaskId
  readonly attempt: number
  /** Bytes of payload so far. */
  readonly size: number
  /** Append one record; returns the offset where it begins. Throws an Error with a `code` where the disk refuses. */
  append(payload: string): number
  close(): void
}

/** Bytes of one output that are kept, and of all outputs of a session. */
export type OutputLimits = { readonly bytes: number; readonly sessionBytes: number }

export const outputLimits: OutputLimits = { bytes: 64 * 1024 ** 2, sessionBytes: 1024 ** 3 }

/** Files that a command writes itself. `begun` is named by this opening of the session, the others by the one that made them. */
export type RawFiles = { readonly output: string; readonly status: string; readonly begun: string }

export type Spools = {
  /** `new`: what stands under this name was left by an attempt that the ledger has lost, and is not gone on with. */
  open(task: TaskId, attempt: number, how?: "new"): Spool
  /** Payloads of whole records, in order; empty where there is no such spool. */
  read(task: TaskId, attempt: number): Promise<readonly string[]>
  /** Where a command's raw output and status go; null in a session without a disk. Folders exist, files may not. */
  files(task: TaskId, attempt: number): RawFiles | null
  /**
   * Keep the raw output (or the joined payloads) of a cut result, of a long one its end; the path to tell, or null
   * where there is none.
   */
  keep(task: TaskId, attempt: number, limits?: OutputLimits): Promise<string | null>
  /** Where `keep` would put it, or has put it. */
  outputPath(task: TaskId): string | null
  /** Bytes `from`…`to` of a kept output, or of a live raw file. */
  readOutput(
    task: TaskId,
    attempt: number,
    from: number,
    to: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }>
  /** Remove what (task, attempt) left; `attempt` undefined: all attempts. */
  drop(task: TaskId, attempt?: number): Promise<void>
}
