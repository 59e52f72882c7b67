/**
 * Tables in the width there is.
 *
 * - A table that fits is as wide as its cells. One that does not shares the width: narrow columns keep theirs, wide ones wrap.
 * - Where even that leaves a column under `columnMin` cells, each row of the table becomes a short list of `heading: cell`.
 */
import { textWidth, wrap, type Range, type WidthMethod } from "../../std/text.ts"
import { spansText, type Row, type Span, type TableCell, type TableLine, type Unit } from "./row.ts"
import { fitPrefix, prefixWidth, RowWriter } from "./writer.ts"

/** Under this a column holds no word. */
const columnMin = 6
const between: Span = { text: " │ ", style: { fg: "borderSubtle" } }
const betweenWidth = 3

type Placed = { readonly unit: Unit; readonly cell: TableCell; readonly text: string }

/** Cells for each column so that all fit into `room`; undefined where no column would be wide enough. */
export function columnWidths(natural: readonly number[], room: number): readonly number[] | undefined {
  const free = room - betweenWidth * Math.max(0, natural.length - 1)
  const total = natural.reduce((sum, width) => sum + width, 0)
  if (total <= free) return natural
  if (free < natural.length * columnMin) return undefined
  // The widest columns give way first: the largest cap under which all fit.
  let cap = columnMin
  const capped = (limit: number): number => natural.reduce((sum, width) => sum + Math.min(width, limit), 0)
  while (capped(cap + 1) <= free) cap += 1
  let spare = free - capped(cap)
  return natural.map((width) => {
    if (width <= cap || spare === 0) return Math.min(width, cap)
    spare -= 1
    return cap + 1
  })
}

/** The cells of a table, heading first, every row as long as the longest. */
export function tableCells(line: TableLine): readonly (readonly TableCell[])[] {
  const all = [line.head, ...line.body]
  const count = Math.max(...all.map((cells) => cells.length))
  return all.map((cells) => Array.from({ length: count }, (_, column) => cells[column] ?? []))
}

export function layoutTable(line: TableLine, width: number, method: WidthMethod, rows: Row[], units: Unit[]): void {
  const [head = [], ...body] = tableCells(line).map((cells) =>
    cells.map((cell, column): Placed => {
      const unit: Unit = { text: spansText(cell), joint: column === 0 ? "\n" : "\t" }
      units.push(unit)
      return { unit, cell, text: unit.text }
    }),
  )
  const first = fitPrefix(line.first, width, method)
  const rest = fitPrefix(line.rest, width, method)
  const taken = Math.max(prefixWidth(first, method), prefixWidth(rest, method))
  const natural = head.map((cell, column) =>
    Math.max(1, ...[cell, ...body.map((cells) => cells[column])].map((one) => textWidth(one?.text ?? "", method))),
  )
  const widths = columnWidths(natural, Math.max(1, width - taken))
  const frame = { first, rest, method, rows, start: rows.length }
  if (widths === undefined) {
    listRows(head, body, Math.max(1, width - taken), frame)
    return
  }
  tableRow(head, widths, line.align, frame)
  const rule = widths.map((cells) => "─".repeat(cells)).join("─┼─")
  rows.push(
    new RowWriter(method)
      .decorate(rest)
      .decorate([{ text: rule, style: { fg: "borderSubtle" } }])
      .take(false, undefined),
  )
  for (const cells of body) tableRow(cells, widths, line.align, frame)
}

type Frame = {
  readonly first: readonly Span[]
  readonly rest: readonly Span[]
  readonly method: WidthMethod
  readonly rows: Row[]
  readonly start: number
}

function prefixOf(frame: Frame): readonly Span[] {
  return frame.rows.length === frame.start ? frame.first : frame.rest
}

function tableRow(cells: readonly Placed[], widths: readonly number[], align: TableLine["align"], frame: Frame): void {
  const { method, rows } = frame
  const wrapped = cells.map((cell, column) => {
    const room = widths[column] ?? 1
    return wrap(cell.text, { method, by: "word", first: room, rest: room })
  })
  const height = Math.max(1, ...wrapped.map((ranges) => ranges.length))
  for (let line = 0; line < height; line++) {
    const writer = new RowWriter(method).decorate(prefixOf(frame))
    cells.forEach((cell, column) => {
      if (column > 0) writer.decorate([between])
      const range = wrapped[column]?.[line]
      const last = column === cells.length - 1
      cellContent(writer, cell, range, { room: widths[column] ?? 1, align: align[column] ?? "left", last, method })
    })
    rows.push(writer.take(line > 0, undefined))
  }
}

type CellPlace = {
  readonly room: number
  readonly align: "left" | "center" | "right"
  readonly last: boolean
  readonly method: WidthMethod
}

function cellContent(writer: RowWriter, cell: Placed, range: Range | undefined, place: CellPlace): void {
  const used = range === undefined ? 0 : textWidth(cell.text.slice(range.from, range.to), place.method)
  const spare = Math.max(0, place.room - used)
  const left = place.align === "right" ? spare : place.align === "center" ? Math.floor(spare / 2) : 0
  writer.decorate([{ text: " ".repeat(left), style: {} }])
  if (range !== undefined) writer.content(cell.unit, cell.cell, range)
  // No blanks at the end of a row: they would only be copied by terminals that select by themselves.
  if (!place.last) writer.decorate([{ text: " ".repeat(spare - left), style: {} }])
}

function listRows(head: readonly Placed[], body: readonly (readonly Placed[])[], room: number, frame: Frame): void {
  const { method, rows } = frame
  body.forEach((cells, place) => {
    if (place > 0) rows.push(new RowWriter(method).decorate(prefixOf(frame)).take(false, undefined))
    cells.forEach((cell, column) => {
      const label = head[column]
      if (label !== undefined && label.text !== "") {
        for (const range of wrap(label.text, { method, by: "word", first: room, rest: room })) {
          const writer = new RowWriter(method).decorate(prefixOf(frame)).content(label.unit, label.cell, range)
          rows.push(writer.take(range.from > 0, undefined))
        }
      }
      const inner = Math.max(1, room - 2)
      const indent = [{ text: room > inner ? "  " : "", style: {} }]
      for (const range of wrap(cell.text, { method, by: "word", first: inner, rest: inner })) {
        const writer = new RowWriter(method).decorate(prefixOf(frame)).decorate(indent)
        rows.push(writer.content(cell.unit, cell.cell, range).take(range.from > 0, undefined))
      }
    })
  })
}
