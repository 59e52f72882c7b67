/**
 * A search as a reader sees it: what was asked, how much was found, where they are, and the way back.
 *
 * - Asking moves nothing. Going to a match unfolds its block; closing with `restore` folds what the search unfolded and goes back.
 */
import type { Clock } from "../../std/clock.ts"
import { makeFinder, type Finder } from "../../std/finder.ts"
import type { RowBlock } from "../rows/content.ts"
import { placeOf, positionAt, type Position } from "./place.ts"
import type { Place } from "./scroll.ts"
import { Search, type Match } from "./search.ts"
import type { Shift } from "./store.ts"
import type { Window } from "./window.ts"

/** How long one slice of looking may take: half a frame. */
const sliceMs = 8
/** Rows that stay between a match that was gone to and the edge. */
const margin = 2

export type SearchState = {
  readonly query: string
  readonly regex: boolean
  /** Matches found so far. */
  readonly total: number
  /** Which of them the reader is at, from 1; null before going to one. */
  readonly current: number | null
  readonly scanning: boolean
  /** A sentence, where the query is not one. */
  readonly problem: string | null
}

const idle: SearchState = { query: "", regex: false, total: 0, current: null, scanning: false, problem: null }

type Origin = { readonly top: Place; readonly following: boolean }

export class Seeker<B extends RowBlock> {
  readonly #window: Window<B>
  readonly #clock: Clock
  readonly #changed: () => void
  #search: Search | null = null
  #asked = { query: "", regex: false, problem: null as string | null }
  #match: Match | null = null
  #origin: Origin | null = null
  readonly #unfolded = new Set<string>()
  #cancel: () => void = () => {}

  constructor(window: Window<B>, clock: Clock, changed: () => void) {
    this.#window = window
    this.#clock = clock
    this.#changed = changed
  }

  get finder(): Finder | null {
    return this.#search?.finder ?? null
  }

  get match(): Match | null {
    return this.#match
  }

  get state(): SearchState {
    const search = this.#search
    if (search === null) return this.#asked.query === "" ? idle : { ...idle, ...this.#asked }
    const match = this.#match
    return {
      ...this.#asked,
      total: search.total,
      current: match === null ? null : search.rankOf({ ...match, offset: match.from }) + 1,
      scanning: !search.done,
    }
  }

  search(query: string, regex: boolean): void {
    this.#cancel()
    this.#match = null
    this.#search = null
    this.#asked = { query, regex, problem: null }
    if (query === "") return
    this.#origin ??= { top: this.#window.top, following: this.#window.following }
    const made = makeFinder(query, regex)
    if (!made.ok) {
      this.#asked.problem = made.reason
      return
    }
    const lastSeen = this.#window.visible().at(-1)?.place.index ?? 0
    this.#search = new Search(this.#window.store, made.finder, lastSeen)
    this.#slice()
  }

  #slice(): void {
    const search = this.#search
    if (search === null || search.done) return
    const until = this.#clock.monotonic() + sliceMs
    const done = search.step(() => this.#clock.monotonic() >= until)
    if (done) return
    this.#cancel = this.#clock.after(0, () => {
      this.#slice()
      this.#changed()
    })
  }

  /** Goes to the next match in a direction; where it is. */
  go(direction: -1 | 1): Position | undefined {
    const search = this.#search
    if (search === null || search.total === 0) return undefined
    return this.#goTo(
      search,
      this.#match === null ? this.#firstRank(search, direction) : this.#nextRank(search, direction),
    )
  }

  /** Goes to the first match in block `index` or below. */
  goFrom(index: number): Position | undefined {
    const search = this.#search
    if (search === null || search.total === 0) return undefined
    return this.#goTo(search, search.rankOf({ index, unit: 0, offset: 0 }))
  }

  /** Goes to the first match of all (1), or the last one (-1). */
  goOuter(end: -1 | 1): Position | undefined {
    const search = this.#search
    if (search === null || search.total === 0) return undefined
    return this.#goTo(search, end === 1 ? 0 : -1)
  }

  #goTo(search: Search, rank: number): Position | undefined {
    const match = search.at((rank + search.total) % search.total)
    if (match === undefined) return undefined
    this.#match = match
    const { store } = this.#window
    const block = store.block(match.index)
    if (block !== undefined && !store.isOpen(block)) {
      this.#unfolded.add(block.key)
      this.#window.change(() => store.setOpen(match.index, true))
    }
    const position: Position = { index: match.index, unit: match.unit, offset: match.from }
    this.#window.reveal(placeOf(store, position).place, margin)
    return position
  }

  #nextRank(search: Search, direction: -1 | 1): number {
    const match = this.#match
    return match === null ? 0 : search.rankOf({ ...match, offset: match.from }) + direction
  }

  /** Down: the first at or below the top of the view. Up: the last in or above it. */
  #firstRank(search: Search, direction: -1 | 1): number {
    const visible = this.#window.visible()
    const edge = direction > 0 ? visible[0] : visible.at(-1)
    if (edge === undefined) return 0
    const column = direction > 0 ? 0 : Number.MAX_SAFE_INTEGER
    const position = positionAt(this.#window.store, edge.place, column)
    if (position === undefined) return direction > 0 ? 0 : -1
    return direction > 0 ? search.rankOf(position) : search.rankOf(position) - 1
  }

  close(restore: boolean): boolean {
    this.#cancel()
    const open = this.#origin !== null || this.#asked.query !== ""
    const origin = this.#origin
    this.#search = null
    this.#match = null
    this.#asked = { query: "", regex: false, problem: null }
    this.#origin = null
    if (restore) this.#foldAgain()
    if (restore && origin !== null) this.#window.restore(origin.top, origin.following)
    this.#unfolded.clear()
    return open
  }

  #foldAgain(): void {
    const { store } = this.#window
    this.#window.change(() => {
      for (let index = 0; index < store.count && this.#unfolded.size > 0; index++) {
        const key = store.block(index)?.key ?? ""
        if (this.#unfolded.delete(key)) store.setOpen(index, false)
      }
    })
  }

  shift(shift: Shift): void {
    const origin = this.#origin
    if (origin !== null) {
      const index = shift.move(origin.top.index)
      this.#origin = { ...origin, top: index === undefined ? { index: 0, row: 0 } : { ...origin.top, index } }
    }
    const search = this.#search
    if (search === null || shift.same) return
    if (this.#match !== null) {
      const index = shift.move(this.#match.index)
      this.#match = index === undefined ? null : { ...this.#match, index }
    }
    this.#cancel()
    search.changed(shift.first)
    this.#slice()
  }
}
