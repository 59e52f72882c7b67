/**
 * The ledger that ends with its process: storage in memory, for sessions without a disk and for tests.
 *
 * - It keeps the records themselves, which are frozen; all that a file promises of order, atomicity and owners holds
 *   here too.
 */
import { assert, unreachable } from "../std/assert.ts"
import { StaleOwner } from "./ledger.ts"
import { MemoryBlobs } from "./blobs.ts"
import { MemorySpools } from "./memory-spools.ts"
import { isLive } from "./records.ts"
import type {
  Change,
  Conversation,
  ConversationId,
  Document,
  Entry,
  EntryId,
  Submission,
  SubmissionId,
  Task,
  TaskId,
} from "./records.ts"
import type { Spools } from "./spool.ts"
import { isOpen } from "./state.ts"
import type { Batch, Counts, EntryRange, Loaded, Storage } from "./storage.ts"

export class MemoryStorage implements Storage {
  readonly #conversations = new Map<ConversationId, Conversation>()
  readonly #entries = new Map<EntryId, Entry>()
  readonly #byConversation = new Map<ConversationId, Entry[]>()
  readonly #tasks = new Map<TaskId, { readonly task: Task; readonly writtenAt: number }>()
  readonly #submissions = new Map<SubmissionId, Submission>()
  readonly #requests = new Map<string, SubmissionId>()
  readonly #documents = new Map<string, Document>()
  readonly #spools = new MemorySpools()
  readonly blobs = new MemoryBlobs()
  #owner = { epoch: 0, nextId: 1, clean: true, seq: 0, lastSign: 0 }

  async load(): Promise<Loaded> {
    const tails = [...this.#byConversation].map(([id, entries]) => [id, entries.at(-1)?.id ?? 0] as const)
    return {
      ...this.#owner,
      conversations: [...this.#conversations.values()],
      tasks: [...this.#tasks.values()].filter(({ task }) => isLive(task)),
      submissions: [...this.#submissions.values()].filter(isOpen),
      documents: [...this.#documents.values()],
      tails: new Map(tails),
      notices: [],
    }
  }

  write(batch: Batch): void {
    this.#fence(batch.owner)
    assert(batch.seq === this.#owner.seq + 1, `commit ${batch.seq} follows ${this.#owner.seq}`)
    for (const change of batch.changes) this.#put(change, batch.at)
    const { epoch, nextId, clean, seq, at } = batch
    this.#owner = { epoch, nextId, clean, seq, lastSign: at }
  }

  async spools(): Promise<Spools> {
    return this.#spools
  }

  checkOwner(epoch: number): void {
    this.#fence(epoch)
  }

  sign(at: number): void {
    this.#owner = { ...this.#owner, lastSign: at }
  }

  async entry(id: EntryId): Promise<Entry | undefined> {
    return this.#entries.get(id)
  }

  async entries(range: EntryRange, limit: number): Promise<readonly Entry[]> {
    const found = this.#range(range)
    return found.slice(Math.max(0, found.length - limit))
  }

  async newestHead(range: EntryRange): Promise<Entry | undefined> {
    return this.#range(range).findLast(({ head }) => head !== null)
  }

  async task(id: TaskId): Promise<Task | undefined> {
    return this.#tasks.get(id)?.task
  }

  async submission(id: SubmissionId): Promise<Submission | undefined> {
    return this.#submissions.get(id)
  }

  submissionByRequest(conversation: ConversationId, requestId: string): Submission | undefined {
    const id = this.#requests.get(`${conversation} ${requestId}`)
    return id === undefined ? undefined : this.#submissions.get(id)
  }

  async counts(): Promise<Counts> {
    return { entries: this.#entries.size, tasks: this.#tasks.size, bytes: 0 }
  }

  async verify(): Promise<readonly string[]> {
    return []
  }

  async close(): Promise<void> {}

  #fence(epoch: number): void {
    const found = this.#owner.epoch
    if (found !== epoch)
      throw new StaleOwner(`the session was opened again since (epoch ${found}, this one has ${epoch})`)
  }

  #range({ conversation, after, upTo }: EntryRange): readonly Entry[] {
    return (this.#byConversation.get(conversation) ?? []).filter(({ id }) => id > after && id <= upTo)
  }

  #put(change: Change, at: number): void {
    switch (change.type) {
      case "conversation":
        this.#conversations.set(change.conversation.id, change.conversation)
        return
      case "entry": {
        const { entry } = change
        assert(!this.#entries.has(entry.id), `entry ${entry.id} is written once`)
        this.#entries.set(entry.id, entry)
        const others = this.#byConversation.get(entry.conversation)
        if (others) others.push(entry)
        else this.#byConversation.set(entry.conversation, [entry])
        return
      }
      case "task":
        this.#tasks.set(change.task.id, { task: change.task, writtenAt: at })
        return
      case "submission": {
        const { id, conversation, requestId } = change.submission
        this.#submissions.set(id, change.submission)
        this.#requests.set(`${conversation} ${requestId}`, id)
        return
      }
      case "document":
        this.#documents.set(`${change.document.conversation} ${change.document.name}`, change.document)
        return
      case "retire":
        this.#documents.delete(`${change.conversation} ${change.name}`)
        return
      default:
        unreachable(change)
    }
  }
}
