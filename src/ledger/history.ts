/**
 * Reading what happened: storage's answers, with what is committed and not stored yet laid over them.
 *
 * - A fork's history is its parent's up to the fork, then its own; ids rise along it, so a page is cut by ids alone.
 * - What waits is noted when the question is asked: an answer holds at least all commits up to then.
 */
import type { Conversation, ConversationId, Entry, EntryId, Submission, SubmissionId, Task, TaskId } from "./records.ts"
import type { EntryQuery, Live } from "./ledger.ts"
import type { StoreQueue } from "./queue.ts"
import type { EntryRange, Storage } from "./storage.ts"

export class History {
  readonly #storage: Storage
  readonly #queue: StoreQueue
  readonly #live: Live

  constructor(storage: Storage, queue: StoreQueue, live: Live) {
    this.#storage = storage
    this.#queue = queue
    this.#live = live
  }

  async entry(id: EntryId): Promise<Entry | undefined> {
    return this.#waitingEntries().find((entry) => entry.id === id) ?? (await this.#storage.entry(id))
  }

  async entries({ conversation, after = 0, before, limit = Infinity }: EntryQuery): Promise<readonly Entry[]> {
    const waiting = this.#waitingEntries()
    const upTo = before === undefined ? Number.MAX_SAFE_INTEGER : before - 1
    let pages: readonly Entry[] = []
    for (const range of lineage(this.#live.conversations, conversation, after, upTo)) {
      const left = limit - pages.length
      if (left <= 0) break
      const stored = await this.#storage.entries(range, left)
      const page = merge(
        stored,
        waiting.filter((entry) => isIn(range, entry)),
      )
      pages = [...(Number.isFinite(left) ? page.slice(-left) : page), ...pages]
    }
    return pages
  }

  async newestHead(
    conversation: ConversationId,
    before: EntryId = Number.MAX_SAFE_INTEGER,
  ): Promise<Entry | undefined> {
    const waiting = this.#waitingEntries().filter(({ head }) => head !== null)
    for (const range of lineage(this.#live.conversations, conversation, 0, before)) {
      const found = waiting.findLast((entry) => isIn(range, entry)) ?? (await this.#storage.newestHead(range))
      if (found) return found
    }
    return undefined
  }

  async task(id: TaskId): Promise<Task | undefined> {
    let waiting = this.#live.tasks.get(id)
    if (waiting) return waiting
    for (const change of this.#queue.changes())
      if (change.type === "task" && change.task.id === id) waiting = change.task
    return waiting ?? this.#storage.task(id)
  }

  async submission(id: SubmissionId): Promise<Submission | undefined> {
    return this.#waitingSubmission((it) => it.id === id) ?? this.#storage.submission(id)
  }

  async submissionByRequest(conversation: ConversationId, requestId: string): Promise<Submission | undefined> {
    const waiting = this.#waitingSubmission((it) => it.conversation === conversation && it.requestId === requestId)
    return waiting ?? this.#storage.submissionByRequest(conversation, requestId)
  }

  #waitingSubmission(is: (submission: Submission) => boolean): Submission | undefined {
    for (const submission of this.#live.submissions.values()) if (is(submission)) return submission
    let newest: Submission | undefined
    for (const change of this.#queue.changes()) {
      if (change.type === "submission" && is(change.submission)) newest = change.submission
    }
    return newest
  }

  #waitingEntries(): readonly Entry[] {
    return [...this.#queue.changes()].flatMap((change) => (change.type === "entry" ? [change.entry] : []))
  }
}

/**
 * The parts of a conversation's history between `after` (exclusive) and `upTo`, each in the conversation that has it;
 * newest first.
 */
export function lineage(
  conversations: ReadonlyMap<ConversationId, Conversation>,
  conversation: ConversationId,
  after: EntryId,
  upTo: EntryId,
): readonly EntryRange[] {
  const ranges: EntryRange[] = []
  let at = conversations.get(conversation)
  let end = upTo
  while (at !== undefined && end > after) {
    ranges.push({ conversation: at.id, after, upTo: end })
    if (at.parent === null) break
    end = Math.min(end, at.parent.entry)
    at = conversations.get(at.parent.conversation)
  }
  return ranges
}

function isIn({ conversation, after, upTo }: EntryRange, entry: Entry): boolean {
  return entry.conversation === conversation && entry.id > after && entry.id <= upTo
}

/** Both in the order of ids; what was stored meanwhile is in both, and once in the answer. */
function merge(stored: readonly Entry[], waiting: readonly Entry[]): readonly Entry[] {
  if (waiting.length === 0) return stored
  const first = stored.at(-1)?.id ?? 0
  const ids = new Set(stored.map(({ id }) => id))
  const more = waiting.filter(({ id }) => !ids.has(id))
  return more.every(({ id }) => id > first)
    ? [...stored, ...more]
    : [...stored, ...more].sort((one, other) => one.id - other.id)
}
