/**
 * The sessions on this disk, as lists and names: what `-c`, `--session`, pickers and `sessions list` see.
 *
 * - Nothing is opened for writing, and a session that cannot be read is listed as such.
 * - A session in which nothing was ever said is none.
 */
import { join, relative, resolve } from "node:path"
import { isSessionName, sessionsFolder } from "../ledger/folder.ts"
import { deleteSession, resolveSession } from "../ledger/list.ts"
import { restoreSession, trashSession } from "../ledger/trash.ts"
import type { Found, SessionsPort } from "../protocol/sessions.ts"
import { systemClock } from "../std/clock.ts"
import { fuzzy } from "../std/fuzzy.ts"
import { shortId } from "../std/id.ts"
import { changeSession } from "./session-change.ts"
import { previewOf } from "./session-preview.ts"
import { summaries, unreadSummaries } from "./session-rows.ts"
import { searchSessions } from "./session-search.ts"
import { Stop } from "./stop.ts"

/** Names worth offering when one was not found. */
const nearMax = 3

/** The session whose folder, or a file in it, `path` is; undefined where it is none. */
function idOfPath(dataDir: string, path: string): string | undefined {
  if (!path.includes("/")) return undefined
  const [first, ...rest] = relative(sessionsFolder(dataDir), resolve(path)).split("/")
  return first !== undefined && isSessionName(first) && rest.length < 2 ? first : undefined
}

/** By id first; then by its title, whole or in part, where that means one. */
async function find(dataDir: string, name: string): Promise<Found> {
  const resolved = resolveSession(dataDir, idOfPath(dataDir, name) ?? name)
  if (resolved.status === "one") return { status: "one", id: resolved.id }
  if (resolved.status === "several") return { status: "several", ids: resolved.ids }
  const all = await summaries(dataDir, { archived: true })
  const wanted = name.toLowerCase()
  const titled = all.filter(({ title }) => title.toLowerCase() === wanted)
  const [one, ...others] = titled
  if (one !== undefined && others.length === 0) return { status: "one", id: one.id }
  if (one !== undefined) return { status: "several", ids: titled.map(({ id }) => id) }
  const near = fuzzy(name, all, ({ title }) => [title], nearMax).map(({ item }) => item)
  return { status: "none", near: near.length > 0 ? near : all.slice(0, nearMax) }
}

export function sessionsPort(dataDir: string): SessionsPort {
  const clock = systemClock
  return {
    list: (query) => summaries(dataDir, query),
    find: (name) => find(dataDir, name),
    search: (query) => searchSessions(dataDir, query, clock),
    preview: (id) => previewOf(dataDir, id),
    change: (id, change) => changeSession(dataDir, id, change),
    remove: async (id) => trashSession({ dataDir, id }, clock.now()),
    restore: async (id) => restoreSession({ dataDir, id }),
  }
}

/** The session that a person means by a name. Throws {@link Stop} (2) with the near ones named. */
export async function findSession(dataDir: string, name: string): Promise<string> {
  const found = await sessionsPort(dataDir).find(name)
  if (found.status === "one") return found.id
  if (found.status === "several") {
    throw new Stop(`${name} means several sessions: ${found.ids.map(shortId).join(", ")}. Give more of the id.`, 2)
  }
  const near = found.near.map(({ id, title }) => `${shortId(id)} (${title})`).join(", ")
  throw new Stop(
    `there is no session ${name}${near === "" ? "" : `; near ones are ${near}`}. See: cairn sessions list`,
    2,
  )
}

/** A session that cannot be read: of which folder it is, nobody knows. */
export type Unread = { readonly path: string; readonly note: string }

/** Sessions that cannot be read, newest first; with `after` only those that were written to later than that one. */
export async function unreadSessions(dataDir: string, after: string | null): Promise<readonly Unread[]> {
  const found = await unreadSummaries(dataDir, after)
  return found.map(({ id, note }) => ({ path: join(sessionsFolder(dataDir), id), note }))
}

/** The newest session of a folder, if it has one. */
export async function newestSession(dataDir: string, folder: string): Promise<string | undefined> {
  const [newest] = await summaries(dataDir, { folder, limit: 1 })
  return newest?.id
}

/** Remove a session that was opened and in which nothing was said. */
export function dropUnbegun(dataDir: string, id: string, now: number): void {
  deleteSession({ dataDir, id }, now)
}
