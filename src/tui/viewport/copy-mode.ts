/**
 * Selecting with the keyboard: a cursor that walks over what is shown, and a mark.
 *
 * - The cursor is a position in what was written, so text that arrives meanwhile moves neither it nor the mark.
 * - What is selected includes the character under the cursor, as in vim; by line and by block, whole lines and whole blocks.
 */
import { graphemes } from "../../std/text.ts"
import type { RowBlock } from "../rows/content.ts"
import { comparePositions, placeOf, positionAt, textOfRange, type Position } from "./place.ts"
import { step, type Place } from "./scroll.ts"
import type { Shift } from "./store.ts"
import type { Window } from "./window.ts"

export const copyMoves = [
  "left",
  "right",
  "up",
  "down",
  "wordLeft",
  "wordStartRight",
  "wordRight",
  "lineStart",
  "lineTextStart",
  "lineEnd",
  "pageUp",
  "pageDown",
  "halfUp",
  "halfDown",
  "start",
  "end",
  "blockNext",
  "blockPrevious",
] as const
export type CopyMove = (typeof copyMoves)[number]

export const copyUnits = ["character", "line", "code", "block"] as const
/** `code` is the code block at the cursor, or where there is none, the line. */
export type CopyUnit = (typeof copyUnits)[number]

type Mark = { readonly at: Position; readonly by: CopyUnit }

export class CopyMode<B extends RowBlock> {
  readonly #window: Window<B>
  #cursor: Position
  #goal: number
  #mark: Mark | null = null

  private constructor(window: Window<B>, cursor: Position) {
    this.#window = window
    this.#cursor = cursor
    this.#goal = placeOf(window.store, cursor).column
  }

  /** At the last row in view that shows text; undefined where none does. */
  static open<B extends RowBlock>(window: Window<B>): CopyMode<B> | undefined {
    const row = window.visible().findLast(({ row: one }) => one.pieces.length > 0)
    const cursor = row === undefined ? undefined : positionAt(window.store, row.place, 0)
    return cursor === undefined ? undefined : new CopyMode(window, cursor)
  }

  get cursor(): Position {
    return this.#cursor
  }

