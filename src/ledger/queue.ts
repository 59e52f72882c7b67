/**
 * From a batch to its publication: stored in order, tried again while the disk refuses, told once it is stored.
 *
 * - A batch that storage takes at once never waits. One that it answers later, or has rejected, is the head of the
 *   queue, and all later ones wait behind it. A rejected head is tried again after 250 ms, then after twice as long
 *   each time, up to 30 s.
 * - A batch whose fate is unknown, or whose owner is stale, is the end: all that wait are refused, and all that come.
 * - A watcher may commit: its commit is told after the one that it was told of, to everybody.
 */
import { assert } from "../std/assert.ts"
import type { Clock } from "../std/clock.ts"
import type { At } from "../std/moment.ts"
import { Poisoned, ReadOnly } from "./errors.ts"
import { StaleOwner } from "./ledger.ts"
import type { Health } from "./ledger.ts"
import type { Change, Commit } from "./records.ts"
import { Rejected, Unknown } from "./storage.ts"
import type { Batch, Storage } from "./storage.ts"

const retryMs = 250
const retryMsMax = 30_000
/**
 * Batches that wait for a disk. An engine starts no effect before its mark is stored, so it cannot make many while
 * nothing is.
 */
const waitingMax = 10_000

/** Before a batch is handed to storage, and when storage has it and nobody has been told. */
export const commitPoints = ["commit", "committed"] as const
type CommitPoint = (typeof commitPoints)[number]

type Waiting = { readonly batch: Batch; readonly deferred: PromiseWithResolvers<void> }

export class StoreQueue {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #at: At<CommitPoint>
  readonly #waiting: Waiting[] = []
  readonly #outbox: Commit[] = []
  readonly #watchers = new Set<(commit: Commit) => void>()
  readonly #healthWatchers = new Set<(health: Health) => void>()
  #health: Health = { state: "ok" }
  #end: Error | null = null
  #telling = false
  #writing = false
  #closing = false
  #retryMs = retryMs
  #cancelRetry: (() => void) | null = null

  constructor(storage: Storage, clock: Clock, at: At<CommitPoint>) {
    this.#storage = storage
    this.#clock = clock
    this.#at = at
  }

  get health(): Health {
    return this.#health
  }

  /** Why nothing is stored any more; null while all is well or may be again. */
  get end(): Error | null {
    return this.#end
  }

  watch(listener: (commit: Commit) => void): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  watchHealth(listener: (health: Health) => void): () => void {
    this.#healthWatchers.add(listener)
    return () => this.#healthWatchers.delete(listener)
  }

