/**
 * Which rows of a store are in view: scrolling, following the end, and staying put.
 *
 * - The top is a row of a block. What changes above it, a resize, a fold or a page of older blocks leaves the same text at the top.
 * - It follows the end until the reader goes up, and again once the reader has gone down to the end. While it is held, what is new stays below.
 * - Without a drawing surface: all of this is tested by numbers and texts.
 */
import type { RowBlock } from "../rows/content.ts"
import type { Layout, Row } from "../rows/row.ts"
import type { WidthMethod } from "../../std/text.ts"
import { sameRow } from "./place.ts"
import { before, distance, last, lastTop, rowsFrom, start, step, type Place } from "./scroll.ts"
import type { Shift, Store } from "./store.ts"

export type VisibleRow = { readonly place: Place; readonly row: Row; readonly layout: Layout }

export class Window<B extends RowBlock> {
  readonly store: Store<B>
  #top: Place = start
  #follow = true
  #held = false
  #rows = 1
  /** What the last block was when the reader left the end. */
  #left: { index: number; block: B | undefined } = { index: -1, block: undefined }

  constructor(store: Store<B>) {
    this.store = store
  }

  get top(): Place {
    return this.#top
  }

  get rows(): number {
    return this.#rows
  }

  get following(): boolean {
    return this.#follow
  }

  /** Held, and what is new stands below the last row already: what comes more is not seen before it is let go. */
  get waiting(): boolean {
    return this.#held && this.#follow && before(this.#top, lastTop(this.store, this.#rows))
  }

  /** Holds the view where it is while it follows the end; letting go catches up. */
  hold(on: boolean): void {
    this.#held = on
    if (!on) this.settle()
  }

  /** Blocks that came or went on below while the reader was not at the end. */
  get newBelow(): number {
    if (this.#follow) return 0
    const { index, block } = this.#left
    const grew = index >= 0 && this.store.block(index) !== block ? 1 : 0
    return Math.max(0, this.store.count - 1 - index) + grew
  }

  #setFollow(on: boolean): void {
    if (this.#follow && !on) {
      const index = this.store.count - 1
      this.#left = { index, block: this.store.block(index) }
    }
    this.#follow = on
  }

  setBlocks(settled: readonly B[], live: readonly B[] = []): Shift {
    const old = this.#top
    const layout = this.store.count > 0 ? this.store.layout(old.index) : undefined
    const shift = this.store.setBlocks(settled, live)
    const index = shift.move(old.index)
    const left = shift.move(this.#left.index)
    if (left !== undefined) this.#left = { ...this.#left, index: left }
    if (index === undefined || layout === undefined)
      this.#top = { index: Math.min(old.index, this.store.count), row: 0 }
    else this.#top = { index, row: sameRow(layout, old.row, this.store.layout(index)) }
    this.settle()
    return shift
  }

  resize(width: number, rows: number, method: WidthMethod): void {
    this.#keepTop(() => this.store.setWidth(Math.max(1, width), method))
    this.#rows = Math.max(1, rows)
    this.hold(false)
  }

  /** Does what changes rows, with the same text at the top before and after. */
  change(action: () => void): void {
    this.#keepTop(action)
    this.settle()
  }

  #keepTop(action: () => void): void {
    const layout = this.store.layout(this.#top.index)
    action()
    this.#top = { ...this.#top, row: sameRow(layout, this.#top.row, this.store.layout(this.#top.index)) }
  }

  /** Follows, or sees to it that there is no empty space below the end. */
  settle(): void {
    const end = lastTop(this.store, this.#rows)
    if ((this.#follow && !this.#held) || before(end, this.#top)) this.#top = end
  }

  scrollBy(rows: number): boolean {
    const old = this.#top
    const end = lastTop(this.store, this.#rows)
    const next = step(this.store, old, rows)
    this.#top = before(end, next) ? end : next
    if (rows < 0 && before(this.#top, end)) this.#setFollow(false)
    if (rows > 0 && !before(this.#top, end)) this.#follow = true
    return old.index !== this.#top.index || old.row !== this.#top.row
  }

  toTop(): boolean {
    const moved = this.#top.index !== 0 || this.#top.row !== 0
    this.#top = start
    if (before(start, lastTop(this.store, this.#rows))) this.#setFollow(false)
    return moved
  }

  toBottom(): boolean {
    const moved = !this.#follow
    this.#follow = true
    this.hold(false)
    return moved
  }

  /** Puts a place at the top, or where there is not enough below it, as near as it can be. */
  goTo(place: Place): void {
    const end = lastTop(this.store, this.#rows)
    this.#top = before(end, place) ? end : place
    this.#setFollow(!before(this.#top, end))
  }

  restore(top: Place, follow: boolean): void {
    this.goTo(top)
    if (follow) this.toBottom()
    else this.#setFollow(false)
  }

  /** Where a place stands in the view, or undefined when it is outside. */
  rowOf(place: Place): number | undefined {
    if (before(place, this.#top)) return undefined
    const row = distance(this.store, this.#top, place, this.#rows)
    return row < this.#rows ? row : undefined
  }

  /** Scrolls as little as shows the place with `margin` rows around it; one that is far away comes to a third of the height. */
  reveal(place: Place, margin = 0): void {
    const room = Math.min(margin, Math.floor((this.#rows - 1) / 2))
    const away = distance(this.store, this.#top, place, this.#rows * 2)
    if (Math.abs(away) >= this.#rows * 2 || away < -this.#rows) {
      this.goTo(step(this.store, place, -Math.floor(this.#rows / 3)))
    } else if (away < room) this.scrollBy(away - room)
    else if (away > this.#rows - 1 - room) this.scrollBy(away - (this.#rows - 1 - room))
  }

  /** The rows in view, from the top. */
  visible(): readonly VisibleRow[] {
    const out: VisibleRow[] = []
    let { index, row } = this.#top
    while (out.length < this.#rows && index < this.store.count) {
      const layout = this.store.layout(index)
      for (; row < layout.rows.length && out.length < this.#rows; row++) {
        const one = layout.rows[row]
        if (one !== undefined) out.push({ place: { index, row }, row: one, layout })
      }
      index += 1
      row = 0
    }
    return out
  }

  /** The first row of the nearest block before or after the top that `wanted` says. */
  blockFrom(direction: -1 | 1, from: Place, wanted: (block: B) => boolean): Place | undefined {
    let { index } = from
    if (direction < 0 && from.row > this.#gap(index)) index += 1
    for (index += direction; index >= 0 && index < this.store.count; index += direction) {
      const block = this.store.block(index)
      if (block !== undefined && wanted(block)) return { index, row: this.#gap(index) }
    }
    return undefined
  }

  #gap(index: number): number {
    return index === 0 ? 0 : (this.store.block(index)?.gap ?? 0)
  }

  /** Everything fits: there is nothing to scroll. */
  get fits(): boolean {
    return rowsFrom(this.store, start, this.#rows + 1) <= this.#rows
  }

  get end(): Place {
    return last(this.store)
  }
}
