/** Which ledger a run works on: a new one, the newest of the folder, a named one, or one in memory. */
import { statfsSync } from "node:fs"
import { openDir } from "../home/dirs.ts"
import { StaleOwner, type Ledger } from "../ledger/ledger.ts"
import { CommitsMissing, NewerFormat, SessionDamaged, SessionHeld, SessionMissing } from "../ledger/errors.ts"
import { createSession, memorySession, openSession, viewSession } from "../ledger/open.ts"
import { Rejected, Unknown } from "../ledger/storage.ts"
import { systemClock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import { uuidv7 } from "../std/id.ts"
import type { RunFlags } from "./args.ts"
import { killAt } from "./kill.ts"
import type { Person } from "./person.ts"
import { findSession, newestSession, unreadSessions } from "./sessions.ts"
import { Stop } from "./stop.ts"

export type Chosen =
  | { readonly kind: "new"; readonly fellBack: boolean }
  | { readonly kind: "memory" }
  | { readonly kind: "session"; readonly id: string }

/** What flags mean on this disk. `promptGiven`: with `-c` and no session, a prompt starts one; without, there is nothing to do. */
export async function chosenSession(person: Person, run: RunFlags, promptGiven: boolean): Promise<Chosen> {
  const { session } = run
  switch (session.kind) {
    case "memory":
      return { kind: "memory" }
    case "named":
      return { kind: "session", id: await findSession(person.dirs.data, session.id) }
    case "fork": {
      const { forked } = await import("./sessions-fork.ts")
      return {
        kind: "session",
        id: (await forked(person.dirs.data, await findSession(person.dirs.data, session.id))).id,
      }
    }
    case "continue": {
      const id = await newestSession(person.dirs.data, person.folder)
      if (id !== undefined) return { kind: "session", id }
      if (!promptGiven) throw new Stop(await nothingToGoOn(person), 2)
      return { kind: "new", fellBack: true }
    }
    case "new":
    case "choose":
      return { kind: "new", fellBack: false }
  }
}

/** No session of the folder is there; one that cannot be read may have been. */
async function nothingToGoOn({ dirs, folder }: Person): Promise<string> {
  const [unread] = await unreadSessions(dirs.data, null)
  const may = unread === undefined ? "" : `; one cannot be read and may have been its: ${unread.note}`
  return `there is no session in ${folder} to go on with: give a prompt${may}`
}

/** A session that is held, damaged, newer, or has lost commits: its own words say what to do. */
export function isWeather(error: unknown): error is Error {
  return (
    error instanceof SessionHeld ||
    error instanceof SessionMissing ||
    error instanceof NewerFormat ||
    error instanceof CommitsMissing ||
    error instanceof SessionDamaged ||
    error instanceof StaleOwner
  )
}

/** Less than this free is a full disk to a database. */
const freeBytesMin = 64 * 1024

function isFull(dataDir: string): boolean {
  const { bavail, bsize } = statfsSync(dataDir)
  return bavail * bsize < freeBytesMin
}

/** On a full disk SQLite may speak of an I/O error: it is called by its name here. */
function unwritable(error: Error, dataDir: string): string {
  return `the session cannot be written: ${isFull(dataDir) ? `the disk of ${dataDir} is full` : error.message}`
}

/** Whether what cannot be worked on is looked at: where its disk takes no writes, or also where commits are missing. */
type Look = "never" | "unwritable" | "always"

/** Why a session can be looked at and not worked on; null where that would not help either. */
function onlyLook(error: unknown, dataDir: string, look: Look): string | null {
  if (look === "never") return null
  if (error instanceof CommitsMissing) return look === "always" ? error.message : null
  const code = errorCode(error)
  if (code === "EROFS" || code === "EACCES") return `its disk takes no writes (${code})`
  // A full disk may have room again at the next try; one that fails is not better by then.
  const cause = error instanceof Rejected || error instanceof Unknown ? error.cause : error
  const failed = error instanceof Unknown || /^(EIO$|SQLITE_IOERR)/.test(errorCode(cause) ?? "")
  return failed && !isFull(dataDir) ? "its disk failed when it was opened" : null
}

/**
 * The ledger, open and ours. Throws {@link Stop} (1) where it is held, damaged, newer, or the disk refuses. `look`: one that cannot be worked on
 * is opened to be looked at; its health says so.
 */
export async function openLedger(person: Person, run: RunFlags, chosen: Chosen, look: Look = "never"): Promise<Ledger> {
  const clock = systemClock
  if (chosen.kind === "memory") return memorySession({ clock })
  const dataDir = person.dirs.data
  const unusable = openDir(dataDir, "data", "CAIRN_DATA")
  const id = chosen.kind === "session" ? chosen.id : null
  if (unusable !== null && (id === null || look === "never"))
    throw new Stop(`${unusable} Or keep nothing, with --no-session.`, 1)
  try {
    const at = killAt(person.env)
    if (id === null) return await createSession({ dataDir, id: uuidv7(clock.now()), clock, at })
    return await openSession({ dataDir, id, clock, at, takeOver: run.takeOver })
  } catch (error) {
    const reason = onlyLook(error, dataDir, look)
    if (reason !== null && id !== null) return viewSession({ dataDir, id, clock, reason })
    if (isWeather(error)) throw new Stop(error.message, 1)
    const refused = error instanceof Rejected || error instanceof Unknown || errorCode(error) !== undefined
    if (refused && error instanceof Error) throw new Stop(unwritable(error, dataDir), 1)
    throw error
  }
}
