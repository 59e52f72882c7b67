/**
 * Comparing a ledger with its mark, before anything of it is written: SQLite drops what it cannot read at the end of
 * its log, and tells nobody.
 *
 * - Looking is done by a connection that cannot write, since one that can would clean up what a person may still want
 *   to look at.
 */
import type { Database } from "bun:sqlite"
import { closeSync, existsSync, openSync, readSync } from "node:fs"
import type { Clock } from "../std/clock.ts"
import { connectReadOnly } from "./database.ts"
import type { LogState } from "./database.ts"
import { chainStart, same } from "./digest.ts"
import { CommitsMissing } from "./errors.ts"
import { placeFile } from "./folder.ts"
import type { SessionPaths } from "./folder.ts"
import { markBytes, readMark } from "./mark.ts"
import { reads } from "./queries.ts"

type Line = { readonly seq: number; readonly chain: Uint8Array }

/**
 * Throws {@link CommitsMissing} where the ledger is behind its mark, or has another history. A session without a mark
 * is believed.
 */
export function checkLoss(session: string, paths: SessionPaths): void {
  const marked = readMark(paths.mark)
  if (marked === null || marked.seq === 0) return
  const { last, chain } = withReadOnly(paths, (db) => ({
    last: lastLine(db),
    chain: db.query<{ chain: Uint8Array }, [number]>(reads.chainAt.sql).get(marked.seq)?.chain ?? chainStart,
  }))
  if (last.seq < marked.seq || !same(chain, marked.chain)) throw new CommitsMissing(session, marked.seq, last.seq)
}

/** Sets the mark to what is there. */
export function acceptLoss(paths: SessionPaths, clock: Clock): void {
  const last = withReadOnly(paths, lastLine)
  placeFile(paths.mark, markBytes({ ...last, at: clock.now() }))
}

/**
 * What `look` sees of a ledger that nobody in this process has open. Writes nothing, unless only its log's index is
 * missing.
 */
export function withReadOnly<T>(paths: SessionPaths, look: (db: Database) => T): T {
  const db = connectReadOnly(paths.db, logState(paths))
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/**
 * What begins like no log is none, and so is the head of one without a frame, as a process leaves it that was killed in its first write: SQLite
 * passes both over when it may write, and looks at them until it gives up ("locking protocol") when it may not.
 */
export function logState({ wal, shm }: SessionPaths): LogState {
  if (!existsSync(wal) || !isLog(wal)) return "none"
  return existsSync(shm) ? "indexed" : "bare"
}

/** The first four bytes of a log, but for the last bit, which says in which order of bytes its sums are. */
const logMagic = 0x377f0682
const logHeadBytes = 32

function isLog(path: string): boolean {
  const fd = openSync(path, "r")
  try {
    const head = Buffer.alloc(logHeadBytes + 1)
    return readSync(fd, head, 0, head.length, 0) === head.length && (head.readUInt32BE(0) & ~1) === logMagic
  } finally {
    closeSync(fd)
  }
}

function lastLine(db: Database): Line {
  const line = db.query<Line, []>(reads.lastCommit.sql).get()
  return { seq: line?.seq ?? 0, chain: line?.chain ?? chainStart }
}
