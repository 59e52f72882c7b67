/**
 * The commit line: one synchronous change at a time, over live state, made into one batch.
 *
 * - The callback runs at once. It may not wait, nest, or keep its transaction for later; if it throws, nothing has
 *   changed.
 * - Live state moves on with the callback; the world hears of it when the batch is stored (queue.ts).
 */
import { assert } from "../std/assert.ts"
import type { Clock } from "../std/clock.ts"
import type { Receipt, Tx } from "./ledger.ts"
import type { Change, FlushClass, Submission } from "./records.ts"
import type { StoreQueue } from "./queue.ts"
import type { State } from "./state.ts"
import type { Batch, Storage } from "./storage.ts"
import { Transaction } from "./tx.ts"

export class CommitLine {
  readonly #state: State
  readonly #queue: StoreQueue
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #epoch: number
  #seq: number
  #inside = false
  #sealed = false
  #relaxedSinceFlush = false

  constructor(
    state: State,
    queue: StoreQueue,
    storage: Storage,
    clock: Clock,
    owner: { readonly epoch: number; readonly seq: number },
  ) {
    this.#state = state
    this.#queue = queue
    this.#storage = storage
    this.#clock = clock
    this.#epoch = owner.epoch
    this.#seq = owner.seq
  }

  get seq(): number {
    return this.#seq
  }

  commit<T>(flush: FlushClass, work: (tx: Tx) => T): Receipt<T> {
    assert(!this.#inside, "commits do not nest")
    assert(!this.#sealed, "a closed session takes no commit")
    this.#queue.check()
    const now = Math.trunc(this.#clock.now())
    const { value, changes } = this.#run(now, work)
    // Nothing to store; but what is acknowledged as flushed must be, and so must all before it.
    if (changes.length === 0 && !(flush === "flushed" && this.#relaxedSinceFlush)) {
      this.#state.keep()
      return { value, seq: this.#seq, stored: this.#queue.stored }
    }
    const batch = this.#batch(flush, now, changes)
    const stored = this.#send(batch)
    return { value, seq: batch.seq, stored }
  }

  /**
   * Takes no more commits; resolves when all are stored, or with why they are not. Then says on disk that the session
   * was closed: where the disk refuses that alone, the next opening believes in a death, and nothing is lost.
   */
  async close(): Promise<Error | null> {
    assert(!this.#inside, "a session is not closed inside a commit")
    this.#sealed = true
    await this.#queue.drain()
    if (this.#queue.end !== null) return this.#queue.end
    const last = { ...this.#batch("flushed", Math.trunc(this.#clock.now()), []), clean: true }
    try {
      await this.#queue.send(last, () => undefined)
    } catch (error) {
      if (error !== this.#queue.end) throw error
    }
    return null
  }

  #run<T>(now: number, work: (tx: Tx) => T): { readonly value: T; readonly changes: readonly Change[] } {
    const tx = new Transaction(this.#state, now, (conversation, requestId) => this.#settled(conversation, requestId))
    this.#inside = true
    this.#state.begin()
    try {
      const value = work(tx)
      assert(!isThenable(value), "a commit's callback is synchronous: it returned a promise")
      return { value, changes: Object.freeze(tx.end()) }
    } catch (error) {
      this.#state.revert()
      throw error
    } finally {
      tx.end()
      this.#inside = false
    }
  }

  #send(batch: Batch): Promise<void> {
    try {
      return this.#queue.send(batch, () => {
        this.#state.keep()
        this.#seq = batch.seq
        this.#relaxedSinceFlush = batch.class === "relaxed"
      })
    } catch (error) {
      this.#state.revert()
      throw error
    }
  }

  #batch(flush: FlushClass, at: number, changes: readonly Change[]): Batch {
    const { nextId } = this.#state
    return {
      seq: this.#seq + 1,
      at,
      class: flush,
      changes,
      owner: this.#epoch,
      epoch: this.#epoch,
      nextId,
      clean: false,
    }
  }

  /** A submission that is not alive any more: its last word may still wait to be stored. */
  #settled(conversation: number, requestId: string): Submission | undefined {
    let newest: Submission | undefined
    for (const change of this.#queue.changes()) {
      if (change.type !== "submission") continue
      const { submission } = change
      if (submission.conversation === conversation && submission.requestId === requestId) newest = submission
    }
    return newest ?? this.#storage.submissionByRequest(conversation, requestId)
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
}
