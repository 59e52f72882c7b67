/**
 * The ledger in a file: storage on SQLite, which answers at once.
 *
 * - One transaction a batch, and the epoch is compared in it. Its class sets how far COMMIT waits, between transactions
 *   and never inside one.
 * - After each flushed batch the side file is told of it; see mark.ts.
 * - Memory of what is stored (the chain, the bodies) moves on only after COMMIT.
 */
import { statSync } from "node:fs"
import { SQLiteError } from "bun:sqlite"
import type { Database, Statement } from "bun:sqlite"
import type { Clock } from "../std/clock.ts"
import { BlobFiles, type Blobs } from "./blobs.ts"
import type { Connection } from "./database.ts"
import { meaning } from "./database.ts"
import { chainStart, commitDigest, nextChain, rowDigest } from "./digest.ts"
import type { Cell } from "./digest.ts"
import { StaleOwner } from "./ledger.ts"
import { Mark } from "./mark.ts"
import { put, reads, writes } from "./queries.ts"
import { bodyOf, conversationFrom, documentFrom, entryFrom, rowOf, submissionFrom, tables, taskFrom } from "./rows.ts"
import type { ConversationRow, DocumentRow, EntryRow, Row, SubmissionRow, Table, TaskRow } from "./rows.ts"
import type { ConversationId, Entry, EntryId, FlushClass, Submission, SubmissionId, Task, TaskId } from "./records.ts"
import { isLive } from "./records.ts"
import { isOpen } from "./state.ts"
import type { SessionPaths } from "./folder.ts"
import { SpoolFiles } from "./spool-file.ts"
import type { Spools } from "./spool.ts"
import type { Batch, Counts, EntryRange, Loaded, Storage } from "./storage.ts"
import { verify } from "./verify.ts"

type MetaRow = {
  readonly epoch: number
  readonly next_id: number
  readonly clean: number
  readonly entries: number
  readonly tasks: number
}
type CommitRow = { readonly seq: number; readonly at: number; readonly chain: Uint8Array }
type ReadName = keyof typeof reads

export class SqliteStorage implements Storage {
  readonly #connection: Connection
  readonly blobs: Blobs
  readonly #paths: SessionPaths
  readonly #mark: Mark
  readonly #clock: Clock
  readonly #statements = new Map<string, Statement<unknown, Cells>>()
  /** Which object is in `bodies` under an id, for what can still change. */
  readonly #bodies = new Map<number, object>()
  #chain: Uint8Array = chainStart
  #nextId = 1
  #class: FlushClass = "flushed"

  /** Takes over `connection` and closes it. */
  constructor(connection: Connection, paths: SessionPaths, clock: Clock) {
    this.#connection = connection
    this.#paths = paths
    this.blobs = new BlobFiles(paths.blobs)
    this.#clock = clock
    this.#mark = new Mark(paths.mark, clock)
  }

