/**
 * Selecting with the mouse: press, drag and release; a word by two clicks, a line by three.
 *
 * - A press that does not move is a click and selects nothing.
 * - Dragging above or below the view scrolls it.
 */
import type { Clock } from "../../std/clock.ts"
import { graphemes } from "../../std/text.ts"
import type { RowBlock } from "../rows/content.ts"
import type { Range } from "./draw.ts"
import { comparePositions, positionAt, type Position } from "./place.ts"
import type { Place } from "./scroll.ts"
import type { Shift } from "./store.ts"
import type { Window } from "./window.ts"

/** Code units of the longest character that is looked for whole. */
const graphemeMax = 64
/** Clicks closer together than this are one. */
const clickMs = 400

export type Pointed = { readonly kind: "click"; readonly place: Place } | { readonly kind: "selected" | "moved" }

export class Pointer<B extends RowBlock> {
  readonly #window: Window<B>
  readonly #clock: Clock
  #range: Range | null = null
  #press: { position: Position; place: Place; row: number; column: number; moved: boolean } | null = null
  #last = { at: -Infinity, row: -1, column: -1, count: 0 }

  constructor(window: Window<B>, clock: Clock) {
    this.#window = window
    this.#clock = clock
  }

  get range(): Range | null {
    return this.#range
  }

  clear(): boolean {
    const any = this.#range !== null
    this.#range = null
    this.#press = null
    return any
  }

  shift(shift: Shift): void {
    if (this.#range === null) return
    const from = shift.move(this.#range.from.index)
    const to = shift.move(this.#range.to.index)
    if (from === undefined || to === undefined) this.clear()
    else this.#range = { from: { ...this.#range.from, index: from }, to: { ...this.#range.to, index: to } }
  }

  handle(type: string, row: number, column: number): Pointed | undefined {
    switch (type) {
      case "down":
        return this.#down(row, column)
      case "drag":
        return this.#drag(row, column)
      case "up":
      case "drag-end":
        return this.#up()
      default:
        return undefined
    }
  }

  #at(row: number, column: number): { place: Place; position: Position } | undefined {
    const visible = this.#window.visible()
    const shown = visible[Math.max(0, Math.min(row, visible.length - 1))]
    if (shown === undefined) return undefined
    const position = positionAt(this.#window.store, shown.place, Math.max(0, column))
    return position === undefined ? undefined : { place: shown.place, position }
  }

  #down(row: number, column: number): Pointed | undefined {
    const at = this.#at(row, column)
    this.#range = null
    if (at === undefined) return undefined
    const now = this.#clock.monotonic()
    const again = this.#last.row === row && this.#last.column === column && now - this.#last.at < clickMs
    this.#last = { at: now, row, column, count: again ? this.#last.count + 1 : 1 }
    this.#press = { ...at, row, column, moved: false }
    if (this.#last.count > 1) {
      this.#press.moved = true
      this.#range = this.#around(at.position, this.#last.count === 2)
    }
    return { kind: "moved" }
  }

  #drag(row: number, column: number): Pointed | undefined {
    const press = this.#press
    if (press === null) return undefined
    if (row < 0) this.#window.scrollBy(-1)
    if (row >= this.#window.rows) this.#window.scrollBy(1)
    const at = this.#at(row, column)
    if (at === undefined) return undefined
    if (row !== press.row || column !== press.column) press.moved = true
    if (!press.moved) return undefined
    const forward = comparePositions(press.position, at.position) <= 0
    this.#range = forward
      ? { from: press.position, to: this.#behind(at.position) }
      : { from: at.position, to: this.#behind(press.position) }
    return { kind: "moved" }
  }

  /** Behind the character at a position: the one under the pointer is selected too. */
  #behind(at: Position): Position {
    const text = this.#window.store.layout(at.index).units[at.unit]?.text ?? ""
    const next = graphemes(text.slice(at.offset, at.offset + graphemeMax))[0]
    return { ...at, offset: at.offset + (next?.length ?? 0) }
  }

  #up(): Pointed | undefined {
    const press = this.#press
    this.#press = null
    if (press === null) return undefined
    if (!press.moved) return { kind: "click", place: press.place }
    return this.#range === null ? undefined : { kind: "selected" }
  }

  /** The word at a position, or its whole line. */
  #around(at: Position, word: boolean): Range {
    const text = this.#window.store.layout(at.index).units[at.unit]?.text ?? ""
    if (!word) return { from: { ...at, offset: 0 }, to: { ...at, offset: text.length } }
    // What is picked by two clicks is mostly a path, a name or an address.
    const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_\-./~@:#]/u.test(char)
    let from = at.offset
    let to = at.offset
    while (from > 0 && isWord(text[from - 1])) from -= 1
    while (isWord(text[to])) to += 1
    return { from: { ...at, offset: from }, to: { ...at, offset: Math.max(to, Math.min(text.length, from + 1)) } }
  }
}
