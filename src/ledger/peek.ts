/**
 * Looking into a session without opening it, for lists and pickers: no lock, no byte written, no work taken up.
 *
 * - It is never in the way of its holder, and sees what the holder has stored.
 * - It answers for every session: one that is damaged or newer is told as such.
 */
import { SQLiteError } from "bun:sqlite"
import type { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { damaged } from "./damage.ts"
import { NewerFormat, SessionDamaged, SessionMissing } from "./errors.ts"
import type { Holder } from "./errors.ts"
import { sessionPaths } from "./folder.ts"
import type { SessionPaths } from "./folder.ts"
import { readFormat } from "./format.ts"
import { self } from "./holder.ts"
import type { Self } from "./holder.ts"
import { readHolder } from "./lock.ts"
import { withReadOnly } from "./loss.ts"
import { openedHere } from "./open.ts"
import type { SessionPlace } from "./open.ts"
import { all, reads } from "./queries.ts"
import type { Document, Entry, Submission, Task } from "./records.ts"
import { conversationFrom, documentFrom, entryFrom, submissionFrom, taskFrom } from "./rows.ts"
import type { ConversationRow, DocumentRow, EntryRow, SubmissionRow, TaskRow } from "./rows.ts"
import type { SessionRecords } from "./salvage.ts"

export type Peek =
  | {
      readonly state: "ok"
      readonly seq: number
      /** Wall-clock milliseconds of the newest commit. */
      readonly updatedAt: number
      /** The session's own: conversation 0. */
      readonly documents: readonly Document[]
      readonly tasks: readonly Task[]
      readonly submissions: readonly Submission[]
      readonly entries: number
      readonly holder: Holder | null
    }
  | { readonly state: "missing" | "newer" | "damaged"; readonly note: string }

/** What a session says of itself. `here` is who asks; found out where left out. */
export async function readSession({ dataDir, id }: SessionPlace, here: Self = self()): Promise<Peek> {
  return look({ dataDir, id }, (db) => {
    const last = db.query<{ seq: number; at: number }, []>(reads.lastCommit.sql).get()
    return {
      state: "ok",
      seq: last?.seq ?? 0,
      updatedAt: last?.at ?? 0,
      documents: db.query<DocumentRow, []>(reads.sessionDocuments.sql).all().map(documentFrom),
      tasks: db.query<TaskRow, []>(reads.liveTasks.sql).all().map(taskFrom),
      submissions: db.query<SubmissionRow, []>(reads.openSubmissions.sql).all().map(submissionFrom),
      entries: db.query<{ entries: number }, []>(reads.meta.sql).get()?.entries ?? 0,
      holder: readHolder(dataDir, id, here),
    }
  })
}

export type EntryPage =
  | { readonly state: "ok"; readonly entries: readonly Entry[] }
  | { readonly state: "missing" | "newer" | "damaged"; readonly note: string }

/**
 * Entries of all conversations after the id `after`, at most `limit`, oldest first: for whoever indexes what was said.
 */
export async function readEntries(place: SessionPlace, after: number, limit: number): Promise<EntryPage> {
  return look(place, (db) => {
    const rows = db.query<EntryRow, [number, number]>(reads.entriesPage.sql).all(after, limit)
    return { state: "ok", entries: rows.map(entryFrom) }
  })
}

/** The newest entries of all conversations, oldest first. */
export async function readNewest(place: SessionPlace, limit: number): Promise<EntryPage> {
  return look(place, (db) => {
    const rows = db.query<EntryRow, [number, number]>(reads.newestEntries.sql).all(Number.MAX_SAFE_INTEGER, limit)
    return { state: "ok", entries: rows.reverse().map(entryFrom) }
  })
}

/** All that a ledger holds now, ended work included. */
export type AllRecords = SessionRecords & { readonly tasks: readonly Task[] }

/** Reads a whole ledger into memory: for checks, exports and copies. */
export function allRecords(db: Database): AllRecords {
  return {
    conversations: db.query<ConversationRow, []>(reads.conversations.sql).all().map(conversationFrom),
    entries: db.query<EntryRow, [number, number]>(reads.entriesPage.sql).all(0, -1).map(entryFrom),
    tasks: db.query<TaskRow, []>(all.tasks).all().map(taskFrom),
    submissions: db.query<SubmissionRow, []>(all.submissions).all().map(submissionFrom),
    documents: db.query<DocumentRow, []>(reads.documents.sql).all().map(documentFrom),
  }
}

export type WholeSession = { readonly state: "ok"; readonly records: AllRecords } | Unreadable

/** All records of a session, as of now, without opening it. */
export function readWhole(place: SessionPlace): WholeSession {
  return look(place, (db) => ({ state: "ok", records: db.transaction(() => allRecords(db))() }))
}

type Unreadable = { readonly state: "missing" | "newer" | "damaged"; readonly note: string }

function look<T>({ dataDir, id }: SessionPlace, read: (db: Database) => T): T | Unreadable {
  const paths = sessionPaths(dataDir, id)
  try {
    readFormat(id, paths)
    return lookOnce(paths, read)
  } catch (error) {
    return unreadable(damaged(id, error))
  }
}

function lookOnce<T>(paths: SessionPaths, read: (db: Database) => T): T {
  const here = openedHere(paths)
  if (here) return here.look(read)
  try {
    return withReadOnly(paths, read)
  } catch (error) {
    // Its holder may have opened or closed it between two looks at what stands there; the second time it is as it says.
    if (!(error instanceof SQLiteError) || !existsSync(paths.db)) throw error
    return withReadOnly(paths, read)
  }
}

function unreadable(error: unknown): Unreadable {
  if (error instanceof SessionMissing) return { state: "missing", note: error.message }
  if (error instanceof NewerFormat) return { state: "newer", note: error.message }
  if (error instanceof SessionDamaged) return { state: "damaged", note: error.message }
  if (error instanceof SQLiteError || isSystemError(error)) return { state: "damaged", note: error.message }
  throw error
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error
}
