/** Telling damage from weather: what an error on the way into a ledger means. */
import { SQLiteError } from "bun:sqlite"
import { Bug } from "../std/assert.ts"
import { SessionDamaged } from "./errors.ts"

/**
 * The error as a person should hear it: SQLite that finds no database, and rows that are none of ours, are a damaged
 * session; anything else stays what it is. A belief about stored rows that does not hold is damage here and not a bug:
 * a disk may say anything.
 */
export function damaged(session: string, error: unknown): unknown {
  const corrupt = error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(error.code ?? "")
  const broken = error instanceof Bug || error instanceof SyntaxError
  return corrupt || broken ? new SessionDamaged(session, error.message) : error
}
