/**
 * The sessions on this disk, as lists and names: what `-c`, `--session`, pickers and `sessions list` see.
 *
 * - Nothing is opened for writing, and a session that cannot be read is listed as such.
 * - A session in which nothing was ever said is none.
 */
import { join } from "node:path"
import { sessionsFolder } from "../ledger/folder.ts"
import { deleteSession, listSessions, resolveSession, type Listed } from "../ledger/list.ts"
import { readSession } from "../ledger/peek.ts"
import type { SessionDocument } from "../protocol/records.ts"
import type { Found, SessionsPort, SessionSummary } from "../protocol/sessions.ts"
import { shortId } from "../std/id.ts"
import { Stop } from "./stop.ts"

/** Names worth offering when one was not found. */
const nearMax = 3

async function summaryOf(dataDir: string, listed: Listed): Promise<SessionSummary | undefined> {
  const { id, createdAt, updatedAt, bytes, state, note } = listed
  const holder = listed.holder?.pid ?? null
  const unread = { id, createdAt, updatedAt, bytes, title: "", folder: "", interrupted: false, holder }
  if (state !== "ok") return { ...unread, state, note }
  const peek = await readSession({ dataDir, id })
  if (peek.state === "missing") return undefined
  if (peek.state !== "ok") return { ...unread, state: peek.state, note: peek.note }
  const document = peek.documents.find(({ name }) => name === "session")?.value as SessionDocument | undefined
  if (document === undefined || document.title === "") return undefined
  const interrupted = holder === null && peek.tasks.length > 0
  return { ...unread, title: document.title, folder: document.folder, interrupted, state: "ok", note: "" }
}

export type ListQuery = { readonly folder?: string; readonly limit?: number }

/** Summaries, newest first; they are read only as far as they are asked for. */
export async function summaries(dataDir: string, query: ListQuery): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = []
  for (const listed of listSessions(dataDir)) {
    if (found.length >= (query.limit ?? Infinity)) break
    const summary = await summaryOf(dataDir, listed)
    if (summary === undefined) continue
    if (query.folder !== undefined && summary.folder !== query.folder) continue
    found.push(summary)
  }
  return found
}

export function sessionsPort(dataDir: string): SessionsPort {
  return {
    list: (query) => summaries(dataDir, query),
    async find(name): Promise<Found> {
      const resolved = resolveSession(dataDir, name)
      if (resolved.status === "one") return { status: "one", id: resolved.id }
      if (resolved.status === "several") return { status: "several", ids: resolved.ids }
      return { status: "none", near: await summaries(dataDir, { limit: nearMax }) }
    },
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
    `there is no session ${name}${near === "" ? "" : `; the newest are ${near}`}. See: cairn sessions list`,
    2,
  )
}

/** A session that cannot be read: of which folder it is, nobody knows. */
export type Unread = { readonly path: string; readonly note: string }

/** Sessions that cannot be read, newest first; with `after` only those that were written to later than that one. */
export async function unreadSessions(dataDir: string, after: string | null): Promise<readonly Unread[]> {
  const found: Unread[] = []
  for (const listed of listSessions(dataDir)) {
    if (listed.id === after) break
    const summary = await summaryOf(dataDir, listed)
    if (summary === undefined || summary.state === "ok") continue
    found.push({ path: join(sessionsFolder(dataDir), listed.id), note: summary.note })
  }
  return found
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
