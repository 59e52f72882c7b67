/** The engine's entries: typed data in, JSON in the ledger, typed data out. */
import type { JsonObject } from "../std/json.ts"
import type { Tx } from "../ledger/ledger.ts"
import { isPruned, type Entry } from "../ledger/records.ts"
import { entryKinds, type EntryData, type EntryRecord } from "../protocol/records.ts"

type Place = { readonly conversation: number; readonly byTask?: number | null; readonly head?: number | null }

/** Append one entry; `kind` is the entry's own column, the rest is its data. */
export function append(tx: Tx, place: Place, data: EntryData): Entry {
  const { kind, ...rest } = data
  return tx.addEntry({ ...place, kind, data: rest as JsonObject })
}

/** Fields that an entry of an older build may lack: what is said is read, whatever came later. */
const since: { readonly [K in EntryData["kind"]]?: Partial<Extract<EntryData, { readonly kind: K }>> } = {
  user: { submission: 0 },
  assistant: { attempt: 1 },
  toolResult: { task: 0, outcome: "done", title: "", durationMs: 0 },
  shell: { exit: null, excluded: false, durationMs: 0 },
  notice: { level: "info", code: "" },
  compaction: { tokensBefore: 0 },
  undo: { refused: [], commands: 0 },
}

/** What an entry holds; undefined for a kind of a newer version or an extension, and where it was pruned. */
export function dataOf(entry: Entry): EntryData | undefined {
  if (isPruned(entry)) return undefined
  const kind = entryKinds.find((known) => known === entry.kind)
  return kind === undefined ? undefined : ({ kind, ...since[kind], ...entry.data } as EntryData)
}

export function entryRecord(entry: Entry): EntryRecord {
  const { id, conversation, at, byTask } = entry
  return { id, conversation, at, byTask, data: dataOf(entry) ?? { kind: `?${entry.kind}`, value: entry.data } }
}
