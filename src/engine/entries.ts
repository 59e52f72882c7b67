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

/** What an entry holds; undefined for a kind of a newer version or an extension, and where it was pruned. */
export function dataOf(entry: Entry): EntryData | undefined {
  if (isPruned(entry)) return undefined
  if (!(entryKinds as readonly string[]).includes(entry.kind)) return undefined
  return { kind: entry.kind, ...entry.data } as EntryData
}

export function entryRecord(entry: Entry): EntryRecord {
  const { id, conversation, at, byTask } = entry
  return { id, conversation, at, byTask, data: dataOf(entry) ?? { kind: `?${entry.kind}`, value: entry.data } }
}
