/**
 * What lists say of each session: from the index where nothing was written since, else from the session itself, which then goes into the index.
 *
 * - Nothing of a session is opened for writing. One that cannot be read is listed as such, and never kept in the index.
 * - Sessions are read only as far as a list needs them, newest first.
 */
import { existsSync } from "node:fs"
import { identifyFolder, isSameFolder, type FolderIdentity } from "../home/folder.ts"
import { self, type Self } from "../ledger/holder.ts"
import type { IndexRow } from "../ledger/index-db.ts"
import { withIndex } from "../ledger/index-file.ts"
import { readHolder } from "../ledger/lock.ts"
import { readSession } from "../ledger/peek.ts"
import { knownStamps, stampSession, stampSessions, type Stamped } from "../ledger/stamps.ts"
import type { SessionDocument } from "../protocol/records.ts"
import type { SessionsQuery, SessionSummary } from "../protocol/sessions.ts"
import { hasTags } from "../protocol/tags.ts"
import { systemClock } from "../std/clock.ts"
import { createdAt } from "../std/id.ts"
import type { JsonObject } from "../std/json.ts"

/** Rows that were read anew are written together: a list of new sessions is one transaction. */
const batchMax = 500

/** What the index keeps of a session that could be read. */
type Value = {
  readonly title: string
  readonly folder: string
  readonly identity: FolderIdentity | null
  readonly archived: boolean
  readonly tags: readonly string[]
  /** It has work that has not ended. */
  readonly working: boolean
}

type Standing =
  { readonly state: "ok"; readonly value: Value } | { readonly state: "damaged" | "newer"; readonly note: string }

async function standingOf(dataDir: string, id: string, here: Self): Promise<Standing | undefined> {
  const peek = await readSession({ dataDir, id }, here)
  if (peek.state === "missing") return undefined
  if (peek.state !== "ok") return { state: peek.state, note: peek.note }
  const document = peek.documents.find(({ name }) => name === "session")?.value as SessionDocument | undefined
  const { title = "", folder = "", archived = false, tags = [], identity = null } = document ?? {}
  return {
    state: "ok",
    value: {
      title,
      folder,
      archived,
      tags,
      identity: identity && { ...identity, path: folder },
      working: peek.tasks.length > 0,
    },
  }
}

/** What a row says: whatever wrote it wrote a value of this shape, in this version of the index. */
export function valueOf(row: Pick<IndexRow, "value">): Value {
  return row.value as Value
}

/** Which rows belong to a folder: by path, or by what else is known of a folder that is not where it was. */
class FolderFilter {
  readonly #folder: string
  readonly #gone = new Map<string, boolean>()
  #identity: Promise<FolderIdentity> | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  async has({ folder, identity }: Value): Promise<boolean> {
    if (folder === this.#folder) return true
    if (identity === null || !this.#isGone(folder)) return false
    this.#identity ??= identifyFolder(this.#folder, systemClock)
    return isSameFolder(identity, await this.#identity, true)
  }

  #isGone(folder: string): boolean {
    const known = this.#gone.get(folder)
    if (known !== undefined) return known
    const gone = !existsSync(folder)
    this.#gone.set(folder, gone)
    return gone
  }
}

/** Reads rows, and remembers what was read anew until it is written. */
class Rows {
  readonly #dataDir: string
  readonly #quick: boolean
  readonly #known: ReadonlyMap<string, IndexRow>
  readonly #here = self()
  #fresh: { readonly id: string; readonly stamp: string; readonly value: JsonObject }[] = []

  constructor(dataDir: string, quick: boolean) {
    this.#dataDir = dataDir
    this.#quick = quick
    this.#known = new Map(withIndex(dataDir, (index) => index.rows())?.map((row) => [row.id, row]))
  }

