/**
 * Reads a whole ledger and says what does not agree with itself: each row with its digest, each commit with its rows
 * and the one before it, and, if asked, all that SQLite itself checks.
 *
 * - In slices, between which others have their turn: a session of 100,000 messages stays usable while it is checked.
 *   SQLite's own check is one slice, a second long for such a session, and it finds what digests do not: indexes that
 *   disagree with their tables, pages that leak.
 * - What later commits replaced cannot be checked any more: a commit with fewer rows than it wrote is taken at its
 *   chain's word.
 */
import type { Database } from "bun:sqlite"
import { sleep } from "../std/clock.ts"
import type { Clock } from "../std/clock.ts"
import { chainStart, commitDigest, nextChain, rowDigest, same } from "./digest.ts"
import type { Cell } from "./digest.ts"
import { commitsPage, counts, page, reads } from "./queries.ts"
import { prunedData } from "./records.ts"
import { tables } from "./rows.ts"
import type { Table } from "./rows.ts"

/** Few, since each may hold a megabyte. */
const sliceRows = 64
/** Half a frame of a screen: longer than this nobody waits. */
const sliceMs = 8
/** More would tell nobody more. */
const problemsMax = 100

const tombstone = JSON.stringify(prunedData)

type Found = Map<number, Uint8Array[]>
type Problems = { readonly texts: string[]; tell(text: string): void }

export async function verify(db: Database, deep: boolean, clock: Clock): Promise<readonly string[]> {
  const pace = new Pace(clock)
  const problems = collector()
  try {
    if (deep) integrityCheck(db, problems)
    // Commits first: rows that come while this reads belong to commits that it does not ask about.
    const upTo = newestSeq(db)
    const found: Found = new Map()
    for (const table of Object.keys(tables) as Table[]) await verifyRows(db, table, found, problems, pace)
    await verifyCommits(db, upTo, found, problems, pace)
    verifyCounts(db, problems)
  } catch (error) {
    problems.tell(error instanceof Error ? error.message : String(error))
  }
  return problems.texts
}

type Broken = { readonly table: string; readonly rowid: number }

function integrityCheck(db: Database, problems: Problems): void {
  for (const { table, rowid } of db.query<Broken, []>("PRAGMA foreign_key_check").all())
    problems.tell(`${table} ${rowid}: names a conversation that is not there`)
  for (const { integrity_check } of db.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all()) {
    if (integrity_check !== "ok") problems.tell(`SQLite: ${integrity_check}`)
  }
}

type CountsRow = Readonly<Record<"entries" | "tasks" | "countedEntries" | "countedTasks" | "next" | "newest", number>>

/** A row that vanished with its place in every index is missed by the ledger's own count alone. */
function verifyCounts(db: Database, problems: Problems): void {
  const row = db.query<CountsRow, []>(counts).get()
  if (row === null) return problems.tell("the ledger has lost its counters")
  const { entries, tasks, countedEntries, countedTasks, next, newest } = row
  if (entries !== countedEntries) problems.tell(`${countedEntries} entries were written, and ${entries} are there`)
  if (tasks !== countedTasks) problems.tell(`${countedTasks} tasks were begun, and ${tasks} are there`)
  if (newest >= next) problems.tell(`the id ${newest} is in use, and the next new one would be ${next}`)
}

/** Gives whatever waits its turn, as often as is due. */
class Pace {
  readonly #clock: Clock
  #since: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.monotonic()
  }

  async keep(): Promise<void> {
    if (this.#clock.monotonic() - this.#since < sliceMs) return
    await sleep(this.#clock, 0)
    this.#since = this.#clock.monotonic()
  }
}

function newestSeq(db: Database): number {
  return db.query<{ seq: number }, []>(reads.lastCommit.sql).get()?.seq ?? 0
}

function collector(): Problems {
  const texts: string[] = []
  return {
    texts,
    tell(text) {
      if (texts.length < problemsMax) texts.push(text)
    },
  }
}

type StoredRow = Record<string, Cell | Uint8Array> & { readonly seq: number; readonly digest: Uint8Array }

async function verifyRows(db: Database, table: Table, found: Found, problems: Problems, pace: Pace): Promise<void> {
  const { key, columns } = tables[table]
  const statement = db.query<StoredRow, Cell[]>(page(table))
  let after: Cell[] = key.map((column) => (column === "name" ? "" : -1))
  for (;;) {
    const rows = statement.all(...after, sliceRows)
    for (const row of rows) {
      const digest = rowDigest(
        table,
        columns.map((column) => row[column] as Cell),
      )
      // A tombstone keeps the digest of what stood there, for its commit.
      if (!same(digest, row.digest) && !(table === "entries" && row["data"] === tombstone))
        problems.tell(`${table} ${key.map((column) => String(row[column])).join(" ")}: not what was written`)
      const others = found.get(row.seq)
      if (others) others.push(row.digest)
      else found.set(row.seq, [row.digest])
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < sliceRows) return
    after = key.map((column) => last[column] as Cell)
    await pace.keep()
  }
}

type CommitRow = {
  readonly seq: number
  readonly at: number
  readonly class: string
  readonly rows: number
  readonly digest: Uint8Array
  readonly chain: Uint8Array
}

async function verifyCommits(db: Database, upTo: number, found: Found, problems: Problems, pace: Pace): Promise<void> {
  const statement = db.query<CommitRow, [number, number]>(commitsPage)
  let before: { seq: number; chain: Uint8Array } = { seq: 0, chain: chainStart }
  while (before.seq < upTo) {
    const rows = statement.all(before.seq, sliceRows)
    for (const row of rows) {
      if (row.seq !== before.seq + 1) problems.tell(`commits ${before.seq + 1} to ${row.seq - 1} are missing`)
      else if (!same(nextChain(before.chain, row, row.digest), row.chain))
        problems.tell(`commit ${row.seq}: the chain is broken`)
      verifyCommit(row, found.get(row.seq) ?? [], problems)
      found.delete(row.seq)
      before = row
    }
    if (rows.length === 0) break
    await pace.keep()
  }
  const newest = newestSeq(db)
  for (const seq of found.keys()) {
    if (seq <= upTo || seq > newest) problems.tell(`rows name commit ${seq}, which is not there`)
  }
}

function verifyCommit(row: CommitRow, digests: readonly Uint8Array[], problems: Problems): void {
  if (digests.length > row.rows)
    problems.tell(`commit ${row.seq}: ${digests.length} rows name it, it wrote ${row.rows}`)
  if (digests.length !== row.rows) return
  if (!same(commitDigest(digests), row.digest)) problems.tell(`commit ${row.seq}: its rows are not those that it wrote`)
}