  /** What is selected, from its first to behind its last character; null while there is no mark. */
  get range(): { readonly from: Position; readonly to: Position } | null {
    if (this.#mark === null) return null
    const forward = comparePositions(this.#mark.at, this.#cursor) <= 0
    const [first, end] = forward ? [this.#mark.at, this.#cursor] : [this.#cursor, this.#mark.at]
    const units = this.#window.store.layout(end.index).units
    switch (this.#mark.by) {
      case "character":
        return { from: first, to: { ...end, offset: end.offset + this.#graphemeAt(end).length } }
      case "line":
        return { from: { ...first, offset: 0 }, to: { ...end, offset: this.#text(end).length } }
      case "code":
        return { from: this.#codeEdge(first, -1), to: this.#codeEdge(end, 1) }
      case "block":
        return {
          from: { index: first.index, unit: 0, offset: 0 },
          to: { index: end.index, unit: Math.max(0, units.length - 1), offset: units.at(-1)?.text.length ?? 0 },
        }
    }
  }

  /** The start (-1) or the end (1) of the code block at a position, else of its line. */
  #codeEdge(at: Position, direction: -1 | 1): Position {
    const { units } = this.#window.store.layout(at.index)
    const code = units[at.unit]?.code
    let unit = at.unit
    while (code !== undefined && units[unit + direction]?.code === code) unit += direction
    return { index: at.index, unit, offset: direction < 0 ? 0 : (units[unit]?.text.length ?? 0) }
  }

  /** What a copy takes: the selection, or without a mark the line at the cursor. */
  text(): string {
    const range = this.range
    return range === null ? this.#text(this.#cursor) : textOfRange(this.#window.store, range.from, range.to)
  }

  mark(by: CopyUnit): void {
    this.#mark = this.#mark?.by === by ? null : { at: this.#mark?.at ?? this.#cursor, by }
  }

  swapEnds(): boolean {
    if (this.#mark === null) return false
    const at = this.#cursor
    this.#cursor = this.#mark.at
    this.#mark = { ...this.#mark, at }
    this.#shown()
    return true
  }

  /** Puts the cursor at a position: a match that was gone to. */
  goTo(position: Position): void {
    this.#cursor = position
    this.#goal = this.#shown()
  }

  move(to: CopyMove): boolean {
    const old = this.#cursor
    const vertical = this.#vertical(to)
    if (vertical !== undefined) this.#byRows(vertical)
    else this.#cursor = this.#target(to)
    const column = this.#shown()
    if (vertical === undefined) this.#goal = column
    return comparePositions(old, this.#cursor) !== 0
  }

  shift(shift: Shift): void {
    const index = shift.move(this.#cursor.index)
    this.#cursor = { ...this.#cursor, index: index ?? Math.min(this.#cursor.index, this.#window.store.count - 1) }
    if (this.#mark === null) return
    const marked = shift.move(this.#mark.at.index)
    this.#mark = marked === undefined ? null : { ...this.#mark, at: { ...this.#mark.at, index: marked } }
  }

  #vertical(to: CopyMove): number | undefined {
    const { rows } = this.#window
    const byRows: Partial<Record<CopyMove, number>> = {
      up: -1,
      down: 1,
      pageUp: -Math.max(1, rows - 1),
      pageDown: Math.max(1, rows - 1),
      halfUp: -Math.max(1, rows >> 1),
      halfDown: Math.max(1, rows >> 1),
    }
    return byRows[to]
  }

  #byRows(rows: number): void {
    const { store } = this.#window
    const from = placeOf(store, this.#cursor).place
    let place: Place = step(store, from, rows)
    // A row that shows no text is stepped over, in the direction of the move.
    while (store.layout(place.index).rows[place.row]?.pieces.length === 0) {
      const next = step(store, place, Math.sign(rows))
      if (next.index === place.index && next.row === place.row) return
      place = next
    }
    this.#cursor = positionAt(store, place, this.#goal) ?? this.#cursor
  }

  #target(to: CopyMove): Position {
    const { store } = this.#window
    const at = this.#cursor
    switch (to) {
      case "left":
        return this.#sideways(-1)
      case "right":
        return this.#sideways(1)
      case "lineStart":
        return { ...at, offset: 0 }
      case "lineTextStart":
        return { ...at, offset: Math.max(0, this.#text(at).search(/\S/)) }
      case "lineEnd":
        return { ...at, offset: Math.max(0, this.#text(at).length - this.#lastGrapheme(at).length) }
      case "wordLeft":
      case "wordStartRight":
      case "wordRight":
        return this.#word(to)
      case "start":
        return { index: 0, unit: 0, offset: 0 }
      case "end":
        return this.#endOf(store.count - 1)
      case "blockNext":
        return at.index + 1 < store.count ? { index: at.index + 1, unit: 0, offset: 0 } : this.#endOf(at.index)
      case "blockPrevious":
        if (at.unit > 0 || at.offset > 0) return { index: at.index, unit: 0, offset: 0 }
        return { index: Math.max(0, at.index - 1), unit: 0, offset: 0 }
      default:
        return at
    }
  }

  #sideways(by: -1 | 1): Position {
    const at = this.#cursor
    const text = this.#text(at)
    if (by > 0) {
      const next = at.offset + this.#graphemeAt(at).length
      return next < text.length ? { ...at, offset: next } : at
    }
    const before = graphemes(text.slice(0, at.offset)).at(-1)
    return before === undefined ? at : { ...at, offset: at.offset - before.length }
  }

  #word(to: "wordLeft" | "wordStartRight" | "wordRight"): Position {
    const at = this.#cursor
    const text = this.#text(at)
    if (to === "wordLeft") {
      const starts = [...text.slice(0, at.offset).matchAll(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]/gu)]
      const found = starts.at(-1)
      if (found !== undefined) return { ...at, offset: found.index }
      return at.offset > 0 ? { ...at, offset: 0 } : this.#neighbour(-1)
    }
    const pattern = to === "wordStartRight" ? /(?<![\p{L}\p{N}_])[\p{L}\p{N}_]/gu : /[\p{L}\p{N}_](?![\p{L}\p{N}_])/gu
    pattern.lastIndex = at.offset + 1
    const found = pattern.exec(text)
    return found === null ? this.#neighbour(1) : { ...at, offset: found.index }
  }

  /** The start of the next unit, or the end of the one before. */
  #neighbour(by: -1 | 1): Position {
    const { store } = this.#window
    const at = this.#cursor
    if (by > 0) {
      if (at.unit + 1 < store.layout(at.index).units.length) return { index: at.index, unit: at.unit + 1, offset: 0 }
      return at.index + 1 < store.count ? { index: at.index + 1, unit: 0, offset: 0 } : this.#endOf(at.index)
    }
    if (at.unit > 0) {
      const before = { index: at.index, unit: at.unit - 1, offset: 0 }
      return { ...before, offset: this.#text(before).length }
    }
    return at.index > 0 ? this.#endOf(at.index - 1) : at
  }

  #endOf(index: number): Position {
    const units = this.#window.store.layout(index).units
    const unit = Math.max(0, units.length - 1)
    return { index: Math.max(0, index), unit, offset: units[unit]?.text.length ?? 0 }
  }

  #text(at: Position): string {
    return this.#window.store.layout(at.index).units[at.unit]?.text ?? ""
  }

  #graphemeAt(at: Position): string {
    return graphemes(this.#text(at).slice(at.offset, at.offset + 64))[0] ?? ""
  }

  #lastGrapheme(at: Position): string {
    return graphemes(this.#text(at)).at(-1) ?? ""
  }

  /** Sees to it that the cursor is in view; its column. */
  #shown(): number {
    const { place, column } = placeOf(this.#window.store, this.#cursor)
    this.#window.reveal(place)
    return column
  }
}
