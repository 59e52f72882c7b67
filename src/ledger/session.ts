/**
 * A session from its opening to its close, on whatever storage: `begin` is the only maker of a {@link Ledger}.
 *
 * - The opening is one flushed commit: it raises the epoch, makes the root conversation of a new session, and takes
 *   tasks that were running back to pending, with their checkpoints, facts and abort marks as they are.
 * - A task that was running when its owner died within a minute of taking it up has one more restart to its name; one
 *   that lived longer, or was closed in order, has none.
 * - While something runs, a sign of life is left a minute after it was taken up: that is how the next opening knows.
 */
import { assert } from "../std/assert.ts"
import type { Clock } from "../std/clock.ts"
import { unwatched, type At } from "../std/moment.ts"
import type { Blobs } from "./blobs.ts"
import { CommitLine } from "./commit.ts"
import { History } from "./history.ts"
import type { EntryQuery, Health, Ledger, Live, Receipt, Tx } from "./ledger.ts"
import { StoreQueue } from "./queue.ts"
import type {
  Change,
  Commit,
  Conversation,
  ConversationId,
  Entry,
  EntryId,
  FlushClass,
  Submission,
  SubmissionId,
  Task,
  TaskId,
} from "./records.ts"
import type { SessionRecords } from "./salvage.ts"
import type { Spools } from "./spool.ts"
import { State } from "./state.ts"
import type { Counts, Loaded, Storage } from "./storage.ts"
import { Rejected } from "./storage.ts"

/** A death later than this after a task was taken up is not the task's doing. */
export const quickDeathMs = 60_000
/** Before the commit of an opening, and after it. */
export const openPoints = ["open", "opened"] as const
/** A timer may be early by the width of a tick. */
const signSlackMs = 250

export type Surroundings = {
  readonly id: string
  readonly clock: Clock
  /** Called at the moments of `openPoints` and `commitPoints`. */
  readonly at?: At
  /** Tells others where the holder listens. */
  setSocket(path: string | null): void
  /** Lets the session go, after storage has been closed. */
  release(successor: number | null): void
}

/** Opens what `storage` holds. Where this throws, storage is closed and nothing was let go by it. */
export async function begin(storage: Storage, around: Surroundings): Promise<Ledger> {
  try {
    const loaded = await storage.load()
    const owner = { epoch: loaded.epoch + 1, seq: loaded.seq + 1 }
    const state = new State(loaded)
    const now = Math.trunc(around.clock.now())
    const changes = openingChanges(loaded, now)
    for (const change of changes) state.apply(change)
    if (loaded.conversations.length === 0) state.nextId = 2
    around.at?.("open")
    await storage.write({
      seq: owner.seq,
      at: now,
      class: "flushed",
      changes,
      owner: loaded.epoch,
      epoch: owner.epoch,
      nextId: state.nextId,
      clean: false,
    })
    around.at?.("opened")
    const spools = await storage.spools(owner.epoch, new Set(state.tasks.keys()))
    return new OpenSession(storage, around, state, spools, owner, loaded)
  } catch (error) {
    await storage.close().catch(() => undefined)
    throw error
  }
}

/** Changes in one batch: enough that the disk is not the measure, few enough to be in memory twice. */
const fillMax = 256

/** Puts `records` into new storage, before its first opening, which then flushes them. */
export async function fill(storage: Storage, records: SessionRecords, at: number): Promise<void> {
  const { seq } = await storage.load()
  assert(seq === 0, "only new storage is filled")
  const { conversations, entries, submissions, documents } = records
  const changes: readonly Change[] = [
    ...conversations.map((conversation) => ({ type: "conversation", conversation }) as const),
    ...entries.map((entry) => ({ type: "entry", entry }) as const),
    ...submissions.map((submission) => ({ type: "submission", submission }) as const),
    ...documents.map((document) => ({ type: "document", document }) as const),
  ]
  const nextId = Math.max(1, ...[conversations, entries, submissions].map((all) => all.at(-1)?.id ?? 0)) + 1
  for (let from = 0, batch = 1; from < changes.length; from += fillMax, batch++) {
    const part = changes.slice(from, from + fillMax)
    await storage.write({ seq: batch, at, class: "relaxed", changes: part, owner: 0, epoch: 0, nextId, clean: false })
  }
}

/** Looks at what `storage` holds, at this moment, and changes nothing; `reason` says why it is only looked at. */
export async function view(storage: Storage, around: Surroundings, reason: string): Promise<Ledger> {
  try {
    const loaded = await storage.load()
    const spools = await storage.spools(loaded.epoch, null)
    const session = new OpenSession(storage, around, new State(loaded), spools, loaded, loaded)
    session.refuse(reason)
    return session
  } catch (error) {
    await storage.close().catch(() => undefined)
    throw error
  }
}

