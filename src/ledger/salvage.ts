/**
 * What can still be read of a damaged ledger: every row that is what was written, wherever in its files it stands.
 *
 * - A row counts when its digest is right; of a record that was replaced the newest row that is left counts.
 * - It says what the ledger held, as far as the file still knows, so that what is lost can be counted.
 * - Nothing is written, and SQLite is not asked.
 */
import { existsSync, readFileSync } from "node:fs"
import { pageBytes } from "./database.ts"
import { rowDigest, same } from "./digest.ts"
import type { Cell } from "./digest.ts"
import type { SessionPaths } from "./folder.ts"
import { rowsOf } from "./pages.ts"
import type { RawRow } from "./pages.ts"
import { prunedData } from "./records.ts"
import type { Conversation, Document, Entry, Submission } from "./records.ts"
import { conversationFrom, documentFrom, entryFrom, submissionFrom, tables } from "./rows.ts"
import type { ConversationRow, DocumentRow, EntryRow, SubmissionRow, Table } from "./rows.ts"

/** Records that make a session of their own: each is whole, and names a conversation that is among them. */
export type SessionRecords = {
  readonly conversations: readonly Conversation[]
  readonly entries: readonly Entry[]
  readonly submissions: readonly Submission[]
  readonly documents: readonly Document[]
}

export type Salvage = SessionRecords & {
  /** Entries that the ledger counted; null where its counters are gone too. */
  readonly counted: number | null
}

const tombstone = JSON.stringify(prunedData)

type Found = { readonly row: Readonly<Record<string, Cell>>; readonly seq: number }
type Rows = Readonly<Record<Table, Map<string, Found>>>

export function salvage(paths: SessionPaths): Salvage {
  const read = (path: string): Uint8Array => (existsSync(path) ? readFileSync(path) : new Uint8Array())
  const rows = Object.fromEntries(Object.keys(tables).map((table) => [table, new Map()])) as unknown as Rows
  let counted: number | null = null
  for (const row of rowsOf(read(paths.db), read(paths.wal), pageBytes)) {
    const entries = countOf(row)
    if (entries !== null) counted = Math.max(counted ?? 0, entries)
    else keep(rows, row)
  }
  return { ...recordsOf(rows), counted }
}

/** The entries that the row of `meta` counts; null for any other row. */
function countOf(row: RawRow): number | null {
  const isMeta = row.length === 6 && row[0] === 1 && row.every((cell) => typeof cell === "number")
  return isMeta ? Number(row[4]) : null
}

function keep(rows: Rows, raw: RawRow): void {
  const seq = raw.at(-2)
  const digest = raw.at(-1)
  if (typeof seq !== "number" || !(digest instanceof Uint8Array)) return
  const cells = raw.slice(0, -2)
  if (cells.some((cell) => cell instanceof Uint8Array)) return
  for (const table of Object.keys(tables) as Table[]) {
    const { columns, key } = tables[table]
    if (columns.length !== cells.length) continue
    const isWhole = same(rowDigest(table, cells as readonly Cell[]), digest)
    // What was pruned keeps the digest of what it was.
    if (!isWhole && !(table === "entries" && cells.at(-1) === tombstone)) continue
    const row = Object.fromEntries(columns.map((column, at) => [column, cells[at] as Cell]))
    const id = key.map((column) => String(row[column])).join(" ")
    const before = rows[table].get(id)
    if (before === undefined || before.seq < seq) rows[table].set(id, { row, seq })
  }
}

function recordsOf(rows: Rows): SessionRecords {
  const all = <R>(table: Table): R[] => [...rows[table].values()].map(({ row }) => row as R)
  const byId = <T extends { readonly id: number }>(records: T[]): T[] => records.sort((one, two) => one.id - two.id)
  const entries = byId(all<EntryRow>("entries").map(entryFrom))
  const submissions = byId(
    all<Omit<SubmissionRow, "body">>("submissions").flatMap((row) => {
      const body = rows.bodies.get(String(row.id))?.row["data"]
      return typeof body === "string" ? [submissionFrom({ ...row, body })] : []
    }),
  )
  const conversations = withLost(byId(all<ConversationRow>("conversations").map(conversationFrom)), entries)
  const known = new Set(conversations.map(({ id }) => id))
  return {
    conversations,
    entries,
    submissions: submissions.filter(({ conversation }) => known.has(conversation)),
    documents: all<DocumentRow>("documents")
      .map(documentFrom)
      .filter(({ conversation }) => conversation === 0 || known.has(conversation)),
  }
}

/** The root, and what entries tell of, stand in for conversations whose own rows are lost: without a parent. */
function withLost(found: readonly Conversation[], entries: readonly Entry[]): readonly Conversation[] {
  const known = new Map(found.map((it) => [it.id, it]))
  const at = entries[0]?.at ?? 0
  for (const id of [1, ...entries.map(({ conversation }) => conversation)]) {
    if (!known.has(id)) known.set(id, Object.freeze({ id, at, parent: null, owner: null }))
  }
  // A fork of what is lost begins where it was forked.
  return [...known.values()]
    .sort((one, two) => one.id - two.id)
    .map((it) => (it.parent !== null && !known.has(it.parent.conversation) ? { ...it, parent: null } : it))
}
