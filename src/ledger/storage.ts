/**
 * Where a ledger is kept: the one interface that every backend has, and that one suite of tests holds all of them to.
 *
 * - `write` stores a batch whole or not at all. It may answer at once or later; it is never called again before it has
 *   answered.
 * - It fails in three ways that have a meaning, {@link Rejected}, {@link Unknown} and StaleOwner; anything else that it
 *   throws is a bug.
 * - Reads answer with records of stored batches; they may come in any order among themselves.
 * - What is handed in is frozen and may be kept; what is handed out is frozen.
 */
import type { Blobs } from "./blobs.ts"
import type {
  Change,
  Conversation,
  ConversationId,
  Document,
  Entry,
  EntryId,
  FlushClass,
  Submission,
  SubmissionId,
  Task,
  TaskId,
} from "./records.ts"
import type { Spools } from "./spool.ts"

/** The batch had no effect and may be tried again: the disk is full, or busy, or read-only. */
export class Rejected extends Error {
  override readonly name = "Rejected"
}

/** The batch may have been stored or not; only opening the session again can tell. */
export class Unknown extends Error {
  override readonly name = "Unknown"
}

export type Batch = {
  readonly seq: number
  readonly at: number
  readonly class: FlushClass
  readonly changes: readonly Change[]
  /**
   * The epoch that storage must be in, and the one that it is in afterwards: they differ in an opening's batch only.
   */
  readonly owner: number
  readonly epoch: number
  readonly nextId: number
  /** True in the last batch of an orderly close. */
  readonly clean: boolean
}

/** What an opening needs to know; all of history stays where it is. */
export type Loaded = {
  readonly epoch: number
  readonly seq: number
  readonly nextId: number
  readonly clean: boolean
  readonly conversations: readonly Conversation[]
  /** Live tasks, by id, with the time of the commit that wrote each. */
  readonly tasks: readonly { readonly task: Task; readonly writtenAt: number }[]
  readonly submissions: readonly Submission[]
  readonly documents: readonly Document[]
  readonly tails: ReadonlyMap<ConversationId, EntryId>
  /** The last time at which the owner is known to have lived. */
  readonly lastSign: number
  /** What a person should know of how this is stored; empty where all is as it should be. */
  readonly notices: readonly string[]
}

/** A part of one conversation's own entries: after `after`, up to and including `upTo`. */
export type EntryRange = { readonly conversation: ConversationId; readonly after: EntryId; readonly upTo: EntryId }

export type Counts = { readonly entries: number; readonly tasks: number; readonly bytes: number }

export type Storage = {
  /** Once, first of all. */
  load(): Promise<Loaded>
  write(batch: Batch): void | Promise<void>
  /**
   * Spools of the owner `epoch`, which is raised by then; what is left of tasks other than the `live` ones is swept.
   * Where `live` is null, somebody only looks, and nothing is.
   */
  spools(epoch: number, live: ReadonlySet<TaskId> | null): Promise<Spools>
  readonly blobs: Blobs
  /** Throws StaleOwner where the epoch is not `epoch` any more, as far as can be known at once. */
  checkOwner(epoch: number): void
  /** Leaves a sign that the owner lives at `at`: no commit, and nothing that must reach the platter. */
  sign(at: number): void
  entry(id: EntryId): Promise<Entry | undefined>
  /** The newest `limit` of the range, oldest first. */
  entries(range: EntryRange, limit: number): Promise<readonly Entry[]>
  /** The newest entry of the range that carries a head. */
  newestHead(range: EntryRange): Promise<Entry | undefined>
  task(id: TaskId): Promise<Task | undefined>
  submission(id: SubmissionId): Promise<Submission | undefined>
  /**
   * Answers at once, since admission is decided inside a commit: a backend that cannot ask its store keeps an index in
   * memory.
   */
  submissionByRequest(conversation: ConversationId, requestId: string): Submission | undefined
  counts(): Promise<Counts>
  verify(deep: boolean): Promise<readonly string[]>
  /** After the last write has settled. Lets go of everything, whether it throws or not. */
  close(): Promise<void>
}
