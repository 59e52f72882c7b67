/**
 * Every statement that reads or writes a ledger, as data: a test explains each one and holds it to its index.
 *
 * - `whole` marks what reads a table from end to end, on purpose: conversations and documents are all taken into memory
 *   at an opening.
 */
import { tables } from "./rows.ts"
import type { Table } from "./rows.ts"

const body = "(SELECT data FROM bodies WHERE bodies.id = it.id) AS body"
const ofRange = "conversation = ? AND id > ? AND id <= ?"

export const reads = {
  meta: { sql: "SELECT epoch, next_id, clean, entries, tasks FROM meta WHERE one = 1", whole: false },
  lastCommit: { sql: "SELECT seq, at, chain FROM commits ORDER BY seq DESC LIMIT 1", whole: false },
  chainAt: { sql: "SELECT chain FROM commits WHERE seq = ?", whole: false },
  conversations: { sql: "SELECT * FROM conversations ORDER BY id", whole: true },
  tails: {
    sql: "SELECT id, (SELECT max(id) FROM entries WHERE conversation = it.id) AS tail FROM conversations AS it",
    whole: true,
  },
  liveTasks: {
    sql: `SELECT it.*, ${body}, (SELECT at FROM commits WHERE commits.seq = it.seq) AS written_at
          FROM tasks AS it WHERE ended_at IS NULL ORDER BY id`,
    whole: false,
  },
  openSubmissions: {
    sql: `SELECT it.*, ${body} FROM submissions AS it WHERE status IN ('queued', 'placed') ORDER BY id`,
    whole: false,
  },
  documents: { sql: "SELECT * FROM documents", whole: true },
  sessionDocuments: { sql: "SELECT * FROM documents WHERE conversation = 0", whole: false },
  entriesPage: { sql: "SELECT * FROM entries WHERE id > ? ORDER BY id LIMIT ?", whole: false },
  newestEntries: { sql: "SELECT * FROM entries WHERE id < ? ORDER BY id DESC LIMIT ?", whole: false },
  entry: { sql: "SELECT * FROM entries WHERE id = ?", whole: false },
  entries: { sql: `SELECT * FROM entries WHERE ${ofRange} ORDER BY id DESC LIMIT ?`, whole: false },
  newestHead: {
    sql: `SELECT * FROM entries WHERE ${ofRange} AND head IS NOT NULL ORDER BY id DESC LIMIT 1`,
    whole: false,
  },
  task: { sql: `SELECT it.*, ${body} FROM tasks AS it WHERE id = ?`, whole: false },
  submission: { sql: `SELECT it.*, ${body} FROM submissions AS it WHERE id = ?`, whole: false },
  submissionByRequest: {
    sql: `SELECT it.*, ${body} FROM submissions AS it WHERE conversation = ? AND request_id = ?`,
    whole: false,
  },
} as const satisfies Record<string, { readonly sql: string; readonly whole: boolean }>

/** Tables with their bodies from end to end, ended work included. */
export const all = {
  tasks: `SELECT it.*, ${body} FROM tasks AS it ORDER BY id`,
  submissions: `SELECT it.*, ${body} FROM submissions AS it ORDER BY id`,
} as const

export const writes = {
  /** Changes no row where the epoch is not the one that the writer believes in. */
  meta: `UPDATE meta SET epoch = ?, next_id = ?, clean = ?, entries = entries + ?, tasks = tasks + ?
         WHERE one = 1 AND epoch = ?`,
  commit: "INSERT INTO commits (seq, at, class, rows, digest, chain) VALUES (?, ?, ?, ?, ?, ?)",
  retire: "DELETE FROM documents WHERE conversation = ? AND name = ?",
} as const

/** Conversations and entries are only ever added: to write one twice is an error. */
const added: readonly Table[] = ["conversations", "entries"]

/** The statement that stores a row: its cells, then seq and digest. */
export function put(table: Table): string {
  const { key, columns } = tables[table]
  const all = [...columns, "seq", "digest"]
  const insert = `INSERT INTO ${table} (${all.join(", ")}) VALUES (${all.map(() => "?").join(", ")})`
  if (added.includes(table)) return insert
  // Not REPLACE, which would also delete another row that has the same request id.
  const others = all.filter((column) => !(key as readonly string[]).includes(column))
  const sets = others.map((column) => `${column} = excluded.${column}`)
  return `${insert} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${sets.join(", ")}`
}

/** A page of all rows of a table, by its key, for verification. */
export function page(table: Table): string {
  const { key } = tables[table]
  const after = `(${key.join(", ")}) > (${key.map(() => "?").join(", ")})`
  return `SELECT * FROM ${table} WHERE ${after} ORDER BY ${key.join(", ")} LIMIT ?`
}

export const commitsPage = "SELECT * FROM commits WHERE seq > ? ORDER BY seq LIMIT ?"

/** What there is beside what `meta` says that there is: whole tables, for verification. */
export const counts = `SELECT (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM tasks) AS tasks,
  meta.entries AS countedEntries, meta.tasks AS countedTasks, next_id AS next,
  max((SELECT coalesce(max(id), 0) FROM entries), (SELECT coalesce(max(id), 0) FROM tasks),
      (SELECT coalesce(max(id), 0) FROM submissions), (SELECT coalesce(max(id), 0) FROM conversations)) AS newest
  FROM meta WHERE one = 1`
