/** What every part of the engine holds: the ledger, the doors, and who hears of progress. Nothing here decides. */
import type { Clock } from "../std/clock.ts"
import type { At } from "../std/moment.ts"
import { Poisoned } from "../ledger/errors.ts"
import { StaleOwner, type Ledger } from "../ledger/ledger.ts"
import type { Task, TaskId } from "../ledger/records.ts"
import type { FileHistories } from "./file-history.ts"
import type { EngineOptions } from "./options.ts"
import type { EnginePoint } from "./points.ts"
import type { Searches } from "./search.ts"

/**
 * Progress of a running task, after it was appended to its spool. `at` is a byte offset in the spool, `bytes` what `text` takes there. What a call
 * prints may be passed over in part: then a piece begins behind the end of the one before.
 */
export type Piece = {
  readonly task: TaskId
  readonly attempt: number
  readonly at: number
  readonly bytes: number
  readonly text: string
  readonly unsaved: boolean
}

export type Core = {
  readonly options: EngineOptions
  readonly ledger: Ledger
  readonly clock: Clock
  /** What is known and kept of files, by conversation. */
  readonly files: FileHistories
  readonly searches: Searches
  readonly at: At<EnginePoint>
  /** Tells the watchers; called after the append. */
  progress(piece: Piece): void
  /** Stores the dispatch marks of calls that get ready together in one flushed commit. */
  mark(task: TaskId): Promise<void>
  /** True once the engine closes: an invocation then ends without writing an outcome. */
  readonly closing: () => boolean
  /** False while a session whose owner died is being verified: no work starts until then. */
  readonly verified: () => boolean
}

/** A live task as of now; undefined when it has ended meanwhile. */
export function liveTask(core: Core, id: TaskId): Task | undefined {
  return core.ledger.live.tasks.get(id)
}

/** True where an error says that nothing can be stored any more: the session is another's by now, or its disk has failed. */
export function isEndOfSession(error: unknown): error is StaleOwner | Poisoned {
  return error instanceof StaleOwner || error instanceof Poisoned
}
