/**
 * What is alive, in memory: a fold of all changes, of which history has been let go.
 *
 * - Between `begin` and `keep` or `revert` every change notes how it is taken back, so a commit that throws costs what
 *   it did and no copy.
 * - Maps are in the order of ids, also after a revert.
 */
import { assert, unreachable } from "../std/assert.ts"
import type { Live } from "./ledger.ts"
import { isLive } from "./records.ts"
import type {
  Change,
  Conversation,
  ConversationId,
  Document,
  EntryId,
  Submission,
  SubmissionId,
  Task,
  TaskId,
} from "./records.ts"
import type { Loaded } from "./storage.ts"

export class State implements Live {
  readonly conversations: Map<ConversationId, Conversation>
  readonly tasks: Map<TaskId, Task>
  readonly submissions: Map<SubmissionId, Submission>
  nextId: number
  readonly #documents = new Map<ConversationId, Map<string, Document>>()
  readonly #tails: Map<ConversationId, EntryId>
  #undo: (() => void)[] | null = null

  constructor(loaded: Loaded) {
    this.conversations = new Map(loaded.conversations.map((it) => [it.id, it]))
    this.tasks = new Map(loaded.tasks.map(({ task }) => [task.id, task]))
    this.submissions = new Map(loaded.submissions.map((it) => [it.id, it]))
    this.nextId = loaded.nextId
    this.#tails = new Map(loaded.tails)
    for (const document of loaded.documents) this.#place(document)
  }

  document(conversation: ConversationId | 0, name: string): Document | undefined {
    return this.#documents.get(conversation)?.get(name)
  }

  *documents(): Iterable<Document> {
    for (const named of this.#documents.values()) yield* named.values()
  }

  tail(conversation: ConversationId): EntryId {
    return this.#tails.get(conversation) ?? 0
  }

  begin(): void {
    assert(this.#undo === null, "one change of the state at a time")
    const nextId = this.nextId
    this.#undo = [() => (this.nextId = nextId)]
  }

  keep(): void {
    this.#undo = null
  }

  revert(): void {
    const undo = this.#undo ?? []
    this.#undo = null
    for (const step of undo.reverse()) step()
  }

  apply(change: Change): void {
    switch (change.type) {
      case "conversation":
        return this.#set(this.conversations, change.conversation.id, change.conversation)
      case "entry":
        return this.#set(this.#tails, change.entry.conversation, change.entry.id)
      case "task":
        if (isLive(change.task)) return this.#set(this.tasks, change.task.id, change.task)
        return this.#delete(this.tasks, change.task.id)
      case "submission":
        if (isOpen(change.submission)) return this.#set(this.submissions, change.submission.id, change.submission)
        return this.#delete(this.submissions, change.submission.id)
      case "document":
        return this.#set(this.#named(change.document.conversation), change.document.name, change.document)
      case "retire":
        return this.#delete(this.#named(change.conversation), change.name)
      default:
        return unreachable(change)
    }
  }

  #place(document: Document): void {
    this.#named(document.conversation).set(document.name, document)
  }

  #named(conversation: ConversationId): Map<string, Document> {
    const named = this.#documents.get(conversation) ?? new Map<string, Document>()
    this.#documents.set(conversation, named)
    return named
  }

  #set<K, V>(map: Map<K, V>, key: K, value: V): void {
    const before = map.get(key)
    this.#undo?.push(() => (before === undefined ? map.delete(key) : map.set(key, before)))
    map.set(key, value)
  }

  #delete<K, V>(map: Map<K, V>, key: K): void {
    if (!map.has(key)) return
    if (this.#undo !== null) {
      // Putting it back alone would put it last: what is alive is little, so all of it is put back in its order.
      const before = [...map]
      this.#undo.push(() => {
        map.clear()
        for (const [each, value] of before) map.set(each, value)
      })
    }
    map.delete(key)
  }
}

/** True while a submission can still change: it is in memory then. */
export function isOpen(submission: Submission): boolean {
  return submission.status === "queued" || submission.status === "placed"
}
