/**
 * Text being edited, and what edits make of it: pure. The component shows it and wraps it; nothing here knows of rows.
 *
 * - Offsets are code units and always stand between two graphemes, so no edit can leave half a character behind.
 * - `anchor` is the other end of a selection, or null. `marked` says that plain motions keep extending it.
 * - In vim's normal mode the cursor stands on a character: never after the last one of a line that has any.
 */
export type Edit = {
  readonly text: string
  readonly cursor: number
  readonly anchor: number | null
  readonly marked: boolean
}

export const emptyEdit: Edit = { text: "", cursor: 0, anchor: null, marked: false }

export type Range = { readonly from: number; readonly to: number }

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** How far around an offset graphemes are looked for: longer clusters are cut, which is only ever a matter of looks. */
const graphemeUnitsMax = 64

/** The offset after the grapheme that begins at `at`. */
export function after(text: string, at: number): number {
  if (at >= text.length) return text.length
  const first = graphemes
    .segment(text.slice(at, at + graphemeUnitsMax))
    [Symbol.iterator]()
    .next()
  return first.done === true ? text.length : at + first.value.segment.length
}

/** The offset before the grapheme that ends at `at`. */
export function before(text: string, at: number): number {
  if (at <= 0) return 0
  const from = Math.max(0, at - graphemeUnitsMax)
  let last = from
  for (const piece of graphemes.segment(text.slice(from, at))) last = from + piece.index
  return last
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

/** The selected part, in order; null where nothing is selected. */
export function selection(edit: Edit): Range | null {
  if (edit.anchor === null || edit.anchor === edit.cursor) return null
  return { from: Math.min(edit.anchor, edit.cursor), to: Math.max(edit.anchor, edit.cursor) }
}

export function selectedText(edit: Edit): string {
  const range = selection(edit)
  return range === null ? "" : edit.text.slice(range.from, range.to)
}

/** `range` replaced by `text`, the cursor after it. */
export function replace(edit: Edit, range: Range, text: string): Edit {
  const whole = edit.text.slice(0, range.from) + text + edit.text.slice(range.to)
  return { text: whole, cursor: range.from + text.length, anchor: null, marked: false }
}

/** `text` at the cursor, or in the place of what is selected. */
export function insert(edit: Edit, text: string): Edit {
  return replace(edit, selection(edit) ?? { from: edit.cursor, to: edit.cursor }, text)
}

export function remove(edit: Edit, range: Range): Edit {
  return range.from === range.to ? edit : replace(edit, range, "")
}

/** The cursor at `to`: a marked selection grows with it, any other ends. */
export function moveTo(edit: Edit, to: number): Edit {
  if (edit.marked) return { ...edit, cursor: to }
  return { ...edit, cursor: to, anchor: null }
}

/** The cursor at `to` with the selection growing to it. */
export function selectTo(edit: Edit, to: number): Edit {
  return { ...edit, cursor: to, anchor: edit.anchor ?? edit.cursor }
}

/** The two characters around the cursor swapped; at the end of a line, the two before it. */
export function transpose(edit: Edit): Edit {
  const { text, cursor } = edit
  const atEnd = cursor === lineEnd(text, cursor)
  const middle = atEnd ? before(text, cursor) : cursor
  const left = before(text, middle)
  const right = after(text, middle)
  if (middle <= lineStart(text, cursor) || right === middle) return edit
  return replace(edit, { from: left, to: right }, text.slice(middle, right) + text.slice(left, middle))
}

/** The next line joined to this one with one space, as `J` does. */
export function joinLines(edit: Edit): Edit {
  const end = lineEnd(edit.text, edit.cursor)
  if (end === edit.text.length) return edit
  const rest = edit.text.slice(end + 1)
  const indent = rest.length - rest.trimStart().length
  const space = edit.text.slice(0, end).endsWith(" ") || rest.trimStart() === "" ? "" : " "
  const joined = replace(edit, { from: end, to: end + 1 + indent }, space)
  return { ...joined, cursor: end }
}

/** The case of the character at the cursor changed, the cursor one further. */
export function toggleCase(edit: Edit): Edit {
  const to = after(edit.text, edit.cursor)
  const char = edit.text.slice(edit.cursor, to)
  if (char === "" || char === "\n") return edit
  const other = char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()
  return replace(edit, { from: edit.cursor, to }, other)
}

/** In normal mode: off the end of the line, onto its last character. */
export function onCharacter(edit: Edit): Edit {
  const start = lineStart(edit.text, edit.cursor)
  const end = lineEnd(edit.text, edit.cursor)
  if (edit.cursor < end || start === end) return edit
  return { ...edit, cursor: before(edit.text, end) }
}
