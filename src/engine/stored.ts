/**
 * Live state as clients may know it: as of the newest commit that was stored. The ledger's own runs ahead of that while its disk is slow or full.
 *
 * - A fold of stored commits alone. What an opening finds has been stored.
 */
import { isLive } from "../ledger/records.ts"
import type { Commit, Live } from "../ledger/ledger.ts"
import type { Conversation, Document, Submission, Task } from "../ledger/records.ts"

export class StoredState {
  readonly conversations: Map<number, Conversation>
  readonly tasks: Map<number, Task>
  readonly submissions: Map<number, Submission>
  readonly #documents: Map<string, Document>
  /** The newest commit. */
  seq: number
  /** The newest entry: ids rise, so a newer one is not stored yet. */
  entry: number

  constructor(live: Live, seq: number) {
    this.conversations = new Map(live.conversations)
    this.tasks = new Map(live.tasks)
    this.submissions = new Map(live.submissions)
    this.#documents = new Map([...live.documents()].map((document) => [keyOf(document), document]))
    this.seq = seq
    this.entry = Math.max(0, ...[...live.conversations.keys()].map((conversation) => live.tail(conversation)))
  }

  apply({ seq, changes }: Commit): void {
    this.seq = Math.max(this.seq, seq)
    for (const change of changes) {
      if (change.type === "conversation") this.conversations.set(change.conversation.id, change.conversation)
      if (change.type === "entry") this.entry = Math.max(this.entry, change.entry.id)
      if (change.type === "document") this.#documents.set(keyOf(change.document), change.document)
      if (change.type === "retire") this.#documents.delete(keyOf(change))
      if (change.type === "task") put(this.tasks, change.task, isLive(change.task))
      if (change.type === "submission") {
        const { status } = change.submission
        put(this.submissions, change.submission, status === "queued" || status === "placed")
      }
    }
  }

  document(conversation: number, name: string): Document | undefined {
    return this.#documents.get(keyOf({ conversation, name }))
  }

  documents(): Iterable<Document> {
    return this.#documents.values()
  }

  /** True while a run stands or a task is live. */
  works(): boolean {
    return this.tasks.size > 0 || [...this.#documents.values()].some(({ name }) => name === "run")
  }
}

function keyOf({ conversation, name }: { readonly conversation: number; readonly name: string }): string {
  return `${conversation}/${name}`
}

function put<T extends { readonly id: number }>(map: Map<number, T>, record: T, stays: boolean): void {
  if (stays) map.set(record.id, record)
  else map.delete(record.id)
}
