/** Turns at a thing: work on the same key runs one after the other, in the order in which it asked. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()

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
