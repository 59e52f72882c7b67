/**
 * How wide text is on a terminal, and how it breaks into rows.
 *
 * - A width is in cells and belongs to a grapheme: what a reader takes for one character is measured, cut and wrapped whole.
 * - Terminals measure in two ways. `unicode`: a cluster is one or two cells. `wcwidth`: every code point counts for itself, so that skin tones,
 *   joined emoji and the emoji variation selector come out otherwise. The renderer knows which holds; nothing here guesses.
 * - Text that comes here is clean (`clean.ts`): no control characters but the tab, which fills up to the next tab stop.
 */

export type WidthMethod = "unicode" | "wcwidth"

/** Cells from one tab stop to the next, as terminals and most tools have them. */
export const tabStop = 8

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" })
const simple = /^[\x20-\x7e\t]*$/
/** Characters that are one code unit and join with no other: letters of Europe, punctuation, arrows, boxes, kana, ideographs, hangul. */
const single =
  /^[\t\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25ff\u3000-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/
const mark = /^\p{M}$/u

/** The graphemes of `text`, in order. */
export function graphemes(text: string): readonly string[] {
  if (single.test(text)) return text.split("")
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Where the native renderer and `Bun.stringWidth` differ for a code point that stands alone. */
function measureCodePoint(code: number): number {
  if (code === 0xad) return 1
  if (code === 0x3164 || code === 0xffa0) return 0
  if (code >= 0x1160 && code <= 0x11ff) return 1
  const char = String.fromCodePoint(code)
  return mark.test(char) ? 0 : Bun.stringWidth(char)
}

/** Widths of the code points up to this one are kept once measured: 3 stands for not measured yet. */
const tableSize = 0x20000
const table = new Uint8Array(tableSize).fill(3)

function codePointWidth(code: number): number {
  if (code >= 0x20 && code < 0x7f) return 1
  if (code >= tableSize) return measureCodePoint(code)
  const known = table[code] ?? 3
  if (known !== 3) return known
  return (table[code] = measureCodePoint(code))
}

/** Cells of one grapheme. A tab is 1 here: only a column tells its width. */
export function cellWidth(grapheme: string, method: WidthMethod): number {
  if (grapheme.length === 1) return grapheme === "\t" ? 1 : codePointWidth(grapheme.charCodeAt(0))
  if (grapheme.includes("\ufe0f") && method === "unicode") return 2
  let width = 0
  for (const char of grapheme) width += codePointWidth(char.codePointAt(0) ?? 0)
  // Half-width voicing marks take a cell of their own only where every code point does.
  if (method === "unicode") width -= grapheme.slice(1).match(/[\uff9e\uff9f]/g)?.length ?? 0
  return method === "unicode" ? Math.min(2, width) : width
}

/**
 * `text` as it is drawn. A terminal that counts code points may still join an emoji of several where it is told to, and then has fewer cells
 * than it counted: it is not told to. The width stays the same.
 */
export function unjoined(text: string, method: WidthMethod): string {
  return method === "wcwidth" && text.includes("\u200d") ? text.replaceAll("\u200d", "") : text
}

/** Cells that `grapheme` takes when it begins at `column`. */
export function widthAt(grapheme: string, column: number, method: WidthMethod): number {
  return grapheme === "\t" ? tabStop - (column % tabStop) : cellWidth(grapheme, method)
}

/** Cells of `text` when it begins at `column`. */
export function textWidth(text: string, method: WidthMethod, column = 0): number {
  if (simple.test(text) && !text.includes("\t")) return text.length
  let at = column
  for (const grapheme of graphemes(text)) at += widthAt(grapheme, at, method)
  return at - column
}

/** The code units of the longest beginning of `text` that fits into `width` cells. */
export function fitLength(text: string, width: number, method: WidthMethod): number {
  if (text.length <= width && simple.test(text) && !text.includes("\t")) return text.length
  let column = 0
  let length = 0
  for (const grapheme of graphemes(text)) {
    column += widthAt(grapheme, column, method)
    if (column > width) return length
    length += grapheme.length
  }
  return length
}

/** `text` in at most `width` cells, with an ellipsis where it was cut. */
export function shorten(text: string, width: number, method: WidthMethod): string {
  if (width <= 0) return ""
  const length = fitLength(text, width, method)
  if (length === text.length) return text
  return text.slice(0, fitLength(text, width - 1, method)) + "…"
}

/** Tabs as spaces, up to the next tab stop of a line that begins at `column`. */
export function expandTabs(text: string, method: WidthMethod, column = 0): string {
  if (!text.includes("\t")) return text
  let at = column
  let out = ""
  for (const grapheme of graphemes(text)) {
    if (grapheme === "\n") at = column
    const width = grapheme === "\n" ? 0 : widthAt(grapheme, at, method)
    out += grapheme === "\t" ? " ".repeat(width) : grapheme
    at += width
  }
  return out
}

/** Code units `from` to `to` (exclusive) of the text that was wrapped. What lies between two ranges is white space that a break took. */
export type Range = { readonly from: number; readonly to: number }

export type WrapOptions = {
  readonly method: WidthMethod
  /** `word` breaks between words, and inside one only where it is wider than a row; `cell` breaks wherever the row is full. */
  readonly by: "word" | "cell"
  /** Cells of the first row, and of every further one. */
  readonly first: number
  readonly rest: number
}

/** Characters that may not begin a row, and such that may not end one, where text breaks between wide characters. */
const neverFirst = /^[、。，．・：；？！）」』】〕〉》’”…ー々ゃゅょっァィゥェォャュョッ)\]}.,:;!?]/u
const neverLast = /^[（「『【〔〈《‘“([{]/u

type Scan = {
  start: number
  column: number
  /** Where the row may end, and where the next one then begins; -1 while there is no such place. */
  end: number
  next: number
}

/** Texts of this length are long enough to remember how they were wrapped, and how many are remembered. */
const rememberedMin = 2_000
const rememberedMax = 8

type Wrapped = { readonly text: string; readonly options: WrapOptions; readonly rows: readonly Range[] }

let remembered: readonly Wrapped[] = []

/**
 * The rows of one line of text: at least one range, in order; a grapheme wider than a row stands alone in one. A long line that grew at its end is
 * wrapped from its last row on: what stands above is as it was.
 */
export function wrap(text: string, options: WrapOptions): readonly Range[] {
  if (text.length < rememberedMin) return wrapWhole(text, options)
  const same = ({ options: old }: Wrapped): boolean =>
    old.method === options.method && old.by === options.by && old.first === options.first && old.rest === options.rest
  const known = remembered.find((one) => same(one) && text.startsWith(one.text))
  const kept = known === undefined ? [] : known.rows.slice(0, -1)
  const from = known?.rows.at(-1)?.from ?? 0
  const fresh = wrapWhole(text.slice(from), kept.length === 0 ? options : { ...options, first: options.rest })
  const rows = [...kept, ...fresh.map((range) => ({ from: range.from + from, to: range.to + from }))]
  remembered = [{ text, options, rows }, ...remembered.filter((one) => one !== known)].slice(0, rememberedMax)
  return rows
}

function wrapWhole(text: string, options: WrapOptions): readonly Range[] {
  const { method, by } = options
  const plain = simple.test(text)
  if (plain && text.length <= options.first && !text.includes("\t")) return [{ from: 0, to: text.length }]
  const rows: Range[] = []
  const scan: Scan = { start: 0, column: 0, end: -1, next: -1 }
  const parts = plain ? text : graphemes(text)
  let offset = 0
  let before = ""
  for (const grapheme of parts) {
    const width = widthAt(grapheme, scan.column, method)
    if (by === "word") markBreak(scan, offset, before, grapheme, width)
    before = grapheme
    // What a break leaves for the next row may, with this grapheme, be too much for that one again.
    let limit = limitOf(rows, options)
    while (overflows(scan, offset, grapheme, limit, options)) {
      rows.push(clip(text, breakRow(scan, offset, text, method), limit, method))
      limit = limitOf(rows, options)
    }
    scan.column += widthAt(grapheme, scan.column, method)
    offset += grapheme.length
  }
  const limit = limitOf(rows, options)
  rows.push(
    scan.column > limit
      ? clip(text, { from: scan.start, to: text.length }, limit, method)
      : { from: scan.start, to: text.length },
  )
  return rows
}

function limitOf(rows: readonly Range[], options: WrapOptions): number {
  return Math.max(1, rows.length === 0 ? options.first : options.rest)
}

/** Whether a row must end before `grapheme`. Spaces between words may stand beyond the edge: they are clipped. */
function overflows(scan: Scan, offset: number, grapheme: string, limit: number, options: WrapOptions): boolean {
  if (offset === scan.start) return false
  if (options.by === "word" && (grapheme === " " || grapheme === "\t")) return false
  return scan.column + widthAt(grapheme, scan.column, options.method) > limit
}

/** The range without the white space that would not fit; it is all that can be too much, but for a grapheme wider than the row. */
function clip(text: string, range: Range, limit: number, method: WidthMethod): Range {
  const inside = text.slice(range.from, range.to)
  const fits = fitLength(inside, limit, method)
  if (fits > 0 || inside === "" || inside.startsWith("\t")) return { from: range.from, to: range.from + fits }
  return { from: range.from, to: range.from + (graphemes(inside)[0]?.length ?? 0) }
}

/** Notes that the row may end before `grapheme`. Spaces at a break belong to no row. */
function markBreak(scan: Scan, offset: number, before: string, grapheme: string, width: number): void {
  if (offset === scan.start) return
  const spaceBefore = before === " " || before === "\t"
  const space = grapheme === " " || grapheme === "\t"
  if (space) {
    if (!spaceBefore) scan.end = offset
    return
  }
  if (spaceBefore) {
    scan.next = offset
    return
  }
  const between = width === 2 || (before !== "" && before.charCodeAt(0) > 0x2e7f)
  if (between && !neverFirst.test(grapheme) && !neverLast.test(before)) {
    scan.end = offset
    scan.next = offset
  }
}

/** Ends the row at its last break, or right here, and begins the next one. */
function breakRow(scan: Scan, offset: number, text: string, method: WidthMethod): Range {
  const from = scan.start
  const usable = scan.end > from && scan.next > from
  const to = usable ? scan.end : offset
  scan.start = usable ? scan.next : offset
  scan.end = -1
  scan.next = -1
  scan.column = textWidth(text.slice(scan.start, offset), method)
  return { from, to }
}