  async load(): Promise<Loaded> {
    const meta = this.#one<MetaRow>("meta")
    if (!meta) throw new Error("the ledger has lost its counters")
    const last = this.#one<CommitRow>("lastCommit")
    this.#chain = last ? new Uint8Array(last.chain) : chainStart
    this.#nextId = meta.next_id
    const tasks = this.#all<TaskRow & { written_at: number }>("liveTasks").map((row) => {
      return { task: taskFrom(row), writtenAt: row.written_at }
    })
    const submissions = this.#all<SubmissionRow>("openSubmissions").map(submissionFrom)
    for (const { task } of tasks) this.#bodies.set(task.id, task.input)
    for (const submission of submissions) this.#bodies.set(submission.id, submission.data)
    const tails = this.#all<{ id: number; tail: number | null }>("tails")
    return {
      epoch: meta.epoch,
      seq: last?.seq ?? 0,
      nextId: meta.next_id,
      clean: meta.clean === 1,
      conversations: this.#all<ConversationRow>("conversations").map(conversationFrom),
      tasks,
      submissions,
      documents: this.#all<DocumentRow>("documents").map(documentFrom),
      tails: new Map(tails.map(({ id, tail }) => [id, tail ?? 0])),
      lastSign: Math.max(last?.at ?? 0, this.#mark.read()?.at ?? 0),
      notices: this.#connection.notices,
    }
  }

  write(batch: Batch): void {
    const rows = batch.changes.flatMap((change) => this.#rowsOf(change))
    const digests = rows.map((row) => rowDigest(row.table, row.cells))
    const retired = batch.changes.filter((it) => it.type === "retire")
    for (const { conversation, name } of retired) digests.push(rowDigest("retired", [conversation, name]))
    const digest = commitDigest(digests)
    const line = { seq: batch.seq, at: batch.at, class: batch.class, rows: digests.length }
    const chain = nextChain(this.#chain, line, digest)

    let committing = false
    try {
      this.#setClass(batch.class)
      this.#run("BEGIN IMMEDIATE")
      this.#fence(batch)
      for (const { conversation, name } of retired) this.#run(writes.retire, conversation, name)
      for (const [at, row] of rows.entries()) {
        this.#run(putInto[row.table], ...row.cells, batch.seq, digests[at] ?? chainStart)
      }
      this.#run(writes.commit, line.seq, line.at, line.class, line.rows, digest, chain)
      committing = true
      this.#run("COMMIT")
    } catch (error) {
      this.#rollback()
      throw meaning(error, committing)
    }
    this.#stored(batch, chain)
  }

  async spools(epoch: number, live: ReadonlySet<TaskId> | null): Promise<Spools> {
    const spools = new SpoolFiles(this.#paths, epoch)
    if (live === null) return spools
    await spools.sweep(async (id) => {
      if (live.has(id)) return "live"
      return (await this.task(id)) === undefined ? "unknown" : "ended"
    })
    return spools
  }

  checkOwner(epoch: number): void {
    const found = this.#one<MetaRow>("meta")?.epoch
    if (found !== epoch)
      throw new StaleOwner(`the session was opened by another process since (epoch ${found}, this one has ${epoch})`)
  }

  sign(at: number): void {
    this.#mark.sign(at)
  }

  async entry(id: EntryId): Promise<Entry | undefined> {
    const row = this.#one<EntryRow>("entry", id)
    return row ? entryFrom(row) : undefined
  }

  async entries({ conversation, after, upTo }: EntryRange, limit: number): Promise<readonly Entry[]> {
    const rows = this.#all<EntryRow>("entries", conversation, after, upTo, Number.isFinite(limit) ? limit : -1)
    return rows.reverse().map(entryFrom)
  }

  async newestHead({ conversation, after, upTo }: EntryRange): Promise<Entry | undefined> {
    const row = this.#one<EntryRow>("newestHead", conversation, after, upTo)
    return row ? entryFrom(row) : undefined
  }

  async task(id: TaskId): Promise<Task | undefined> {
    const row = this.#one<TaskRow>("task", id)
    return row ? taskFrom(row) : undefined
  }

  async submission(id: SubmissionId): Promise<Submission | undefined> {
    const row = this.#one<SubmissionRow>("submission", id)
    return row ? submissionFrom(row) : undefined
  }

  submissionByRequest(conversation: ConversationId, requestId: string): Submission | undefined {
    const row = this.#one<SubmissionRow>("submissionByRequest", conversation, requestId)
    return row ? submissionFrom(row) : undefined
  }

  async counts(): Promise<Counts> {
    const meta = this.#one<MetaRow>("meta")
    return { entries: meta?.entries ?? 0, tasks: meta?.tasks ?? 0, bytes: statSync(this.#paths.db).size }
  }

  verify(deep: boolean): Promise<readonly string[]> {
    return verify(this.#connection.db, deep, this.#clock)
  }

  /** Lets somebody of this process read over the one connection that may. */
  look<T>(read: (db: Database) => T): T {
    return read(this.#connection.db)
  }

  async close(): Promise<void> {
    const { db, wal } = this.#connection
    this.#mark.close()
    for (const statement of this.#statements.values()) statement.finalize()
    try {
      if (wal) db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch (error) {
      // All of it is in the log, flushed: the next opening reads it there.
      if (!(error instanceof SQLiteError)) throw error
    } finally {
      db.close()
    }
  }

  #rowsOf(change: Batch["changes"][number]): readonly Row[] {
    if (change.type === "retire") return []
    const heavy = bodyOf(change)
    if (heavy === null || this.#bodies.get(heavy.id) === heavy.body) return [rowOf(change)]
    return [rowOf(change), { table: "bodies", cells: [heavy.id, JSON.stringify(heavy.body)] }]
  }

  #fence(batch: Batch): void {
    const added = { entries: 0, tasks: 0 }
    for (const change of batch.changes) {
      if (change.type === "entry") added.entries++
      if (change.type === "task" && change.task.id >= this.#nextId) added.tasks++
    }
    const clean = batch.clean ? 1 : 0
    const { changes } = this.#run(
      writes.meta,
      batch.epoch,
      batch.nextId,
      clean,
      added.entries,
      added.tasks,
      batch.owner,
    )
    if (changes === 0)
      throw new StaleOwner("the session was opened by another process since: nothing of this was stored")
  }

  #stored(batch: Batch, chain: Uint8Array): void {
    this.#chain = chain
    this.#nextId = batch.nextId
    for (const change of batch.changes) {
      const heavy = bodyOf(change)
      if (heavy === null) continue
      const changes =
        change.type === "task" ? isLive(change.task) : change.type === "submission" && isOpen(change.submission)
      if (changes) this.#bodies.set(heavy.id, heavy.body)
      else this.#bodies.delete(heavy.id)
    }
    if (batch.class === "flushed") this.#mark.write({ seq: batch.seq, chain, at: batch.at })
  }

  /** Without a log every commit is flushed: there is no prefix to fall back to. */
  #setClass(wanted: FlushClass): void {
    const { db, wal } = this.#connection
    if (!wal || wanted === this.#class) return
    db.run(wanted === "flushed" ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    this.#class = wanted
  }

  #rollback(): void {
    // Some errors have rolled back by themselves, and then a second one would hide the first.
    if (this.#connection.db.inTransaction) this.#run("ROLLBACK")
  }

  #statement(sql: string): Statement<unknown, Cells> {
    const found = this.#statements.get(sql)
    if (found) return found
    const statement = this.#connection.db.prepare<unknown, Cells>(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #run(sql: string, ...cells: Cells): { readonly changes: number } {
    return this.#statement(sql).run(...cells)
  }

  #one<R>(name: ReadName, ...cells: Cells): R | undefined {
    return (this.#statement(reads[name].sql).get(...cells) as R | null) ?? undefined
  }

  #all<R>(name: ReadName, ...cells: Cells): R[] {
    return this.#statement(reads[name].sql).all(...cells) as R[]
  }
}

type Cells = (Cell | Uint8Array)[]

const putInto = Object.fromEntries(Object.keys(tables).map((table) => [table, put(table as Table)])) as Record<
  Table,
  string
>
