/**
 * `cairn sessions delete` and `prune`: what a person does not want to keep goes, and its space comes back.
 *
 * - Only what is named or matches goes; a session that somebody holds stays, and that is said.
 * - `--dry-run` says what would go. Damaged sessions are named by their id, never by age or size.
 */
import { systemClock } from "../std/clock.ts"
import { shortId } from "../std/id.ts"
import { durationMs } from "../home/duration.ts"
import { SessionHeld } from "../ledger/errors.ts"
import { deleteSession, folderBytes, listSessions, type Listed } from "../ledger/list.ts"
import { compactSession, pruneSession, sweepLeftovers } from "../ledger/space.ts"
import { emptyTrash } from "../ledger/trash.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print, sizeText } from "./columns.ts"
import { isWeather } from "./open.ts"
import { readPerson } from "./person.ts"
import { findSession } from "./sessions.ts"
import { Stop } from "./stop.ts"

type Gone = { readonly id: string; readonly bytes: number; readonly what: "deleted" | "compacted" }

function tell(mode: CommandMode, { id, bytes, what }: Gone): void {
  const would = mode.options.has("dry-run")
  if (mode.options.has("json")) print(`${JSON.stringify({ id, bytes, what, done: !would })}\n`)
  else print(`${shortId(id)}  ${would ? "would be " : ""}${what}, ${sizeText(bytes)}\n`)
}

/** Who wants space back has no use for the ways into a session. */
function withoutAttach({ message }: Error): string {
  return message.replace(/; attach to it.*$/, "")
}

/** Deletes one; false where somebody holds it. */
function remove(mode: CommandMode, dataDir: string, id: string): boolean {
  const bytes = folderBytes(dataDir, id)
  try {
    if (!mode.options.has("dry-run")) deleteSession({ dataDir, id }, systemClock.now())
  } catch (error) {
    if (!(error instanceof SessionHeld)) throw error
    process.stderr.write(`cairn: ${withoutAttach(error)}, so it stays\n`)
    return false
  }
  tell(mode, { id, bytes, what: "deleted" })
  return true
}

export async function deleteSessions(mode: CommandMode): Promise<number> {
  const { dirs } = await readPerson(mode.run, false)
  if (mode.words.length === 0) throw new Stop("say which sessions to delete. See: cairn sessions list", 2)
  const ids = await Promise.all(mode.words.map((name) => findSession(dirs.data, name)))
  const done = [...new Set(ids)].map((id) => remove(mode, dirs.data, id))
  return done.every((went) => went) ? 0 : 1
}

/** Bytes in a text such as `200MB`; undefined where it says none. */
export function bytesOf(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?$/i.exec(text.trim())
  if (parts === null) return undefined
  const power = ["", "K", "M", "G", "T"].indexOf((parts[2] ?? "").toUpperCase())
  return Math.round(Number(parts[1]) * 1024 ** power)
}

function limits(mode: CommandMode): { readonly before: number; readonly bytes: number } {
  const age = mode.values.get("older-than")
  const size = mode.values.get("larger-than")
  const ageMs = age === undefined ? null : durationMs(age)
  const bytes = size === undefined ? null : bytesOf(size)
  if (ageMs === undefined) throw new Stop(`--older-than ${age} is no time: give one such as 30d or 12h`, 2)
  if (bytes === undefined) throw new Stop(`--larger-than ${size} is no size: give one such as 200MB`, 2)
  return { before: ageMs === null ? Infinity : systemClock.now() - ageMs, bytes: bytes ?? 0 }
}

/** Gives back what deleted rows have left in the files of those that stay. */
async function compact(mode: CommandMode, dataDir: string, { id, holder, state }: Listed): Promise<void> {
  if (holder !== null || state !== "ok" || mode.options.has("dry-run")) return
  const bytes = await compactSession({ dataDir, id, clock: systemClock })
  if (bytes > 0) tell(mode, { id, bytes, what: "compacted" })
}

/** What tools and commands said is most of a session, and is worth least when it is old. */
const prunedKinds: readonly string[] = ["toolResult", "shell"]

/** Within sessions that are named: old output goes, and what was said stays. */
async function pruneNamed(mode: CommandMode, dataDir: string): Promise<number> {
  if (!mode.values.has("older-than"))
    throw new Stop("say how old the output is that goes, with --older-than; or see: cairn sessions delete", 2)
  if (mode.options.has("dry-run")) throw new Stop("--dry-run tells of whole sessions: leave the names out", 2)
  const { before } = limits(mode)
  for (const name of mode.words) {
    const id = await findSession(dataDir, name)
    try {
      const bytes = await pruneSession({ dataDir, id, clock: systemClock }, { before, kinds: prunedKinds })
      tell(mode, { id, bytes, what: "compacted" })
    } catch (error) {
      throw isWeather(error) ? new Stop(withoutAttach(error), 1) : error
    }
  }
  return 0
}

export async function pruneSessions(mode: CommandMode): Promise<number> {
  const { dirs } = await readPerson(mode.run, false)
  const chosen = mode.values.has("older-than") || mode.values.has("larger-than")
  if (mode.words.length > 0) return pruneNamed(mode, dirs.data)
  const { before, bytes } = limits(mode)
  if (!mode.options.has("dry-run")) {
    sweepLeftovers(dirs.data, systemClock.now())
    emptyTrash(dirs.data, systemClock.now())
  }
  for (const listed of listSessions(dirs.data)) {
    const goes = chosen && listed.state === "ok" && listed.updatedAt < before
    if (goes && folderBytes(dirs.data, listed.id) >= bytes) remove(mode, dirs.data, listed.id)
    else await compact(mode, dirs.data, listed)
  }
  return 0
}
