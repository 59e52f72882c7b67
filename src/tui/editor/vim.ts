/**
 * The commands that only a modal keymap needs: modes, operators over motions and objects, putting back.
 *
 * - A text that ends in a line break, as lines are killed, is put back as lines.
 * - Leaving insert mode puts the cursor on a character; visual modes select with every motion and end with an operator.
 */
import type { EditorMode } from "../state.ts"
import { target, type Action, type Desk, type Done } from "./desk.ts"
import {
  after,
  before,
  lineEnd,
  lineStart,
  onCharacter,
  remove,
  replace,
  selection,
  type Edit,
  type Range,
} from "./edit.ts"
import { isMotion, move, object } from "./motions.ts"
import { wholeMarks } from "./paste.ts"

const modes: readonly EditorMode[] = ["insert", "normal", "visual", "visualLine"]

export const setMode: Action = (desk, args) => {
  const mode = modes.find((name) => name === args.to)
  if (mode === undefined) return null
  const at = typeof args.at === "string" ? target({ ...desk, mode: "insert" }, args.at) : null
  const { edit } = desk
  if (mode === "insert") return { mode, edit: { ...edit, cursor: at ?? edit.cursor, anchor: null, marked: false } }
  if (mode === "normal") {
    if (desk.mode === "normal") return null
    const start = lineStart(edit.text, edit.cursor)
    const back = desk.mode === "insert" && edit.cursor > start ? before(edit.text, edit.cursor) : edit.cursor
    return { mode, edit: onCharacter({ ...edit, cursor: at ?? back, anchor: null, marked: false }) }
  }
  return { mode, edit: { ...edit, anchor: edit.anchor ?? edit.cursor } }
}

/** What a visual selection holds: in vim the character under the cursor belongs to it. */
function visualRange({ edit, mode }: Desk): Range | null {
  const anchor = edit.anchor ?? edit.cursor
  const from = Math.min(anchor, edit.cursor)
  const to = Math.max(anchor, edit.cursor)
  if (mode === "visualLine") {
    const end = lineEnd(edit.text, to)
    return { from: lineStart(edit.text, from), to: Math.min(edit.text.length, end + 1) }
  }
  if (mode === "visual") return { from, to: after(edit.text, to) }
  return selection(edit)
}

/** The range that an operator works on, and whether it is whole lines. */
function operand(desk: Desk, over: string): { readonly range: Range; readonly lines: boolean } | null {
  const { edit } = desk
  if (over === "selection") {
    const range = visualRange(desk)
    return range && { range, lines: desk.mode === "visualLine" }
  }
  if (over === "line") {
    const end = lineEnd(edit.text, edit.cursor)
    return {
      range: { from: lineStart(edit.text, edit.cursor), to: Math.min(edit.text.length, end + 1) },
      lines: true,
    }
  }
  if (isMotion(over)) {
    const end = over === "wordEnd" ? move(edit.text, edit.cursor, "wordRight") : move(edit.text, edit.cursor, over)
    return { range: { from: Math.min(edit.cursor, end), to: Math.max(edit.cursor, end) }, lines: false }
  }
  const range = object(edit.text, edit.cursor, over)
  return range && { range, lines: false }
}

/** Whole lines gone: at the end of the text, the break before them goes with them. */
function removeLines(edit: Edit, range: Range): Edit {
  const last = range.to === edit.text.length && range.from > 0
  const next = remove(edit, last ? { from: range.from - 1, to: range.to } : range)
  return { ...next, cursor: lineStart(next.text, Math.min(range.from, next.text.length)) }
}

export const operate: Action = (desk, args) => {
  const found = typeof args.over === "string" ? operand(desk, args.over) : null
  if (found === null) return null
  const { edit } = desk
  const range = wholeMarks(edit.text, desk.pastes, found.range)
  const text = edit.text.slice(range.from, range.to)
  const kept = found.lines && !text.endsWith("\n") ? `${text}\n` : text
  desk.ring.rest()
  desk.ring.kill(kept, false)
  desk.ring.rest()
  const rest: EditorMode = desk.mode === "visual" || desk.mode === "visualLine" ? "normal" : desk.mode
  if (args.do === "copy") {
    const still = { ...edit, cursor: range.from, anchor: null, marked: false }
    return { edit: rest === "normal" ? onCharacter(still) : still, mode: rest, copied: kept }
  }
  if (args.do === "change") {
    const keepBreak = found.lines && text.endsWith("\n")
    return { edit: remove(edit, { from: range.from, to: keepBreak ? range.to - 1 : range.to }), mode: "insert" }
  }
  if (range.from === range.to) return null
  const next = found.lines ? removeLines(edit, range) : remove(edit, range)
  return { edit: rest === "normal" ? onCharacter(next) : next, mode: rest }
}

/** What was killed or copied last, after or before the cursor; whole lines on lines of their own. */
export function put(desk: Desk, behind: boolean): Done | null {
  const text = desk.ring.newest
  if (text === undefined) return null
  const { edit } = desk
  if (text.endsWith("\n")) {
    const at = behind ? lineEnd(edit.text, edit.cursor) : lineStart(edit.text, edit.cursor)
    const lines = behind ? `\n${text.slice(0, -1)}` : text
    return { edit: { ...replace(edit, { from: at, to: at }, lines), cursor: behind ? at + 1 : at } }
  }
  const end = lineEnd(edit.text, edit.cursor)
  const at = behind && edit.cursor < end ? after(edit.text, edit.cursor) : edit.cursor
  const next = replace(edit, { from: at, to: at }, text)
  return { edit: desk.mode === "normal" ? onCharacter({ ...next, cursor: before(next.text, next.cursor) }) : next }
}
