/**
 * Dispatch marks: the last thing before an effect, stored and flushed.
 *
 * - Calls that get ready in the same moment share one commit and its flush.
 * - After the mark is stored the owner is checked once more: a stale owner starts no effect.
 */
import type { Ledger } from "../ledger/ledger.ts"
import type { TaskId } from "../ledger/records.ts"

export class Marks {
  readonly #ledger: Ledger
  #waiting: TaskId[] = []
  #commit: Promise<void> | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Resolves when the mark of `task` is on the disk and this process still owns the session. */
  async mark(task: TaskId): Promise<void> {
    this.#waiting.push(task)
    this.#commit ??= Promise.resolve().then(() => this.#flush())
    await this.#commit
    this.#ledger.assertOwner()
  }

  async #flush(): Promise<void> {
    const tasks = this.#waiting
    this.#waiting = []
    this.#commit = undefined
    const receipt = this.#ledger.commit("flushed", (tx) => {
      for (const id of tasks) {
        const task = tx.live.tasks.get(id)
        if (task === undefined) continue
        tx.setTask(id, { checkpoint: { ...task.checkpoint, dispatched: true, dispatchedAt: tx.now } })
      }
    })
    await receipt.stored
  }
}
