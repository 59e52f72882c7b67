/**
 * Searching what a view holds, folded text included.
 *
 * - Blocks are looked through in slices, from where the reader is upwards and then downwards, so what is near is found first.
 * - Only counts are kept; the matches of a block are found again when they are wanted. Going to the n-th of many is a walk down a tree.
 */
import type { Finder } from "../../std/finder.ts"
import { Sums } from "./sums.ts"

export type Match = { readonly index: number; readonly unit: number; readonly from: number; readonly to: number }

export type Texts = { readonly count: number; texts(index: number): readonly string[] }

export class Search {
  readonly finder: Finder
  readonly #source: Texts
  #counts = new Sums()
  /** Looked through are the blocks from `low` up to `high`, which is exclusive. */
  #low: number
  #high: number

  constructor(source: Texts, finder: Finder, from: number) {
    this.#source = source
    this.finder = finder
    this.#low = Math.min(from + 1, source.count)
    this.#high = this.#low
    this.#fill(0)
  }

  #fill(from: number): void {
    if (from === 0) {
      this.#counts.assign(this.#source.count, () => 0)
      return
    }
    this.#counts.truncate(from)
    for (let index = from; index < this.#source.count; index++) this.#counts.push(0)
  }

  get total(): number {
    return this.#counts.total
  }

  get done(): boolean {
    return this.#low === 0 && this.#high >= this.#source.count
  }

  /** Looks through at least one block, and more until `enough` says so. True when all have been looked through. */
  step(enough: () => boolean): boolean {
    while (!this.done) {
      const index = this.#low > 0 ? --this.#low : this.#high++
      this.#counts.set(index, this.#matches(index).length)
      if (enough()) break
    }
    return this.done
  }

  /** Blocks from `first` on are not what they were. */
  changed(first: number): void {
    if (first <= this.#low) {
      const from = Math.max(0, Math.min(this.#high, this.#source.count))
      this.#low = from
      this.#high = from
      this.#fill(0)
      return
    }
    this.#high = Math.min(this.#high, first)
    this.#fill(first)
  }

  #matches(index: number): readonly Match[] {
    return this.#source
      .texts(index)
      .flatMap((text, unit) => this.finder.find(text).map(({ from, to }) => ({ index, unit, from, to })))
  }

  /** The match with `rank` others before it, among those found so far. */
  at(rank: number): Match | undefined {
    if (rank < 0 || rank >= this.total) return undefined
    const { index, rest } = this.#counts.find(rank)
    return this.#matches(index)[rest]
  }

  /** How many matches found so far stand before a place in the text. */
  rankOf(place: { readonly index: number; readonly unit: number; readonly offset: number }): number {
    const before = this.#counts.before(place.index)
    if (this.#counts.get(place.index) === 0) return before
    return (
      before +
      this.#matches(place.index).filter(
        (match) => match.unit < place.unit || (match.unit === place.unit && match.from < place.offset),
      ).length
    )
  }
}
