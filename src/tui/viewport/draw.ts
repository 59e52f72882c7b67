/**
 * What is in view to what the surface draws: rows with their marks, and the cells beside them.
 *
 * - Marks are found for the rows in view alone, in the units that they show, so a match or a selection runs on across wraps.
 */
import type { TextChunk } from "@opentui/core"
import type { RowBlock } from "../rows/content.ts"
import { columnOf } from "../rows/layout.ts"
import { rowChunks, type Mark, type Palette } from "../rows/paint.ts"
import type { Layout, Piece, Row, Style, Unit } from "../rows/row.ts"
import { comparePositions, ordinalOf, pieceRange, type Position } from "./place.ts"
import type { Finder } from "../../std/finder.ts"
import type { Found } from "../../std/query.ts"
import type { Match } from "./search.ts"
import type { SurfaceCell, SurfaceContent, SurfaceFill } from "./surface.ts"
import type { VisibleRow, Window } from "./window.ts"

export type Range = { readonly from: Position; readonly to: Position }

export type Overlay = {
  readonly finder: Finder | null
  readonly match: Match | null
  readonly selection: Range | null
  readonly cursor: Position | null
  /** The block that commands are about, where the reader chose one. */
  readonly block: number | null
}

/** Columns before the text, for the mark of the current block, and after it, for the scrollbar. */
export function marginsOf(width: number): { readonly left: number; readonly right: number } {
  return width < 16 ? { left: 0, right: 0 } : { left: 1, right: 1 }
}

export function drawWindow<B extends RowBlock>(
  window: Window<B>,
  width: number,
  palette: Palette,
  overlay: Overlay,
): SurfaceContent {
  const visible = window.visible()
  const { left } = marginsOf(width)
  const chunks: TextChunk[] = []
  const fills: SurfaceFill[] = []
  const cells: SurfaceCell[] = []
  const found = new Map<Unit, readonly Found[]>()
  visible.forEach(({ place, row, layout }, line) => {
    const color = palette.color(row.fill)
    if (color !== undefined) fills.push({ row: line, color })
    const marks = marksOf({ place, row, layout }, overlay, palette, found)
    for (const chunk of rowChunks(row, marks, palette)) chunks.push(chunk)
    chunks.push(palette.chunk("\n", {}))
    const blank = blankCursor({ place, row, layout }, overlay.cursor)
    if (blank !== undefined) {
      const column = left + columnOf(row, blank.at, window.store.method)
      cells.push({ row: line, column, text: "█", color: palette.color("cursor") ?? palette.foreground })
    }
    const focus = palette.color("focus") ?? palette.foreground
    if (left > 0 && place.index === overlay.block && row.text !== "") {
      cells.push({ row: line, column: 0, text: "▎", color: focus })
    }
  })
  return { chunks, fills, cells: [...cells, ...scrollbar(window, width, palette)], left }
}

function marksOf(shown: VisibleRow, overlay: Overlay, palette: Palette, found: Map<Unit, readonly Found[]>): Mark[] {
  const marks: Mark[] = []
  const { row, layout, place } = shown
  for (const piece of row.pieces) {
    if (overlay.finder !== null) searchMarks(piece, overlay, place.index, layout, found, palette, marks)
    const { selection, cursor } = overlay
    const unit = selection !== null || cursor !== null ? ordinalOf(layout, piece.unit) : 0
    if (selection !== null) {
      const range = selectedIn(selection, place.index, unit)
      const cut = range && pieceRange(piece, range.from, range.to)
      if (cut) marks.push({ ...cut, style: palette.mono ? { inverse: true } : { bg: "selection", fg: "text" } })
    }
    if (cursor?.index === place.index && cursor.unit === unit) {
      const cell = cursorCell(row, piece, cursor.offset)
      if (cell !== undefined) marks.push({ ...cell, style: { inverse: true, underline: palette.mono } })
    }
  }
  return marks
}

function searchMarks(
  piece: Piece,
  overlay: Overlay,
  index: number,
  layout: Layout,
  found: Map<Unit, readonly Found[]>,
  palette: Palette,
  marks: Mark[],
): void {
  if (overlay.finder === null) return
  const known = found.get(piece.unit)
  const matches = known ?? overlay.finder.find(piece.unit.text)
  if (known === undefined) found.set(piece.unit, matches)
  for (const { from, to } of matches) {
    const cut = pieceRange(piece, from, to)
    if (cut === undefined) continue
    const { match } = overlay
    const current =
      match !== null && match.index === index && match.from === from && layout.units[match.unit] === piece.unit
    marks.push({ ...cut, style: matchStyle(current, palette) })
  }
}

function matchStyle(current: boolean, palette: Palette): Style {
  if (palette.mono) return current ? { inverse: true, bold: true } : { underline: true, bold: true }
  return current ? { bg: "searchCurrent", fg: "selectedListItemText", bold: true } : { bg: "searchMatch", fg: "text" }
}

/** The part of a unit that is selected. */
function selectedIn({ from, to }: Range, index: number, unit: number): { from: number; to: number } | undefined {
  const end = { index, unit, offset: Number.MAX_SAFE_INTEGER }
  if (comparePositions(end, from) < 0 || comparePositions({ index, unit, offset: 0 }, to) > 0) return undefined
  return {
    from: from.index === index && from.unit === unit ? from.offset : 0,
    to: to.index === index && to.unit === unit ? to.offset : Number.MAX_SAFE_INTEGER,
  }
}

/** The piece of an empty line that the cursor is on: there is no character to mark. */
function blankCursor({ place, row, layout }: VisibleRow, cursor: Position | null): Piece | undefined {
  if (cursor === null || cursor.index !== place.index) return undefined
  return row.pieces.find(
    ({ unit, length }) => length === 0 && unit.text === "" && ordinalOf(layout, unit) === cursor.unit,
  )
}

/** The grapheme under the cursor, or the space that stands for the end of a line. */
function cursorCell(row: Row, piece: Piece, offset: number): { from: number; to: number } | undefined {
  const inside = pieceRange(piece, offset, offset + 1)
  if (inside !== undefined) {
    const rest = row.text.slice(inside.from, inside.from + 32)
    const [first] = new Intl.Segmenter("en").segment(rest)
    return { from: inside.from, to: inside.from + (first?.segment.length ?? 1) }
  }
  if (offset !== piece.to || piece.to !== piece.unit.text.length || piece.length === 0) return undefined
  return { from: piece.at + piece.length - 1, to: piece.at + piece.length }
}

function scrollbar<B extends RowBlock>(window: Window<B>, width: number, palette: Palette): readonly SurfaceCell[] {
  const { rows, store } = window
  if (marginsOf(width).right === 0 || store.total <= rows || window.fits) return []
  const size = Math.max(1, Math.min(rows - 1, Math.round((rows * rows) / store.total)))
  const above = store.guessBefore(window.top.index) + window.top.row
  const part = window.following ? 1 : Math.min(1, above / Math.max(1, store.total - rows))
  const from = Math.round(part * (rows - size))
  const color = palette.color("scrollbarThumb") ?? palette.foreground
  return Array.from({ length: size }, (_, place) => ({ row: from + place, column: width - 1, text: "▐", color }))
}
