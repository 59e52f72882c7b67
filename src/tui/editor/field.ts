/**
 * OpenTUI's Textarea as a place that shows an edit: it wraps, scrolls, draws the cursor where an input method wants it, and knows rows.
 *
 * - The edit is the truth; the buffer is changed by the smallest piece that makes it equal, so that a key in a long text costs one insertion.
 * - The buffer counts in cells, and a line break as one; edits count in code units. Only this file converts.
 * - The mouse moves the buffer's cursor and selection by itself: `read` takes them over before the next edit.
 */
import { TextareaRenderable, type CliRenderer } from "@opentui/core"
import { toRgba } from "../roles.ts"
import type { Theme } from "../../home/theme.ts"
import type { Edit } from "./edit.ts"

/** What an empty editor says: the longest that fits. */
const placeholders = ["Ask anything; / for commands, @ for files, ! for the shell", "Ask anything", ""] as const

/** A width that no screen has, for measuring a text that was not laid out yet. */
const columnsMax = 10_000

export class Field {
  readonly node: TextareaRenderable
  #shown = ""
  #cursor = 0
  #anchor: number | null = null

  constructor(renderer: CliRenderer) {
    this.node = new TextareaRenderable(renderer, {
      id: "editor",
      width: "100%",
      height: "100%",
      wrapMode: "word",
      placeholder: placeholders[0],
      keyBindings: [],
      selectionOccupancy: "boundary",
    })
  }

  /** What the mouse made of cursor and selection since the last `show`. */
  read(edit: Edit): Edit {
    const cursor = this.#unit(this.node.cursorOffset)
    const selected = this.node.getSelection()
    if (selected !== null && this.#anchor === null) {
      const [from, to] = [this.#unit(selected.start), this.#unit(selected.end)]
      if (from !== to) return { ...edit, anchor: cursor === from ? to : from, cursor: cursor === from ? from : to }
    }
    return cursor === this.#cursor ? edit : { ...edit, cursor, anchor: null, marked: false }
  }

  show(edit: Edit): void {
    if (edit.text !== this.#shown) this.#patch(edit.text)
    this.#cursor = edit.cursor
    this.#anchor = edit.anchor
    const offset = this.#cells(edit.cursor)
    if (this.node.cursorOffset !== offset) this.node.cursorOffset = offset
    if (edit.anchor === null || edit.anchor === edit.cursor) this.node.clearSelection()
    else {
      const other = this.#cells(edit.anchor)
      this.node.setSelection(Math.min(offset, other), Math.max(offset, other))
    }
  }

  /** Where the cursor comes to `rows` visual rows away; null when it cannot move at all. */
  vertical(edit: Edit, rows: number): number | null {
    this.show({ ...edit, anchor: null })
    const from = this.node.cursorOffset
    for (let step = 0; step < Math.abs(rows); step++) {
      const last = this.node.cursorOffset
      if (rows < 0) this.node.moveCursorUp()
      else this.node.moveCursorDown()
      if (this.node.cursorOffset === last) break
    }
    const to = this.node.cursorOffset
    // On the first or last row the buffer jumps to its end; that is a motion of its own, not this one.
    if (to === from || this.#rowOf(from) === this.#rowOf(to)) {
      this.node.cursorOffset = from
      return null
    }
    this.#cursor = this.#unit(to)
    return this.#cursor
  }

  /** Rows that the text takes at `columns`. */
  rows(columns: number): number {
    const words = placeholders.find((text) => text.length < columns) ?? ""
    if (this.node.placeholder !== words) this.node.placeholder = words
    if (this.#shown === "") return 1
    const measured = this.node.editorView.measureForDimensions(Math.max(1, Math.min(columns, columnsMax)), 1)
    return Math.max(1, measured?.lineCount ?? 1)
  }

  theme(theme: Theme): void {
    const { colors } = theme
    this.node.textColor = toRgba(colors.text, "foreground")
    this.node.focusedTextColor = toRgba(colors.text, "foreground")
    this.node.backgroundColor = "transparent"
    this.node.focusedBackgroundColor = "transparent"
    this.node.placeholderColor = toRgba(colors.textMuted, "foreground")
    this.node.selectionBg = toRgba(colors.selection, "background")
    this.node.cursorColor = toRgba(colors.cursor, "foreground")
  }

  cursorStyle(style: "block" | "line"): void {
    this.node.cursorStyle = { style, blinking: false }
  }

  focus(on: boolean): void {
    if (on) this.node.focus()
    else this.node.blur()
  }

  #patch(text: string): void {
    const old = this.#shown
    const most = Math.min(old.length, text.length)
    let head = 0
    while (head < most && old.charCodeAt(head) === text.charCodeAt(head)) head++
    let tail = 0
    while (tail < most - head && old.charCodeAt(old.length - 1 - tail) === text.charCodeAt(text.length - 1 - tail))
      tail++
    // A piece that begins or ends inside a grapheme would be measured wrong: widen to the line.
    head = old.lastIndexOf("\n", head - 1) + 1
    const nextBreak = old.indexOf("\n", old.length - tail)
    tail = nextBreak === -1 ? 0 : old.length - nextBreak
    if (head > text.length - tail || head > old.length - tail) [head, tail] = [0, 0]
    this.#replace(head, old.length - tail, text.slice(head, text.length - tail))
    this.#shown = text
  }

  /** Code units `from` to `to` of what is shown, replaced. */
  #replace(from: number, to: number, text: string): void {
    if (from === 0 && to === this.#shown.length) {
      this.node.setText(text)
      return
    }
    const start = this.#cells(from)
    const end = start + this.node.editBuffer.measureText(this.#shown.slice(from, to))
    this.node.clearSelection()
    if (end > start) {
      this.node.setSelection(start, end)
      this.node.deleteSelection()
    }
    this.node.cursorOffset = start
    if (text !== "") this.node.insertText(text)
  }

  #cells(unit: number): number {
    return unit === 0 ? 0 : this.node.editBuffer.measureText(this.#shown.slice(0, unit))
  }

  #unit(cells: number): number {
    return cells === 0 ? 0 : this.node.getTextRange(0, cells).length
  }

  #rowOf(cells: number): number {
    const here = this.node.cursorOffset
    this.node.cursorOffset = cells
    const row = this.node.visualCursor.visualRow + this.node.scrollY
    this.node.cursorOffset = here
    return row
  }
}
