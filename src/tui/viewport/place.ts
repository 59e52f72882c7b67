/**
 * Positions in what was written, and the rows that show them.
 *
 * - A position names a unit of a block and a code unit in it, so it survives a resize and new rows elsewhere; a row does not.
 * - Text that is copied is the text of units: as it was written, with no border, no gutter and no break that a wrap made.
 */
import { columnOf, offsetAt } from "../rows/layout.ts"
import type { Layout, Piece, Row, Unit } from "../rows/row.ts"
import type { WidthMethod } from "../../std/text.ts"
import type { Place, Stack } from "./scroll.ts"

export type Position = { readonly index: number; readonly unit: number; readonly offset: number }

/** What is needed of a store here. */
export type Layouts = Stack & { layout(index: number): Layout; readonly method: WidthMethod }

const ordinals = new WeakMap<Layout, ReadonlyMap<Unit, number>>()

/** Where a unit stands among those of its block. */
export function ordinalOf(layout: Layout, unit: Unit): number {
  let known = ordinals.get(layout)
  if (known === undefined) {
    known = new Map(layout.units.map((one, place) => [one, place]))
    ordinals.set(layout, known)
  }
  return known.get(unit) ?? 0
}

export function comparePositions(a: Position, b: Position): number {
  return a.index - b.index || a.unit - b.unit || a.offset - b.offset
}

/** The position drawn at `column` of a row, or the nearest one in it; where it shows no text, the next one below. */
export function positionAt(layouts: Layouts, place: Place, column: number): Position | undefined {
  for (let { index, row: at } = place; index < layouts.count; index++, at = 0) {
    const layout = layouts.layout(index)
    for (; at < layout.rows.length; at++) {
      const row = layout.rows[at]
      if (row === undefined || row.pieces.length === 0) continue
      const exact = index === place.index && at === place.row
      const piece = pieceNear(row, exact ? offsetAt(row, column, layouts.method) : 0)
      if (piece === undefined) continue
      return { index, unit: ordinalOf(layout, piece.piece.unit), offset: piece.offset }
    }
  }
  return undefined
}

/** The piece that shows code unit `at` of a row, or the nearest one before it, else the first. */
function pieceNear(row: Row, at: number): { piece: Piece; offset: number } | undefined {
  const piece = row.pieces.findLast((one) => one.at <= at) ?? row.pieces[0]
  if (piece === undefined) return undefined
  const inside = Math.max(0, at - piece.at)
  if (inside >= piece.length) return { piece, offset: piece.to }
  return { piece, offset: piece.length === piece.to - piece.from ? piece.from + inside : piece.from }
}

/** The row that shows a position, and the column there; where none does, the one that shows what is before it. */
export function placeOf(layouts: Layouts, position: Position): { readonly place: Place; readonly column: number } {
  const layout = layouts.layout(position.index)
  const unit = layout.units[Math.min(position.unit, layout.units.length - 1)]
  let found: { readonly row: number; readonly piece: Piece } | undefined
  for (const [row, { pieces }] of layout.rows.entries()) {
    for (const piece of pieces) {
      if (piece.unit !== unit) continue
      if (holds(piece, position.offset) || found === undefined) found = { row, piece }
      else if (!holds(found.piece, position.offset) && piece.from <= position.offset) found = { row, piece }
    }
  }
  const shown = layout.rows[found?.row ?? 0]
  const column =
    shown === undefined || found === undefined ? 0 : columnOf(shown, offsetIn(found.piece, position), layouts.method)
  return { place: { index: position.index, row: found?.row ?? 0 }, column }
}

function holds({ from, to }: Piece, offset: number): boolean {
  return from <= offset && offset < to
}

/** The code unit of the row's text at which a piece shows a position. */
function offsetIn({ from, to, at, length }: Piece, { offset }: Position): number {
  if (length !== to - from && offset > from) return at + length
  return at + Math.min(length, Math.max(0, offset - from))
}

/** The code units of a row's text that show `from` to `to` of a piece's unit; undefined where they show none of it. */
export function pieceRange(piece: Piece, from: number, to: number): { from: number; to: number } | undefined {
  const first = Math.max(from, piece.from)
  const end = Math.min(to, piece.to)
  if (first >= end) return undefined
  if (piece.length !== piece.to - piece.from) return { from: piece.at, to: piece.at + piece.length }
  return { from: piece.at + first - piece.from, to: piece.at + end - piece.from }
}

/** The text between two positions, in either order. */
export function textOfRange(layouts: Layouts, one: Position, other: Position): string {
  const [from, to] = comparePositions(one, other) <= 0 ? [one, other] : [other, one]
  let out = ""
  for (let index = from.index; index <= to.index; index++) {
    const layout = layouts.layout(index)
    const first = index === from.index ? from.unit : 0
    const final = index === to.index ? to.unit : layout.units.length - 1
    if (index > from.index) out += layout.rows[0]?.pieces.length === 0 ? "\n\n" : "\n"
    for (let place = first; place <= final; place++) {
      const unit = layout.units[place]
      if (unit === undefined) continue
      if (place > first) out += unit.joint
      const start = index === from.index && place === from.unit ? from.offset : 0
      const end = index === to.index && place === to.unit ? to.offset : unit.text.length
      out += unit.text.slice(start, end)
    }
  }
  return out
}

/** The row of `now` that shows what row `row` of `old` began with. */
export function sameRow(old: Layout, row: number, now: Layout): number {
  if (old === now) return row
  let skipped = 0
  let piece: Piece | undefined
  while (piece === undefined && row + skipped < old.rows.length) {
    piece = old.rows[row + skipped]?.pieces[0]
    if (piece === undefined) skipped += 1
  }
  const unit = piece === undefined ? undefined : now.units[ordinalOf(old, piece.unit)]
  if (piece === undefined || unit === undefined) return Math.max(0, Math.min(row, now.rows.length - 1))
  let best = -1
  now.rows.forEach((one, place) => {
    if (one.pieces.some((other) => other.unit === unit && (best < 0 || other.from <= piece.from))) best = place
  })
  return Math.max(0, best < 0 ? Math.min(row, now.rows.length - 1) : best - skipped)
}
