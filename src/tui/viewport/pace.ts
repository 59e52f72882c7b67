/**
 * How often a view scrolls that follows its end: scrolling repaints everything, which a multiplexer or a slow line pays for.
 *
 * - After a scroll the next one waits. What still fits into the last row is shown meanwhile.
 * - What takes long to lay out, such as a table of a thousand rows that grows, is painted with the scrolls alone: keys come between.
 */
import type { Clock } from "../../std/clock.ts"
import type { RowBlock } from "../rows/content.ts"
import { distance, type Place } from "./scroll.ts"
import type { Window } from "./window.ts"

/** Text that comes faster than this many rows a scroll is painted with the scrolls alone: evenly, and nothing between them would be read. */
const leapRows = 1
/** So is text whose rows take longer than this to make, in milliseconds: a quarter of a frame's time. */
const quickMs = 8

export class Pace<B extends RowBlock> {
  readonly #window: Window<B>
  readonly #clock: Clock
  readonly #followMs: number
  readonly #repaint: () => void
  /** What the first row was when it was painted last. */
  #painted: Place | null = null
  /** Rows of the last scroll. */
  #leap = 0
  /** What making rows took since the last paint, and for it. */
  #spending = 0
  #spent = 0
  #cancel: () => void = () => {}

  constructor(window: Window<B>, clock: Clock, followMs: number, repaint: () => void) {
    this.#window = window
    this.#clock = clock
    this.#followMs = followMs
    this.#repaint = repaint
  }

  /** More comes than is shown before the next scroll: painting again before that shows little that is new. */
  get waiting(): boolean {
    return this.#window.waiting || this.#spent > quickMs || (this.#window.following && this.#leap > leapRows)
  }

  /** Does what makes rows. */
  making<T>(work: () => T): T {
    const began = this.#clock.monotonic()
    const made = work()
    this.#spending += this.#clock.monotonic() - began
    return made
  }

  /** Rows were painted. */
  painted(): void {
    this.#spent = this.#spending
    this.#spending = 0
    const { top, following, store } = this.#window
    const before = this.#painted
    this.#painted = top
    const moved = before !== null && (before.index !== top.index || before.row !== top.row)
    if (this.#followMs === 0 || !following || before === null || !moved) return
    this.#leap = distance(store, before, top, leapRows + 1)
    this.#cancel()
    this.#window.hold(true)
    this.#cancel = this.#clock.after(this.#followMs, () => {
      this.#window.hold(false)
      this.#repaint()
    })
  }

  close(): void {
    this.#cancel()
  }
}
