/**
 * Lines to rows: the one place where text meets a width.
 *
 * - Pure and without state: the same lines, width and method give the same rows.
 */
import { cellWidth, fitLength, graphemes, textWidth, wrap, type WidthMethod } from "../../std/text.ts"
import { drawingFits, layoutDrawing } from "./drawing.ts"
import { layoutTable } from "./table.ts"
import {
  spansText,
  type Layout,
  type Line,
  type Row,
  type RuleLine,
  type Span,
  type TextLine,
  type Unit,
} from "./row.ts"
import { contentMin, fitPrefix, prefixWidth, RowWriter } from "./writer.ts"

export function layoutLines(lines: readonly Line[], width: number, method: WidthMethod): Layout {
  const rows: Row[] = []
  const units: Unit[] = []
  for (const line of lines) {
    if (line.kind === "text") layoutText(line, width, method, rows, units)
    else if (line.kind === "rule") rows.push(ruleRow(line, width, method))
    else if (line.kind === "table") layoutTable(line, width, method, rows, units)
    else if (drawingFits(line, width, method)) layoutDrawing(line, width, method, rows, units)
    else {
      for (const [place, one] of line.source.entries()) {
        layoutText({ ...one, first: place === 0 ? line.first : line.rest, rest: line.rest }, width, method, rows, units)
      }
    }
  }
  return { rows, units }
}

function layoutText(line: TextLine, width: number, method: WidthMethod, rows: Row[], units: Unit[]): void {
  const unit: Unit = {
    text: spansText(line.spans),
    joint: "\n",
    ...(line.code === undefined ? {} : { code: line.code }),
  }
  const { text } = unit
  units.push(unit)
  const first = fitPrefix(line.first, width, method)
  const room = Math.max(1, width - prefixWidth(first, method))
  const writer = new RowWriter(method)
  if (line.wrap === "cut") {
    rows.push(cutRow(line, unit, first, room, method, writer))
    return
  }
  const rest = line.rest === line.first ? first : fitPrefix(line.rest, width, method)
  const restRoom = rest === first ? room : Math.max(1, width - prefixWidth(rest, method))
  const ranges = wrap(text, { method, by: line.wrap, first: room, rest: restRoom })
  ranges.forEach((range, place) => {
    writer.decorate(place === 0 ? first : rest).content(unit, line.spans, range)
    rows.push(writer.take(place > 0, line.fill, line.action))
  })
}

function cutRow(
  line: TextLine,
  unit: Unit,
  first: readonly Span[],
  room: number,
  method: WidthMethod,
  writer: RowWriter,
): Row {
  const { text } = unit
  const widthOf = (spans: readonly Span[]): number => textWidth(spansText(spans), method)
  let tail = line.tail ?? []
  // What matters most stands first, and stays longest.
  while (tail.length > 0 && widthOf(tail) + contentMin > room) tail = tail.slice(0, -1)
  const space = room - widthOf(tail)
  writer.decorate(first)
  if (textWidth(text, method) <= space) {
    writer.content(unit, line.spans, { from: 0, to: text.length })
  } else {
    const to = fitLength(text, space - 1, method)
    writer.content(unit, line.spans, { from: 0, to })
    writer.decorate([{ text: "…", style: line.spans.at(-1)?.style ?? {} }])
  }
  return writer.decorate(tail).take(false, line.fill, line.action)
}

function ruleRow(line: RuleLine, width: number, method: WidthMethod): Row {
  const first = fitPrefix(line.first, width, method)
  const room = Math.max(0, width - prefixWidth(first, method))
  return new RowWriter(method)
    .decorate(first)
    .decorate([{ text: "─".repeat(room), style: line.style }])
    .take(false, undefined)
}

/** The column, counted from the row's left edge, at which code unit `offset` of its text is drawn. */
export function columnOf(row: Row, offset: number, method: WidthMethod): number {
  return textWidth(row.text.slice(0, offset), method)
}

/** The code unit of a row's text that is drawn at `column`: the start of the grapheme there, or the text's length behind its end. */
export function offsetAt(row: Row, column: number, method: WidthMethod): number {
  let at = 0
  let offset = 0
  for (const grapheme of graphemes(row.text)) {
    at += cellWidth(grapheme, method)
    if (at > column) return offset
    offset += grapheme.length
  }
  return offset
}
