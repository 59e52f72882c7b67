/**
 * Searching what was said in all sessions, newest first, in pages.
 *
 * - A page ends when it is full or when its time is up; either way it says where the next one goes on. So the first hits are there soon, and
 *   a query that matches nothing keeps nobody waiting.
 * - Titles are looked through on the first page. A text that matches gives one hit: the first line that holds what was searched for.
 */
import type { IndexHit, IndexRow } from "../ledger/index-db.ts"
import { withIndex } from "../ledger/index-file.ts"
import { sessionNames, stampSessions } from "../ledger/stamps.ts"
import { textKinds, type TextKind } from "../protocol/entry-text.ts"
import type { SessionHit, SessionHits, SessionSearch } from "../protocol/sessions.ts"
import { hasTags } from "../protocol/tags.ts"
import type { Clock } from "../std/clock.ts"
import { createdAt } from "../std/id.ts"
import { compileQuery, excerptOf, type Excerpt } from "../std/query.ts"
import { headChars } from "../std/lines.ts"
import { indexTexts } from "./session-texts.ts"
import { ofFolder, valueOf } from "./session-rows.ts"

/** How long a page takes. */
const pageMs = 80
/** Longer than this nobody searches for. */
const queryMax = 500
function lineAt(text: string, pattern: RegExp): Excerpt | undefined {
  pattern.lastIndex = 0
  const match = pattern.exec(text)
  return match === null ? undefined : excerptOf(text, match.index, match.index + match[0].length)
}

function kindOf(kind: string): TextKind {
  return textKinds.find((known) => known === kind) ?? "note"
}

function hitOf(hit: IndexHit, rows: ReadonlyMap<string, IndexRow>, pattern: RegExp): readonly SessionHit[] {
  const row = rows.get(hit.session)
  const found = lineAt(hit.text, pattern)
  if (row === undefined || found === undefined) return []
  const { title, folder } = valueOf(row)
  const { session, conversation, entry, at } = hit
  return [{ session, title, folder, conversation, entry, at, kind: kindOf(hit.kind), ...found }]
}

function titleHits(rows: readonly IndexRow[], pattern: RegExp): readonly SessionHit[] {
  return rows.flatMap((row) => {
    const { title, folder } = valueOf(row)
    const found = lineAt(title, pattern)
    if (found === undefined) return []
    const place = { session: row.id, title, folder, conversation: 1, entry: 0, at: createdAt(row.id) }
    return [{ ...place, kind: "title" as const, ...found }]
  })
}

/** One page. What is searched for is plain text, smart case. */
export async function searchSessions(dataDir: string, query: SessionSearch, clock: Clock): Promise<SessionHits> {
  const until = clock.monotonic() + pageMs
  const text = headChars(query.text.trim(), queryMax)
  const compiled = compileQuery(text, false)
  const all = withIndex(dataDir, (index) => index.rows()) ?? []
  if (text === "" || !compiled.ok) return { hits: [], more: null, unread: 0 }
  const { pattern } = compiled
  const tagged = query.tags === undefined ? all : all.filter((row) => hasTags(valueOf(row).tags, query.tags ?? []))
  const inFolder = query.folder === undefined ? tagged : await ofFolder(tagged, query.folder)
  const rows = new Map(inFolder.map((row) => [row.id, row]))
  const first = query.after === undefined
  const titles = first ? titleHits(inFolder, pattern).slice(0, query.limit) : []
  const unread = first ? unreadCount(dataDir, all) : 0
  // Titles that fill a page: the texts begin on the next one.
  if (titles.length === query.limit) return { hits: titles, more: String(Number.MAX_SAFE_INTEGER), unread }
  const page = withIndex(dataDir, (index) =>
    index.search({
      contains: text,
      wanted(candidate) {
        pattern.lastIndex = 0
        return pattern.test(candidate)
      },
      sessions: new Set(rows.keys()),
      below: query.after === undefined ? null : Number(query.after),
      limit: query.limit - titles.length,
      enough: () => clock.monotonic() >= until,
    }),
  )
  const hits = page?.hits.flatMap((hit) => hitOf(hit, rows, pattern)) ?? []
  const more = page?.below ?? null
  return { hits: [...titles, ...hits], more: more === null ? null : String(more), unread }
}

/** How many of all sessions are not in, as far as the index itself knows: looking at each would take longer than the search. */
function unreadCount(dataDir: string, rows: readonly IndexRow[]): number {
  const read = new Set(rows.flatMap(({ id, stamp, texts }) => (texts === stamp ? [id] : [])))
  return sessionNames(dataDir).filter((id) => !read.has(id)).length
}

/** Reads all that is new in all sessions until `pause` says no; the oldest first, since what came in last is found first. */
export async function indexAll(dataDir: string, pause: () => Promise<boolean>): Promise<void> {
  const known = new Map(withIndex(dataDir, (index) => index.rows())?.map(({ id, texts }) => [id, texts]))
  for (const { id, stamp } of stampSessions(dataDir).toReversed()) {
    if (known.get(id) === stamp) continue
    if (!(await indexTexts(dataDir, id, pause)) && !(await pause())) return
  }
}
