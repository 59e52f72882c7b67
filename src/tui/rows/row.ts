/**
 * What the screen is made of. A block gives lines, which know nothing of a width; laying out gives rows, which are drawn.
 *
 * - A style names roles of the theme, so that rows outlive a change of theme. `Color` is for what a command printed in colours of its own.
 * - A unit is a piece of text as it was written: one line of a text, one cell of a table. A match, a selection and a copy are in terms of
 *   units, so they mean the same at every width and hold no border, gutter or wrap.
 * - A row holds no control character, and never more cells than the width it was laid out for, but for a single grapheme wider than that.
 */
import type { Color } from "../../home/color.ts"
import type { Role } from "../../home/roles.ts"

export type Style = {
  readonly fg?: Role | Color
  readonly bg?: Role | Color
  readonly bold?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly dim?: boolean
  readonly strike?: boolean
  readonly inverse?: boolean
  /** An address that the terminal may open: cleaned, absolute. */
  readonly link?: string
}

export type Span = { readonly text: string; readonly style: Style }

/** A piece of code that stands in a text; its lines are known by being of the same object. */
export type CodeBlock = { readonly text: string }

/** What a click on a row does. */
export type RowAction = "fold" | "open"

/** A line of text. `first` stands before its first row and `rest` before each further one: marks, indents, quote bars, gutters. */
export type TextLine = {
  readonly kind: "text"
  readonly first: readonly Span[]
  readonly rest: readonly Span[]
  readonly spans: readonly Span[]
  /** `word` and `cell` wrap; `cut` is one row with an ellipsis, in which `tail` keeps its place, as many of its spans as fit. */
  readonly wrap: "word" | "cell" | "cut"
  readonly tail?: readonly Span[]
  /** Behind the whole row, to its end. */
  readonly fill?: Role | Color
  readonly action?: RowAction
  /** The code that it is a line of. */
  readonly code?: CodeBlock
}

export type TableCell = readonly Span[]
export type TableLine = {
  readonly kind: "table"
  readonly first: readonly Span[]
  readonly rest: readonly Span[]
  readonly head: readonly TableCell[]
  readonly body: readonly (readonly TableCell[])[]
  readonly align: readonly ("left" | "center" | "right")[]
}

/** A drawing made of text, with its words, and the lines that say the same where there is no room for it. */
export type DrawingLine = {
  readonly kind: "drawing"
  readonly first: readonly Span[]
  readonly rest: readonly Span[]
  readonly rows: readonly {
    readonly text: string
    readonly labels: readonly { readonly text: string; readonly at: number }[]
  }[]
  readonly source: readonly TextLine[]
}

/** A line across the page. */
export type RuleLine = { readonly kind: "rule"; readonly first: readonly Span[]; readonly style: Style }

export type Line = TextLine | TableLine | DrawingLine | RuleLine

/** `joint` is what stands before it when several are copied: a line of its own, or beside the unit before it. */
export type Unit = { readonly text: string; readonly joint: "\n" | "\t"; readonly code?: CodeBlock }

/** Code units `at` to `at + length` of a row show `from` to `to` of a unit. The lengths differ only where a tab became spaces. */
export type Piece = {
  readonly unit: Unit
  readonly from: number
  readonly to: number
  readonly at: number
  readonly length: number
}

export type Row = {
  readonly spans: readonly Span[]
  readonly text: string
  readonly pieces: readonly Piece[]
  /** True where the row goes on with the line of the row above. */
  readonly continued: boolean
  readonly fill?: Role | Color
  readonly action?: RowAction
}

export type Layout = { readonly rows: readonly Row[]; readonly units: readonly Unit[] }

export const emptyLayout: Layout = { rows: [], units: [] }

/** A plain line: the common case. */
export function textLine(spans: readonly Span[], more: Partial<Omit<TextLine, "kind" | "spans">> = {}): TextLine {
  return { kind: "text", first: [], rest: more.rest ?? more.first ?? [], spans, wrap: "word", ...more }
}

export const blankLine: TextLine = textLine([])

export function span(text: string, style: Style = {}): Span {
  return { text, style }
}

export function spansText(spans: readonly Span[]): string {
  return spans.length === 1 ? (spans[0]?.text ?? "") : spans.map(({ text }) => text).join("")
}

/** The code units `from` to `to` of spans that stand one after the other. */
export function sliceSpans(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const out: Span[] = []
  let at = 0
  for (const { text, style } of spans) {
    const start = Math.max(0, from - at)
    const end = Math.min(text.length, to - at)
    if (start === 0 && end === text.length) out.push({ text, style })
    else if (start < end) out.push({ text: text.slice(start, end), style })
    at += text.length
    if (at >= to) break
  }
  return out
}

/** `spans` with `style` laid over theirs. */
export function restyle(spans: readonly Span[], style: Style): readonly Span[] {
  return spans.map((one) => ({ text: one.text, style: { ...one.style, ...style } }))
}

/** `lines` behind a prefix: `first` before the first row of all, `rest` before every other one. */
export function prefixLines(
  lines: readonly Line[],
  first: readonly Span[],
  rest: readonly Span[] = first,
): readonly Line[] {
  return lines.map((line, place) => {
    const before = place === 0 ? first : rest
    if (line.kind === "rule") return { ...line, first: [...before, ...line.first] }
    return { ...line, first: [...before, ...line.first], rest: [...rest, ...line.rest] }
  })
}
