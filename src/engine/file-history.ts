/**
 * What a conversation's model has seen of files, and what is kept of them.
 *
 * - It is read from the results in the transcript, forks included, so a restart or a fork forgets nothing and nothing else has to be stored.
 * - Only the newest entries are looked at: a file that was seen before them is as one that was never seen.
 * - Contents are the session's blobs.
 */
import type { Ledger } from "../ledger/ledger.ts"
import type { ConversationId, Entry, EntryId } from "../ledger/records.ts"
import { seenIn } from "../tools/file-facts.ts"
import type { FileHistory } from "../tools/tool.ts"
import { dataOf } from "./entries.ts"
import { isToldWhole } from "./undo-told.ts"

/** Newest entries of a conversation that are looked at when it is first asked for. */
const entriesMax = 5_000

type Known = { readonly upTo: EntryId; readonly seen: ReadonlyMap<string, string> }

export class FileHistories {
  readonly #ledger: Ledger
  readonly #known = new Map<ConversationId, Promise<Known>>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  of(conversation: ConversationId): FileHistory {
    const { blobs } = this.#ledger
    return {
      seen: async (path) => (await this.#upToDate(conversation)).seen.get(path) ?? null,
      content: (hash) => blobs.read(hash),
      keep: async (contents, flush) => void (await blobs.keep(contents, flush)),
    }
  }

  /** What is known of a conversation, with the entries that have come since it was last asked for. */
  #upToDate(conversation: ConversationId): Promise<Known> {
    const before = this.#known.get(conversation)
    const known = (before ?? Promise.resolve(null)).then((last) => this.#read(conversation, last))
    this.#known.set(conversation, known)
    // A read that failed is not what the next one goes on from.
    known.catch(() => this.#known.delete(conversation))
    return known
  }

  async #read(conversation: ConversationId, last: Known | null): Promise<Known> {
    const after = last?.upTo ?? 0
    if (last !== null && this.#ledger.live.tail(conversation) <= after) return last
    const entries = await this.#ledger.entries({ conversation, after, limit: entriesMax })
    const seen = new Map(last?.seen)
    for (const entry of entries) note(seen, entry)
    return { upTo: entries.at(-1)?.id ?? after, seen }
  }
}

function note(seen: Map<string, string>, entry: Entry): void {
  const data = dataOf(entry)
  const file = data?.kind === "toolResult" ? seenIn(data.details) : null
  if (file !== null) seen.set(file.path, file.hash)
  if (data?.kind !== "undo") return
  for (const undone of data.files) {
    const { path, after } = undone.change
    if (after !== null && isToldWhole(undone)) seen.set(path, after)
  }
}
