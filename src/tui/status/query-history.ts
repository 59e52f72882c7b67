/** What was searched for before, the newest last; and walking through it, with what was being typed at its end. */

/** Queries that are kept, and characters of one: what was pasted by mistake is not worth keeping. */
const keptMax = 100
const lengthMax = 500

export class QueryHistory {
  #queries: readonly string[] = []
  #at = 0
  #typed = ""

  get queries(): readonly string[] {
    return this.#queries
  }

  /** What was kept elsewhere comes before what was asked since. */
  restore(queries: readonly string[]): void {
    this.#queries = [...new Set([...queries, ...this.#queries].toReversed())].toReversed().slice(-keptMax)
    this.#at = this.#queries.length
  }

  add(query: string): void {
    if (query === "" || query.length > lengthMax) return
    this.#queries = [...this.#queries.filter((other) => other !== query), query].slice(-keptMax)
    this.rewind()
  }

  /** A new search begins: the newest is the next one back. */
  rewind(): void {
    this.#at = this.#queries.length
    this.#typed = ""
  }

  /** The query before (-1) or after (1); null at either end. `typed` is what stands in the line now. */
  step(by: -1 | 1, typed: string): string | null {
    const at = this.#at + by
    if (at < 0 || at > this.#queries.length) return null
    if (this.#at === this.#queries.length) this.#typed = typed
    this.#at = at
    return this.#queries[at] ?? this.#typed
  }
}