  /** What has been sent and is not stored yet, oldest first. */
  *changes(): Iterable<Change> {
    for (const { batch } of this.#waiting) yield* batch.changes
  }

  /** Settles when all that was sent by now is stored. */
  get stored(): Promise<void> {
    return this.#waiting.at(-1)?.deferred.promise ?? done
  }

  /** Takes nothing, from the start or from now on. */
  refuse(reason: string): void {
    if (this.#end !== null) return
    this.#end = new ReadOnly(`this session is read-only: ${reason}`)
    for (const { deferred } of this.#waiting.splice(0)) deferred.reject(this.#end)
    this.#setHealth({ state: "read-only", reason })
  }

  /** Throws where nothing more can be sent. */
  check(): void {
    if (this.#end !== null) throw this.#end
    if (this.#waiting.length >= waitingMax)
      throw new Rejected(`${waitingMax} commits wait for the disk: no more are taken`)
  }

  /**
   * Stores a batch now or as soon as its turn comes; the promise settles when it is. Calls `accepted` before anybody
   * hears of it. Throws without that call where storage refused the batch for good at once: the owner is stale, or it
   * is a bug.
   */
  send(batch: Batch, accepted: () => void): Promise<void> {
    let answer: void | Promise<void> = undefined
    let failure: unknown = null
    const first = this.#waiting.length === 0
    try {
      if (first) answer = this.#write(batch)
    } catch (error) {
      if (error instanceof StaleOwner) this.#finish(error)
      if (!(error instanceof Rejected || error instanceof Unknown)) throw error
      failure = error
    }
    accepted()
    if (first && failure === null && answer === undefined) {
      this.#tell(batch)
      return done
    }
    const deferred = Promise.withResolvers<void>()
    // Who does not wait for a relaxed commit is not ended by its refusal.
    deferred.promise.catch(() => undefined)
    this.#waiting.push({ batch, deferred })
    if (failure !== null) this.#failed(failure)
    if (answer !== undefined) this.#await(answer)
    return deferred.promise
  }

  /**
   * From here on a rejected batch is tried once and not again. Resolves when all that was sent is stored, or has been
   * given up.
   */
  async drain(): Promise<void> {
    this.#closing = true
    this.#cancelRetry?.()
    this.#cancelRetry = null
    if (!this.#writing) this.#pump()
    await Promise.allSettled(this.#waiting.map(({ deferred }) => deferred.promise))
  }

  /** Writes what waits, for as long as storage answers at once and nobody who was told has begun to write again. */
  #pump(): void {
    this.#cancelRetry = null
    for (let head = this.#waiting[0]; head !== undefined && this.#end === null; head = this.#waiting[0]) {
      if (this.#writing) return
      let answer: void | Promise<void>
      try {
        answer = this.#write(head.batch)
      } catch (error) {
        return this.#failed(error)
      }
      if (answer !== undefined) return this.#await(answer)
      this.#settle()
    }
  }

  #write(batch: Batch): void | Promise<void> {
    this.#at("commit")
    const answer = this.#storage.write(batch)
    if (answer === undefined) this.#at("committed")
    return answer
  }

  #await(answer: Promise<void>): void {
    this.#writing = true
    answer.then(
      () => {
        this.#writing = false
        this.#settle()
        this.#pump()
      },
      (error: unknown) => {
        this.#writing = false
        this.#failed(error)
      },
    )
  }

  #settle(): void {
    const head = this.#waiting.shift()
    assert(head, "what settled was waiting")
    this.#retryMs = retryMs
    this.#setHealth({ state: "ok" })
    this.#tell(head.batch)
    head.deferred.resolve()
  }

  #failed(error: unknown): void {
    if (error instanceof Rejected) return this.#closing ? this.#finish(error) : this.#tryAgain(error.message)
    if (error instanceof StaleOwner) return this.#finish(error)
    const reason = error instanceof Error ? error.message : String(error)
    this.#finish(new Poisoned(`it is not known whether the last commit was stored: ${reason}`, { cause: error }))
  }

  #tryAgain(reason: string): void {
    const since = this.#health.state === "waiting" ? this.#health.since : this.#clock.now()
    this.#cancelRetry = this.#clock.after(this.#retryMs, () => this.#pump())
    this.#retryMs = Math.min(retryMsMax, this.#retryMs * 2)
    this.#setHealth({ state: "waiting", reason, since })
  }

  #finish(error: Error): void {
    this.#end = error
    for (const { deferred } of this.#waiting.splice(0)) deferred.reject(error)
    this.#setHealth({ state: "poisoned", reason: error.message })
  }

  #setHealth(health: Health): void {
    if (health.state === this.#health.state && health.state === "ok") return
    this.#health = health
    for (const listener of [...this.#healthWatchers]) guarded(() => listener(health))
  }

  #tell({ seq, at, class: flush, changes, clean }: Batch): void {
    // A close tells nobody: nothing has changed but who may come next.
    if (clean) return
    this.#outbox.push(Object.freeze({ seq, at, class: flush, changes }))
    if (this.#telling) return
    this.#telling = true
    for (let commit = this.#outbox.shift(); commit !== undefined; commit = this.#outbox.shift()) {
      const told = commit
      for (const listener of [...this.#watchers]) guarded(() => listener(told))
    }
    this.#telling = false
  }
}

const done: Promise<void> = Promise.resolve()

/**
 * A watcher's bug must not stop the line, nor keep others from hearing; it ends the program as any bug does that nobody
 * caught.
 */
function guarded(tell: () => void): void {
  try {
    tell()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
