/** Turns at a thing: work on the same key runs one after the other, in the order in which it asked. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()
  /** Work that changes what others may look at, until it is done. */
  readonly #changing = new Set<Promise<void>>()
  #door: Promise<unknown> = Promise.resolve()

  /** As {@link take}, where finding the key takes time: the order is that of the calls all the same. No key: no turn. */
  async inOrder<T>(
    keyOf: () => Promise<string | undefined>,
    kind: "changes" | "looks",
    work: () => Promise<T>,
  ): Promise<T> {
    const entered = this.#door.then(async () => {
      const key = await keyOf()
      // Behind an object, so that the door does not wait for the work.
      const done = key === undefined ? work() : this.take(key, work)
      if (kind === "changes") this.#changes(done)
      return { done }
    })
    this.#door = entered.catch(() => undefined)
    return (await entered).done
  }

  /** Once all changes that asked before are made, and in nobody's way. */
  async behind<T>(work: () => Promise<T>): Promise<T> {
    await this.#door
    await Promise.all(this.#changing)
    return await work()
  }

  #changes(done: Promise<unknown>): void {
    const over = done.then(
      () => {},
      () => {},
    )
    this.#changing.add(over)
    void over.then(() => this.#changing.delete(over))
  }

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const mine = before.then(() => promise)
    this.#last.set(key, mine)
    await before
    try {
      return await work()
    } finally {
      resolve()
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
