/**
 * How often a view scrolls that follows its end: scrolling repaints everything, which a multiplexer or a slow line pays for.
 *
 * - After a scroll the next one waits. What still fits into the last row is shown meanwhile.
 */
import type { Clock } from "../../std/clock.ts"
import type { RowBlock } from "../rows/content.ts"
import { distance, type Place } from "./scroll.ts"
import type { Window } from "./window.ts"

/** Text that comes faster than this many rows a scroll is painted with the scrolls alone. */
const leapRows = 3

export class Pace<B extends RowBlock> {
  readonly #window: Window<B>
  readonly #clock: Clock
  readonly #followMs: number
  readonly #repaint: () => void
  /** What the first row was when it was painted last. */
  #painted: Place | null = null
  /** Rows of the last scroll. */
  #leap = 0
  #cancel: () => void = () => {}

  constructor(window: Window<B>, clock: Clock, followMs: number, repaint: () => void) {
    this.#window = window
    this.#clock = clock
    this.#followMs = followMs
    this.#repaint = repaint
  }

  /** More comes than is shown before the next scroll: painting again before that shows little that is new. */
  get waiting(): boolean {
    return this.#window.waiting || (this.#window.following && this.#leap > leapRows)
  }

  /** Rows are about to be painted. */
  painted(): void {
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
