/**
 * Puts a row together, and keeps the account of which part of it shows which part of a unit.
 *
 * - A prefix that would leave less than `contentMin` cells for the text is cut, so that text is never squeezed out by its decoration.
 */
import { fitLength, textWidth, widthAt, type Range, type WidthMethod } from "../../std/text.ts"
import { sliceSpans, spansText, type Piece, type Row, type RowAction, type Span, type Unit } from "./row.ts"

/** Cells that a text keeps beside its prefix; narrower panes lose the prefix first. */
export const contentMin = 12

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
  content(unit: Unit, spans: readonly Span[], range: Range): this {
    const tabs = unit.text.slice(range.from, range.to).includes("\t")
    let offset = range.from
    let column = 0
    for (const { text, style } of sliceSpans(spans, range.from, range.to)) {
      if (!text.includes("\t")) {
        this.#piece(unit, offset, text.length, text.length)
        this.decorate([{ text, style }])
        offset += text.length
        // Columns matter to tabs alone.
        if (tabs) column += textWidth(text, this.#method)
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

  #piece(unit: Unit, from: number, units: number, length: number): void {
    const last = this.#pieces.at(-1)
    const joins = last !== undefined && last.unit === unit && last.to === from && last.length === last.to - last.from
    if (joins && units === length && last.at + last.length === this.#text.length) {
      this.#pieces[this.#pieces.length - 1] = { ...last, to: from + units, length: last.length + length }
      return
    }
    this.#pieces.push({ unit, from, to: from + units, at: this.#text.length, length })
  }
}

/** Prefixes are few and come again on every row. */
const prefixWidths = new Map<string, number>()
const prefixWidthsMax = 1_000

/** Cells of a prefix. */
export function prefixWidth(spans: readonly Span[], method: WidthMethod): number {
  if (spans.length === 0) return 0
  const text = spansText(spans)
  const key = `${method} ${text}`
  const known = prefixWidths.get(key)
  if (known !== undefined) return known
  if (prefixWidths.size >= prefixWidthsMax) prefixWidths.clear()
  const width = textWidth(text, method)
  prefixWidths.set(key, width)
  return width
}

/** As much of a prefix as leaves room for the text. */
export function fitPrefix(spans: readonly Span[], width: number, method: WidthMethod): readonly Span[] {
  const room = Math.max(0, width - Math.min(contentMin, width))
  if (prefixWidth(spans, method) <= room) return spans
  return sliceSpans(spans, 0, fitLength(spansText(spans), room, method))
}
