/**
 * What a conversation's model has seen of files, and what is kept of them.
 *
 * - It is read from the results in the transcript, forks included, so a restart or a fork forgets nothing and nothing else has to be stored.
 * - What a result shows is seen by the calls that were written after it, and not by those of its own round. Of its own changes in that round a
 *   model knows all the same, where they were made to what it had seen.
 * - Only the newest entries are looked at: a file that was seen before them is as one that was never seen.
 * - Contents are the session's blobs.
 */
import type { Ledger } from "../ledger/ledger.ts"
import type { ConversationId, Entry, EntryId } from "../ledger/records.ts"
import { changeIn, seenIn } from "../tools/file-facts.ts"
import type { FileHistory } from "../tools/tool.ts"
import { dataOf } from "./entries.ts"
import { isToldWhole } from "./undo-told.ts"

/** Newest entries of a conversation that are looked at when it is first asked for. */
const entriesMax = 5_000

/** From the entry `entry` on a file is known as `hash`; `before` is what its call replaced. */
type Sight = { readonly entry: EntryId; readonly hash: string; readonly before?: string | null }

type Known = { readonly upTo: EntryId; readonly sights: ReadonlyMap<string, readonly Sight[]> }

export class FileHistories {
  readonly #ledger: Ledger
  readonly #known = new Map<ConversationId, Promise<Known>>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** `round`: the answer whose calls ask; without one all that is told is seen. */
  of(conversation: ConversationId, round: EntryId = Infinity): FileHistory {
    const { blobs } = this.#ledger
    return {
      seen: async (path) => lastSeen((await this.#upToDate(conversation)).sights.get(path) ?? [], round),
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
    const sights = new Map(last?.sights)
    for (const entry of entries)
      for (const [path, sight] of sightsIn(entry)) sights.set(path, [...(sights.get(path) ?? []), sight])
    return { upTo: entries.at(-1)?.id ?? after, sights }
  }
}

function lastSeen(sights: readonly Sight[], round: EntryId): string | null {
  let hash = sights.findLast(({ entry }) => entry < round)?.hash ?? null
  for (const { entry, hash: after, before } of sights) if (entry > round && before === hash) hash = after
  return hash
}

function sightsIn(entry: Entry): readonly (readonly [path: string, sight: Sight])[] {
  const data = dataOf(entry)
  if (data?.kind === "undo") {
    const told = data.files.filter(isToldWhole).map(({ change }) => change)
    return told.flatMap(({ path, after }) =>
      after === null ? [] : [[path, { entry: entry.id, hash: after }] as const],
    )
  }
  const file = data?.kind === "toolResult" ? seenIn(data.details) : null
  if (file === null || data?.kind !== "toolResult") return []
  const change = changeIn(data.details)
  return [[file.path, { entry: entry.id, hash: file.hash, ...(change === null ? {} : { before: change.before }) }]]
}
