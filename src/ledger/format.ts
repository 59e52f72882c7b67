/**
 * Which version of these files a session has, told by a file that is read before SQLite is let near: opening a database
 * writes.
 *
 * - `format` holds one line, `cairn 1`. It is the last file that a new session gets and the first that a deleted one
 *   loses, so a folder without it is no session.
 * - A migration writes the new number first: a binary that does not know it then refuses, however far the migration has
 *   come. How far that is, `user_version` in the database tells, which moves in the same transaction as the tables.
 * - Before a migration the ledger is copied to `backup/<format>/`, whole, while nobody has it open.
 */
import { copyFileSync, existsSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { assert } from "../std/assert.ts"
import { connect } from "./database.ts"
import { NewerFormat, SessionDamaged, SessionMissing } from "./errors.ts"
import { makeFolder, placeFile, syncFile, syncFolder } from "./folder.ts"
import type { SessionPaths } from "./folder.ts"

export const formatCurrent = 1

/** How a ledger gets from format `to - 1` to `to`: statements, all steps of a migration in one transaction. */
export type Step = { readonly to: number; readonly sql: string }

/** Format 1 is the first. */
export const steps: readonly Step[] = []

export function writeFormat(paths: SessionPaths, format: number): void {
  placeFile(paths.format, `cairn ${format}\n`)
}

/**
 * Throws where the session is missing, newer than `supported`, or has a format file that says nothing. Writes nothing.
 */
export function readFormat(session: string, paths: SessionPaths, supported = formatCurrent): number {
  if (!existsSync(paths.format)) throw new SessionMissing(session)
  const found = /^cairn (\d{1,9})\n$/.exec(readFileSync(paths.format, "utf8"))
  if (!found) throw new SessionDamaged(session, "its file `format` does not say which format it has")
  const format = Number(found[1])
  if (format > supported) throw new NewerFormat(session, format, supported)
  return format
}

/** The format that the tables of a database are in. */
export function tablesFormat(db: ReturnType<typeof connect>["db"]): number {
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0
}

export type Migration = { readonly to: number; readonly steps: readonly Step[]; readonly dotfile?: boolean }

/**
 * Brings a ledger that is locked, and closed, to the format `to`, from wherever an earlier attempt has left it.
 * Where it throws, the tables are as they were and the session opens with this version or a newer one.
 */
export function migrate(paths: SessionPaths, { to, steps: known, dotfile = false }: Migration): void {
  const found = checkpoint(paths, dotfile)
  if (found < to) backUp(paths, found)
  writeFormat(paths, to)
  if (found === to) return
  const { db } = connect(paths.db, { dotfile })
  try {
    const change = db.transaction(() => {
      for (let format = found + 1; format <= to; format++) {
        const step = known.find((each) => each.to === format)
        assert(step, `there is a step to format ${format}`)
        db.run(step.sql)
      }
      db.run(`PRAGMA user_version = ${to}`)
    })
    change.immediate()
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}

/** Puts all of the ledger into its one file, and closes it; returns the format of the tables. */
function checkpoint(paths: SessionPaths, dotfile: boolean): number {
  const { db } = connect(paths.db, { dotfile })
  try {
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    return tablesFormat(db)
  } finally {
    db.close()
  }
}

function backUp(paths: SessionPaths, format: number): void {
  const folder = join(paths.backup, String(format))
  const copy = join(folder, "ledger.db")
  makeFolder(folder)
  copyFileSync(paths.db, `${copy}.new`)
  syncFile(`${copy}.new`)
  renameSync(`${copy}.new`, copy)
  syncFolder(folder)
}