/** What an opening changes by itself. */
export function openingChanges(loaded: Loaded, now: number): readonly Change[] {
  if (loaded.conversations.length === 0) {
    const root: Conversation = Object.freeze({ id: 1, at: now, parent: null, owner: null })
    return [{ type: "conversation", conversation: root }]
  }
  const running = loaded.tasks.filter(({ task }) => task.status === "running")
  return running.map(({ task, writtenAt }) => {
    const quick = !loaded.clean && loaded.lastSign - writtenAt < quickDeathMs
    const restarts = quick ? task.restarts + 1 : 0
    return { type: "task", task: Object.freeze({ ...task, status: "pending" as const, restarts }) }
  })
}

class OpenSession implements Ledger {
  readonly session: string
  readonly epoch: number
  readonly unclean: boolean
  readonly notices: readonly string[]
  readonly live: Live
  readonly spools: Spools
  readonly blobs: Blobs
  readonly #storage: Storage
  readonly #around: Surroundings
  readonly #queue: StoreQueue
  readonly #line: CommitLine
  readonly #history: History
  #newestStart = 0
  #cancelSign: (() => void) | null = null
  #closing: Promise<void> | null = null

  constructor(
    storage: Storage,
    around: Surroundings,
    state: State,
    spools: Spools,
    owner: { readonly epoch: number; readonly seq: number },
    loaded: Loaded,
  ) {
    this.session = around.id
    this.epoch = owner.epoch
    this.unclean = !loaded.clean
    this.notices = loaded.notices
    this.live = state
    this.spools = spools
    this.blobs = storage.blobs
    this.#storage = storage
    this.#around = around
    this.#queue = new StoreQueue(storage, around.clock, around.at ?? unwatched)
    this.#line = new CommitLine(state, this.#queue, storage, around.clock, owner)
    this.#history = new History(storage, this.#queue, state)
    this.#queue.watch((commit) => this.#noticeStarts(commit))
  }

  get seq(): number {
    return this.#line.seq
  }

  refuse(reason: string): void {
    this.#queue.refuse(reason)
  }

  commit<T>(flush: FlushClass, work: (tx: Tx) => T): Receipt<T> {
    return this.#line.commit(flush, work)
  }

  watch(listener: (commit: Commit) => void): () => void {
    return this.#queue.watch(listener)
  }

  health(): Health {
    return this.#queue.health
  }

  watchHealth(listener: (health: Health) => void): () => void {
    return this.#queue.watchHealth(listener)
  }

  entry(id: EntryId): Promise<Entry | undefined> {
    return this.#history.entry(id)
  }

  entries(query: EntryQuery): Promise<readonly Entry[]> {
    return this.#history.entries(query)
  }

  newestHead(conversation: ConversationId, before?: EntryId): Promise<Entry | undefined> {
    return this.#history.newestHead(conversation, before)
  }

  task(id: TaskId): Promise<Task | undefined> {
    return this.#history.task(id)
  }

  submission(id: SubmissionId): Promise<Submission | undefined> {
    return this.#history.submission(id)
  }

  submissionByRequest(conversation: ConversationId, requestId: string): Promise<Submission | undefined> {
    return this.#history.submissionByRequest(conversation, requestId)
  }

  counts(): Promise<Counts> {
    return this.#storage.counts()
  }

  assertOwner(): void {
    if (this.#queue.end !== null) throw this.#queue.end
    this.#storage.checkOwner(this.epoch)
  }

  setSocket(path: string | null): void {
    this.#around.setSocket(path)
  }

  verify(deep = false): Promise<readonly string[]> {
    return this.#storage.verify(deep)
  }

  close(successor?: number): Promise<void> {
    this.#closing ??= this.#close(successor ?? null)
    return this.#closing
  }

  async #close(successor: number | null): Promise<void> {
    this.#cancelSign?.()
    let end: Error | null = null
    try {
      end = await this.#line.close()
    } finally {
      await this.#closeStorage(end).finally(() => this.#around.release(successor))
    }
    // A stale or poisoned session has said so already; commits that a full disk has cost are said here or nowhere.
    if (end instanceof Rejected) throw end
  }

  async #closeStorage(end: Error | null): Promise<void> {
    try {
      await this.#storage.close()
    } catch (error) {
      // What ended the session has been told; that it does not close either adds nothing.
      if (end === null) throw error
    }
  }

  #noticeStarts(commit: Commit): void {
    if (!commit.changes.some((change) => change.type === "task" && change.task.status === "running")) return
    this.#newestStart = commit.at
    this.#cancelSign ??= this.#around.clock.after(quickDeathMs + signSlackMs, () => this.#sign())
  }

  #sign(): void {
    this.#cancelSign = null
    const now = Math.trunc(this.#around.clock.now())
    this.#storage.sign(now)
    const left = this.#newestStart + quickDeathMs - now
    if (left > 0) this.#cancelSign = this.#around.clock.after(left + signSlackMs, () => this.#sign())
  }
}