  async standing({ id, stamp }: Stamped): Promise<Standing | undefined> {
    const row = this.#known.get(id)
    if (row !== undefined && (this.#quick || row.stamp === stamp)) return { state: "ok", value: valueOf(row) }
    if (this.#quick) return undefined
    const standing = await standingOf(this.#dataDir, id, this.#here)
    if (standing?.state === "ok") this.#keep(id, stamp, standing.value)
    return standing
  }

  /** All sessions, newest first; with `quick` those that are known, as they were. */
  stamped(): readonly Stamped[] {
    return this.#quick ? knownStamps(this.#dataDir, [...this.#known.values()]) : stampSessions(this.#dataDir)
  }

  summary({ id, updatedAt, bytes }: Stamped, standing: Standing): SessionSummary {
    // Who holds a session is looked at for each: quickly only where it tells whether work was interrupted.
    const looks = !this.#quick || (standing.state === "ok" && standing.value.working)
    const holder = looks ? (readHolder(this.#dataDir, id, this.#here)?.pid ?? null) : null
    const common = { id, createdAt: createdAt(id), updatedAt, bytes, holder }
    if (standing.state !== "ok") {
      return { ...common, title: "", folder: "", interrupted: false, archived: false, tags: [], ...standing }
    }
    const { title, folder, archived, tags, working } = standing.value
    return { ...common, title, folder, archived, tags, interrupted: holder === null && working, state: "ok", note: "" }
  }

  #keep(id: string, stamp: string, value: Value): void {
    this.#fresh.push({ id, stamp, value })
    if (this.#fresh.length >= batchMax) this.write([])
  }

  /** Writes what was read anew. `there`: all sessions that there are, so that others are forgotten; empty: not known. */
  write(there: readonly Stamped[]): void {
    const fresh = this.#fresh
    this.#fresh = []
    const ids = new Set(there.map(({ id }) => id))
    const gone = there.length === 0 ? [] : [...this.#known.keys()].filter((id) => !ids.has(id))
    if (fresh.length + gone.length === 0) return
    withIndex(this.#dataDir, (index) => {
      index.putRows(fresh)
      index.drop(gone)
    })
  }
}

/** Sessions in which something was said, and those that cannot be read; newest first. */
export async function summaries(dataDir: string, query: SessionsQuery): Promise<readonly SessionSummary[]> {
  const { folder, limit = Infinity, archived = false, tags = [], quick = false } = query
  const rows = new Rows(dataDir, quick)
  const filter = folder === undefined ? null : new FolderFilter(folder)
  const found: SessionSummary[] = []
  const stamped = rows.stamped()
  for (const each of stamped) {
    if (found.length >= limit) break
    const standing = await rows.standing(each)
    if (standing === undefined) continue
    if (standing.state === "ok") {
      if (standing.value.title === "" || (standing.value.archived && !archived)) continue
      if (!hasTags(standing.value.tags, tags)) continue
      if (filter !== null && !(await filter.has(standing.value))) continue
    } else if (filter !== null || tags.length > 0) continue
    found.push(rows.summary(each, standing))
  }
  if (!quick) rows.write(stamped)
  return found
}

/** Sessions that cannot be read, newest first; with `after` only those that were written to later than that one. */
export async function unreadSummaries(dataDir: string, after: string | null): Promise<readonly SessionSummary[]> {
  const rows = new Rows(dataDir, false)
  const found: SessionSummary[] = []
  for (const each of stampSessions(dataDir)) {
    if (each.id === after) break
    const standing = await rows.standing(each)
    if (standing !== undefined && standing.state !== "ok") found.push(rows.summary(each, standing))
  }
  rows.write([])
  return found
}

/** The rows of sessions that belong to a folder. */
export async function ofFolder(rows: readonly IndexRow[], folder: string): Promise<readonly IndexRow[]> {
  const filter = new FolderFilter(folder)
  const found: IndexRow[] = []
  for (const row of rows) if (await filter.has(valueOf(row))) found.push(row)
  return found
}

/** A session's row as of now, written where it was not; undefined where the session cannot be read, or there is no index to be had. */
export async function indexRow(dataDir: string, id: string): Promise<IndexRow | undefined> {
  const stamp = stampSession(dataDir, id)?.stamp
  if (stamp === undefined) return undefined
  const known = withIndex(dataDir, (index) => index.row(id))
  if (known?.stamp === stamp) return known
  const standing = await standingOf(dataDir, id, self())
  if (standing?.state !== "ok") return undefined
  const { value } = standing
  const row = withIndex(dataDir, (index) => {
    index.putRows([{ id, stamp, value }])
    return index.row(id)
  })
  return row ?? undefined
}
