/**
 * Everything that happens in a simulation happens here, one thing after the other, in virtual time.
 *
 * - What comes at the same moment comes in an order that chance decides. After each thing, all promises that are ready go on; nothing else runs.
 * - A thing belongs to a life, the time of one process from its start to its end, or to the world. What belongs to a dead life never happens: that is what a kill is.
 */
import { drainMicrotasks } from "bun:jsc"
import type { Clock } from "../../src/std/clock.ts"
import type { Chance } from "./chance.ts"

type Thing = { readonly at: number; readonly order: number; readonly owner: Mortal | null; run: (() => void) | null }

/** Whoever can die. */
export type Mortal = { readonly dead: boolean }

function isBefore(one: Thing, other: Thing): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}

export class Schedule {
  readonly #chance: Chance
  readonly #spend: () => boolean
  #heap: Thing[] = []
  /** Milliseconds since the beginning. */
  now = 0
  /** The wall clock: it can jump. */
  wall = 1_760_000_000_000

  /** `spend` is asked before anything is planned or done; once it says no, nothing more is. */
  constructor(chance: Chance, spend: () => boolean) {
    this.#chance = chance
    this.#spend = spend
  }

  /** Let `run` happen after `ms`; the function that comes back takes it off again. */
  after(ms: number, owner: Mortal | null, run: () => void): () => void {
    if (!this.#spend()) return () => undefined
    const thing: Thing = { at: this.now + Math.max(0, ms), order: this.#chance.next(), owner, run }
    this.#push(thing)
    return () => {
      thing.run = null
    }
  }

  /** Time as a process sees it; its steady clock begins anywhere. */
  clockOf(owner: Mortal): Clock {
    const start = this.#chance.below(1_000_000)
    return {
      now: () => this.wall,
      monotonic: () => start + this.now,
      after: (ms, callback) => this.after(ms, owner, callback),
    }
  }

  jump(ms: number): void {
    this.wall += ms
  }

  /** When the next thing happens; null where nothing does any more. */
  get next(): number | null {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (top.run !== null && top.owner?.dead !== true) return top.at
      this.#pop()
    }
    return null
  }

  /** The next thing, and all that follows from it at once. */
  step(): void {
    const at = this.next
    const thing = this.#pop()
    if (at === null || thing === undefined) throw new Error("nothing is left that could happen")
    this.wall += thing.at - this.now
    this.now = thing.at
    const { run } = thing
    thing.run = null
    run?.()
    drainMicrotasks()
  }

  #push(thing: Thing): void {
    const heap = this.#heap
    let at = heap.push(thing) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || !isBefore(thing, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = thing
  }

  #pop(): Thing | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined || heap.length === 0) return top
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const [one, other] = [heap[left], heap[left + 1]]
      if (one === undefined) break
      const [small, place] = other !== undefined && isBefore(other, one) ? [other, left + 1] : [one, left]
      if (!isBefore(small, last)) break
      heap[at] = small
      at = place
    }
    heap[at] = last
    return top
  }
}
