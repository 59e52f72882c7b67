/**
 * The sessions on this disk, for pickers and commands; what is inside one goes over its own port.
 *
 * - Lists and searches come from a cache that is made again when it is missing, stale or damaged; a damaged session is listed as such and
 *   hides no other.
 */
import type { Excerpt } from "../std/query.ts"
import type { TextKind } from "./entry-text.ts"

export type SessionSummary = {
  readonly id: string
  readonly title: string
  readonly folder: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly bytes: number
  /** Work that had not ended when the session was last written. */
  readonly interrupted: boolean
  /** Put away by the person: left out of lists unless asked for. */
  readonly archived: boolean
  readonly tags: readonly string[]
  /** Pid of the process that holds it now. */
  readonly holder: number | null
  readonly state: "ok" | "damaged" | "newer"
  readonly note: string
}

/** What a person types to name a session, resolved: one, none (with near ones), or several. */
export type Found =
  | { readonly status: "one"; readonly id: string }
  | { readonly status: "none"; readonly near: readonly SessionSummary[] }
  | { readonly status: "several"; readonly ids: readonly string[] }

export type SessionsQuery = {
  /** Only those of this folder, also where it was moved since. */
  readonly folder?: string
  readonly limit?: number
  /** Those that were put away too. */
  readonly archived?: boolean
  /** Only those that have all of these tags. */
  readonly tags?: readonly string[]
  /** What is known, at once: a session that was written to meanwhile stands as it was, one that is not known yet is left out. */
  readonly quick?: boolean
}

export type SessionSearch = {
  readonly text: string
  readonly folder?: string
  /** Only in sessions that have all of these tags. */
  readonly tags?: readonly string[]
  /** Hits of one page at most. */
  readonly limit: number
  /** Go on after the page that gave this. */
  readonly after?: string
}

/** A line of a session that holds what was searched for. */
export type SessionHit = Excerpt & {
  readonly session: string
  readonly title: string
  readonly folder: string
  readonly conversation: number
  /** 0 where it is the title. */
  readonly entry: number
  readonly at: number
  readonly kind: TextKind | "title"
}

export type SessionHits = {
  /** Newest first, about. */
  readonly hits: readonly SessionHit[]
  /** Asks for the next page; null when all was looked through. */
  readonly more: string | null
  /** Sessions of which not all has been read into the index yet. */
  readonly unread: number
}

/** The last input of a session and what was answered, cut to what a preview shows; empty where there is none. */
export type SessionPreview = { readonly input: string; readonly answer: string }

/** `tags`: all of them, in the place of those that it had. */
export type SessionChange = { readonly title?: string; readonly archived?: boolean; readonly tags?: readonly string[] }

export type SessionsPort = {
  /** Newest first. */
  list(query: SessionsQuery): Promise<readonly SessionSummary[]>
  find(name: string): Promise<Found>
  search(query: SessionSearch): Promise<SessionHits>
  preview(id: string): Promise<SessionPreview>
  /** Also of a session that another process holds. Rejects with a sentence. */
  change(id: string, change: SessionChange): Promise<void>
  /** Puts a session where it can be taken back from for some days. Rejects with a sentence where somebody holds it. */
  remove(id: string): Promise<void>
  restore(id: string): Promise<void>
}
