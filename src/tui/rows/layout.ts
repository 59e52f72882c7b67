/**
 * Lines to rows: the one place where text meets a width.
 *
 * - Pure and without state: the same lines, width and method give the same rows.
 * - A prefix that would leave less than `contentMin` cells for the text is cut, so that text is never squeezed out by its decoration.
 */
import {
  cellWidth,
  fitLength,
  graphemes,
  textWidth,
  widthAt,
  wrap,
  type Range,
  type WidthMethod,
} from "../../std/text.ts"
import { layoutTable } from "./table.ts"
import {
  sliceSpans,
  spansText,
  type Layout,
  type Line,
  type Piece,
  type Row,
  type RowAction,
  type RuleLine,
  type Span,
  type TextLine,
  type Unit,
} from "./row.ts"

/** Cells that a text keeps beside its prefix; narrower panes lose the prefix first. */
export const contentMin = 12

export function layoutLines(lines: readonly Line[], width: number, method: WidthMethod): Layout {
  const rows: Row[] = []
  const units: Unit[] = []
  for (const line of lines) {
    if (line.kind === "text") layoutText(line, width, method, rows, units)
    else if (line.kind === "rule") rows.push(ruleRow(line, width, method))
    else layoutTable(line, width, method, rows, units)
  }
  return { rows, units }
}

/** Collects a row, piece by piece. */
export class RowWriter {
  readonly #method: WidthMethod
  #spans: Span[] = []
  #text = ""
  #pieces: Piece[] = []

  constructor(method: WidthMethod) {
    this.#method = method
  }

  /** What belongs to no unit: prefixes, borders, padding. */
  decorate(spans: readonly Span[]): this {
    for (const one of spans) {
      if (one.text === "") continue
      this.#spans.push(one)
      this.#text += one.text
    }
    return this
  }

  /** The code units `range` of a unit, whose spans are `spans`. Tabs fill up to the tab stop of the text's own columns. */
  content(unit: number, spans: readonly Span[], range: Range): this {
    let offset = range.from
    let column = 0
    for (const { text, style } of sliceSpans(spans, range.from, range.to)) {
      if (!text.includes("\t")) {
        this.#piece(unit, offset, text.length, text.length)
        this.decorate([{ text, style }])
        offset += text.length
        column += textWidth(text, this.#method)
        continue
      }
      for (const part of text.split(/(\t)/)) {
        if (part === "") continue
        const cells = part === "\t" ? widthAt("\t", column, this.#method) : textWidth(part, this.#method)
        const shown = part === "\t" ? " ".repeat(cells) : part
        this.#piece(unit, offset, part.length, shown.length)
        this.decorate([{ text: shown, style }])
        offset += part.length
        column += cells
      }
    }
    if (range.from === range.to) this.#piece(unit, range.from, 0, 0)
    return this
  }

  take(continued: boolean, fill: Row["fill"], action?: RowAction): Row {
    const row: Row = { spans: this.#spans, text: this.#text, pieces: this.#pieces, continued, fill, action }
    this.#spans = []
    this.#text = ""
    this.#pieces = []
    return row
  }

  #piece(unit: number, from: number, units: number, length: number): void {
    const last = this.#pieces.at(-1)
    const joins = last !== undefined && last.unit === unit && last.to === from && last.length === last.to - last.from
    if (joins && units === length && last.at + last.length === this.#text.length) {
      this.#pieces[this.#pieces.length - 1] = { ...last, to: from + units, length: last.length + length }
      return
    }
    this.#pieces.push({ unit, from, to: from + units, at: this.#text.length, length })
  }
}

/** As much of a prefix as leaves room for the text. */
export function fitPrefix(spans: readonly Span[], width: number, method: WidthMethod): readonly Span[] {
  const text = spansText(spans)
  const room = Math.max(0, width - Math.min(contentMin, width))
  if (textWidth(text, method) <= room) return spans
  return sliceSpans(spans, 0, fitLength(text, room, method))
}

function layoutText(line: TextLine, width: number, method: WidthMethod, rows: Row[], units: Unit[]): void {
  const unit = units.length
  const text = spansText(line.spans)
  units.push({ text, joint: "\n" })
  const first = fitPrefix(line.first, width, method)
  const room = Math.max(1, width - textWidth(spansText(first), method))
  const writer = new RowWriter(method)
  if (line.wrap === "cut") {
    rows.push(cutRow(line, unit, first, room, method, writer))
    return
  }
  const rest = line.rest === line.first ? first : fitPrefix(line.rest, width, method)
  const restRoom = rest === first ? room : Math.max(1, width - textWidth(spansText(rest), method))
  const ranges = wrap(text, { method, by: line.wrap, first: room, rest: restRoom })
  ranges.forEach((range, place) => {
    writer.decorate(place === 0 ? first : rest).content(unit, line.spans, range)
    rows.push(writer.take(place > 0, line.fill, line.action))
  })
}

function cutRow(
  line: TextLine,
  unit: number,
  first: readonly Span[],
  room: number,
  method: WidthMethod,
  writer: RowWriter,
): Row {
  const text = spansText(line.spans)
  const wanted = line.tail ?? []
  const tailWidth = textWidth(spansText(wanted), method)
  const tail = tailWidth + contentMin <= room ? wanted : []
  const space = tail.length > 0 ? room - tailWidth : room
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
  const room = Math.max(0, width - textWidth(spansText(first), method))
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
