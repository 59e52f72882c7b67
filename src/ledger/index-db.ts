/**
 * The index over all sessions: rows for lists, texts for searching. It knows kinds and texts that are handed to it, not messages.
 *
 * - It is a cache and belongs to nobody: whoever finds a row stale writes it anew, in a short transaction.
 * - Entries never change, so texts are only ever added, until the session goes or turns out to have another history.
 * - Everything here is synchronous and small; who has much to do calls it again and again.
 */
import type { Database } from "bun:sqlite"
import type { JsonObject } from "../std/json.ts"
import { strictObject } from "./strict.ts"

/** `stamp`: how the ledger's files looked when `value` was read. `texts`: the stamp at which all texts were in, "" before. */
export type IndexRow = {
  readonly id: string
  readonly stamp: string
  readonly value: JsonObject
  readonly texts: string
  readonly textTo: number
  readonly textAt: number
}

export type IndexText = {
  readonly entry: number
  readonly conversation: number
  readonly at: number
  readonly kind: string
  readonly text: string
}

export type IndexHit = IndexText & { readonly session: string }

export type IndexQuery = {
  /** What a text has to contain, in any case; fewer than three characters are looked for in every text. */
  readonly contains: string
  /** Whether a text that may contain it is wanted. */
  wanted(text: string): boolean
  /** Only these sessions; null: all. */
  readonly sessions: ReadonlySet<string> | null
  /** Go on below this place; null: begin with the newest. */
  readonly below: number | null
  readonly limit: number
  /** True when it is time to pause. */
  enough(): boolean
}

/** `below`: where to go on; null when all was looked through. */
export type IndexPage = { readonly hits: readonly IndexHit[]; readonly below: number | null }

type SessionRow = {
  readonly id: string
  readonly stamp: string
  readonly value: string
  readonly texts: string
  readonly text_to: number
  readonly text_at: number
}

type TextRow = IndexText & { readonly id: number; readonly session: string }

const hitColumns = `it.id, sessions.id AS session, it.entry, it.conversation, it.at, it.kind, it.text`
const hitTables = `texts AS it JOIN sessions ON sessions.n = it.session`

/** Statements as data, so that a test can ask how each is carried out. */
export const indexReads = {
  rows: "SELECT id, stamp, value, texts, text_to, text_at FROM sessions",
  row: "SELECT id, stamp, value, texts, text_to, text_at FROM sessions WHERE id = ?",
  matches: `SELECT ${hitColumns} FROM words JOIN texts AS it ON it.id = words.rowid JOIN sessions ON sessions.n = it.session
            WHERE words MATCH ? AND words.rowid < ? ORDER BY words.rowid DESC`,
  scan: `SELECT ${hitColumns} FROM ${hitTables} WHERE it.id < ? ORDER BY it.id DESC`,
} as const

export class IndexDb {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  rows(): readonly IndexRow[] {
    return this.#db.query<SessionRow, []>(indexReads.rows).all().map(rowFrom)
  }

  row(id: string): IndexRow | undefined {
    const row = this.#db.query<SessionRow, [string]>(indexReads.row).get(id)
    return row === null ? undefined : rowFrom(row)
  }

  /** New values of sessions; what is known of their texts stays. */
  putRows(rows: readonly Pick<IndexRow, "id" | "stamp" | "value">[]): void {
    const put = this.#db.query(
      `INSERT INTO sessions (id, stamp, value, texts, text_to, text_at) VALUES (?, ?, ?, '', 0, 0)
       ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp, value = excluded.value`,
    )
    this.#write(() => {
      for (const { id, stamp, value } of rows) put.run(id, stamp, JSON.stringify(value))
    })
  }

  /**
   * Further texts of a session that has a row. `after` is what they go on from: where another process was quicker, nothing is written and the
   * answer is false. `stamp` is "" until they are the last.
   */
  putTexts(
    id: string,
    after: number,
    texts: readonly IndexText[],
    to: { entry: number; at: number; stamp: string },
  ): boolean {
    return this.#write(() => {
      const row = this.#db
        .query<{ n: number }, [string, number]>("SELECT n FROM sessions WHERE id = ? AND text_to = ?")
        .get(id, after)
      if (row === null) return false
      const text = this.#db.query(
        "INSERT INTO texts (session, entry, conversation, at, kind, text) VALUES (?, ?, ?, ?, ?, ?)",
      )
      const words = this.#db.query("INSERT INTO words (rowid, text) VALUES (?, ?)")
      for (const it of texts) {
        const { lastInsertRowid } = text.run(row.n, it.entry, it.conversation, it.at, it.kind, it.text)
        words.run(lastInsertRowid, it.text)
      }
      this.#db
        .query("UPDATE sessions SET texts = ?, text_to = ?, text_at = ? WHERE n = ?")
        .run(to.stamp, to.entry, to.at, row.n)
      return true
    })
  }

  /** Forgets what a session said; its row stays. */
  dropTexts(id: string): void {
    this.#write(() => {
      this.#dropTexts(id)
      this.#db.query("UPDATE sessions SET texts = '', text_to = 0, text_at = 0 WHERE id = ?").run(id)
    })
  }

  /** Forgets sessions. */
  drop(ids: readonly string[]): void {
    this.#write(() => {
      for (const id of ids) {
        this.#dropTexts(id)
        this.#db.query("DELETE FROM sessions WHERE id = ?").run(id)
      }
    })
  }

  #dropTexts(id: string): void {
    const ofSession = "session = (SELECT n FROM sessions WHERE id = ?)"
    this.#db.query(`DELETE FROM words WHERE rowid IN (SELECT id FROM texts WHERE ${ofSession})`).run(id)
    this.#db.query(`DELETE FROM texts WHERE ${ofSession}`).run(id)
  }

  /** Texts that contain something, newest first, as far as time and limit allow. */
  search(query: IndexQuery): IndexPage {
    const hits: IndexHit[] = []
    const below = query.below ?? Number.MAX_SAFE_INTEGER
    for (const { id, ...hit } of this.#candidates(query.contains, below)) {
      const inside = query.sessions === null || query.sessions.has(hit.session)
      if (inside && query.wanted(hit.text)) hits.push(hit)
      if (hits.length >= query.limit || query.enough()) return { hits, below: id }
    }
    return { hits, below: null }
  }

  #candidates(contains: string, below: number): Iterable<TextRow> {
    const grams = gramsOf(contains)
    if (grams === null) return this.#db.query<TextRow, [number]>(indexReads.scan).iterate(below)
    return this.#db.query<TextRow, [string, number]>(indexReads.matches).iterate(grams, below)
  }

  #write<T>(work: () => T): T {
    return this.#db.transaction(work).immediate()
  }
}

/** A match of all threes of characters in `text`; null for one that has none. */
export function gramsOf(text: string): string | null {
  const characters = [...text]
  const grams = new Set<string>()
  for (let at = 0; at + 3 <= characters.length; at++) grams.add(characters.slice(at, at + 3).join(""))
  if (grams.size === 0) return null
  return [...grams].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ")
}

function rowFrom({ id, stamp, value, texts, text_to, text_at }: SessionRow): IndexRow {
  return { id, stamp, value: strictObject(value), texts, textTo: text_to, textAt: text_at }
}
