/**
 * An open session: the one way to change it, and the ways to read it.
 *
 * - `commit` runs its callback at once, synchronously, over live state in memory; what it writes is one batch, stored
 *   in one transaction. No await inside, no nesting, no use of `tx` afterwards: each of these throws a `Bug`. A
 *   callback that throws changes nothing.
 * - Watchers hear of a commit after it is stored, in order of `seq`, each commit once, synchronously; a watcher that
 *   throws is a bug.
 * - Storage may settle later; batches are stored in the order of their commits. `stored` settles when this one is;
 *   effects await it.
 * - A batch that storage rejects (disk full, busy) is kept and tried again with backoff; until it is stored nothing
 *   later is published, and `health` says so. A batch whose fate is unknown poisons the ledger: it publishes nothing
 *   more until the session has been opened again.
 * - Live state holds all conversations, live tasks, queued and placed submissions, and documents. History is read,
 *   asynchronously.
 * - Only the owner of the lock and of the newest epoch may commit: a stale owner's commit throws {@link StaleOwner} and
 *   changes nothing.
 */
import type { Json } from "../std/json.ts"
import type { Blobs } from "./blobs.ts"
import type {
  Change,
  Commit,
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

/** State in memory, always as of the last commit; inside a callback, with its own writes. */
export type Live = {
  readonly conversations: ReadonlyMap<ConversationId, Conversation>
  readonly tasks: ReadonlyMap<TaskId, Task>
  readonly submissions: ReadonlyMap<SubmissionId, Submission>
  document(conversation: ConversationId | 0, name: string): Document | undefined
  documents(): Iterable<Document>
  /** The newest entry of a conversation, not of its parent; 0 where it has none. */
  tail(conversation: ConversationId): EntryId
}

/** A new task is pending, in its first attempt, at no restarts; it starts now. */
export type NewTask = Pick<Task, "conversation" | "kind" | "version" | "input" | "phase" | "checkpoint"> &
  Partial<Pick<Task, "owner" | "background">>

/** What a commit may do. Records that come back are final: ids and times are set. */
export type Tx = {
  readonly live: Live
  readonly now: number
  addConversation(fields: Pick<Conversation, "parent" | "owner">): Conversation
  /** `head: "self"` is the entry's own id, which nobody knows before. */
  addEntry(
    fields: Pick<Entry, "conversation" | "kind" | "data"> &
      Partial<Pick<Entry, "byTask">> & { readonly head?: EntryId | "self" | null },
  ): Entry
  addTask(fields: NewTask): Task
  /**
   * Replace a live task's fields; ending it (`status` one of the end statuses) drops checkpoint and facts and sets
   * `endedAt`. A new phase or checkpoint sets `restarts` to 0, unless `fields` says otherwise.
   */
  setTask(id: TaskId, fields: Partial<Omit<Task, "id" | "conversation" | "kind">>): Task
  /** The submission that has this request id already, else a new one: `fresh` tells which. */
  submit(fields: Pick<Submission, "conversation" | "requestId" | "kind" | "data">): {
    readonly submission: Submission
    readonly fresh: boolean
  }
  setSubmission(
    id: SubmissionId,
    fields: Partial<Pick<Submission, "status" | "data" | "entry" | "answer" | "reason">>,
  ): Submission
  setDocument(conversation: ConversationId | 0, name: string, value: Json, version?: number): void
  retireDocument(conversation: ConversationId | 0, name: string): void
}

export type Receipt<T> = { readonly value: T; readonly seq: number; readonly stored: Promise<void> }

/**
 * `after` and `before` are exclusive; newest `limit` of the range, given oldest first. Forks see their parents' entries
 * up to the fork.
 */
export type EntryQuery = {
  readonly conversation: ConversationId
  readonly after?: EntryId
  readonly before?: EntryId
  readonly limit?: number
}

export type Health =
  | { readonly state: "ok" }
  | { readonly state: "waiting"; readonly reason: string; readonly since: number }
  | { readonly state: "read-only"; readonly reason: string }
  | { readonly state: "poisoned"; readonly reason: string }

export class StaleOwner extends Error {
  override readonly name = "StaleOwner"
}

export type Ledger = {
  readonly session: string
  readonly epoch: number
  /** True when the last owner did not close: it was killed, or the machine stopped. */
  readonly unclean: boolean
  /** What a person should know of how this session is stored, in sentences; usually nothing. */
  readonly notices: readonly string[]
  readonly live: Live
  readonly seq: number
  readonly spools: Spools
  readonly blobs: Blobs
  commit<T>(flush: FlushClass, work: (tx: Tx) => T): Receipt<T>
  watch(listener: (commit: Commit) => void): () => void
  health(): Health
  watchHealth(listener: (health: Health) => void): () => void
  entry(id: EntryId): Promise<Entry | undefined>
  entries(query: EntryQuery): Promise<readonly Entry[]>
  /** The newest entry at or before `before` that carries a head, with the fork's ancestry seen as one history. */
  newestHead(conversation: ConversationId, before?: EntryId): Promise<Entry | undefined>
  task(id: TaskId): Promise<Task | undefined>
  submission(id: SubmissionId): Promise<Submission | undefined>
  submissionByRequest(conversation: ConversationId, requestId: string): Promise<Submission | undefined>
  counts(): Promise<{ readonly entries: number; readonly tasks: number; readonly bytes: number }>
  /** Throws {@link StaleOwner} if another owner has opened the session since: called right before an effect. */
  assertOwner(): void
  /** Where the holder listens, told to whoever finds the session held; null: nowhere. */
  setSocket(path: string | null): void
  /**
   * Reads all that is stored and compares it with its digests, in slices; one sentence for each thing that does not
   * agree. `deep`: SQLite's own check too, which keeps everybody waiting for as long as it takes.
   */
  verify(deep?: boolean): Promise<readonly string[]>
  /** Takes no commit from here on, as if it were only looked at: what is stored was found damaged. */
  refuse(reason: string): void
  /**
   * Writes no outcome: what was running is pending at the next opening. `successor`: only that process may open the
   * session in the next seconds. Rejects where a batch could not be stored at last; the session is let go all the same.
   */
  close(successor?: number): Promise<void>
}

export type { Change, Commit }
