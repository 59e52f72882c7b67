/**
 * What the `editor.*` commands make of the text. Each is a function of the desk; null says that it did not apply.
 *
 * - Deletions of more than a character go to the kill ring. A range that touches the mark of a paste takes the whole mark.
 * - Motions by rows are the component's, since only it knows how the text wraps.
 */
import {
  after,
  before,
  joinLines,
  lineEnd,
  lineStart,
  moveTo,
  onCharacter,
  remove,
  replace,
  selectedText,
  selection,
  selectTo,
  toggleCase,
  transpose,
  type Edit,
  type Range,
} from "./edit.ts"
import { target, type Action, type Desk, type Done } from "./desk.ts"
import { move } from "./motions.ts"
import { wholeMarks } from "./paste.ts"
import { operate, put, setMode } from "./vim.ts"

const motionNames = [
  "left",
  "right",
  "wordLeft",
  "wordRight",
  "wordStartRight",
  "lineStart",
  "lineTextStart",
  "lineEnd",
  "start",
  "end",
] as const

function motion(name: string): Action {
  return (desk) => {
    const to = target(desk, name)
    if (to === null) return null
    const visual = desk.mode === "visual" || desk.mode === "visualLine"
    const moved = visual ? selectTo(desk.edit, to) : moveTo(desk.edit, to)
    return { edit: desk.mode === "normal" ? onCharacter(moved) : moved }
  }
}

/** Deletes from the cursor to where `to` says, and keeps it. What is selected goes instead, where there is any. */
function kill(to: (desk: Desk) => number): Action {
  return (desk) => {
    const { edit } = desk
    const end = to(desk)
    const range = selection(edit) ?? { from: Math.min(edit.cursor, end), to: Math.max(edit.cursor, end) }
    const whole = wholeMarks(edit.text, desk.pastes, range)
    if (whole.from === whole.to) return null
    desk.ring.kill(edit.text.slice(whole.from, whole.to), end < edit.cursor)
    return { edit: remove(edit, whole) }
  }
}

function erase(to: (desk: Desk) => number): Action {
  return (desk) => {
    const { edit } = desk
    const end = to(desk)
    const range = selection(edit) ?? { from: Math.min(edit.cursor, end), to: Math.max(edit.cursor, end) }
    const whole = wholeMarks(edit.text, desk.pastes, range)
    return whole.from === whole.to ? null : { edit: remove(edit, whole) }
  }
}

const to = (name: "left" | "right" | "wordLeft" | "wordRight") => (desk: Desk) =>
  move(desk.edit.text, desk.edit.cursor, name)

function toLineStart({ edit }: Desk): number {
  const start = lineStart(edit.text, edit.cursor)
  // At the start already, the line break before it goes: the key can be held down.
  return start === edit.cursor ? before(edit.text, start) : start
}

function toLineEnd({ edit }: Desk): number {
  const end = lineEnd(edit.text, edit.cursor)
  return end === edit.cursor ? after(edit.text, end) : end
}

/** The whole line with the break that ends it, or the one before it where it is the last. */
export function lineRange(text: string, at: number): Range {
  const from = lineStart(text, at)
  const end = lineEnd(text, at)
  if (end < text.length) return { from, to: end + 1 }
  return { from: Math.max(0, from - 1), to: end }
}

const deleteLine: Action = (desk) => {
  const range = lineRange(desk.edit.text, desk.edit.cursor)
  if (range.from === range.to) return null
  const { text, cursor } = desk.edit
  desk.ring.kill(`${text.slice(lineStart(text, cursor), lineEnd(text, cursor))}\n`, false)
  return { edit: remove(desk.edit, range) }
}

const select: Action = (desk, args) => {
  const to = typeof args.to === "string" ? target(desk, args.to) : null
  return to === null ? null : { edit: selectTo(desk.edit, to) }
}

const setMark: Action = ({ edit }) =>
  edit.marked
    ? { edit: { ...edit, marked: false, anchor: null } }
    : { edit: { ...edit, marked: true, anchor: edit.cursor } }

const copy: Action = (desk) => {
  const text = selectedText(desk.edit)
  if (text === "") return null
  desk.ring.kill(text, false)
  desk.ring.rest()
  return { edit: { ...desk.edit, anchor: null, marked: false }, copied: text }
}

const cut: Action = (desk) => {
  const range = selection(desk.edit)
  if (range === null) return null
  const text = selectedText(desk.edit)
  desk.ring.kill(text, false)
  return { edit: remove(desk.edit, range), copied: text }
}

/** An edit that may have changed nothing. */
function changed(edit: Edit, next: Edit): Done | null {
  return next === edit ? null : { edit: next }
}

const yank: Action = (desk) => {
  const next = desk.ring.yank(desk.edit)
  return next === null ? null : { edit: next }
}

const yankPop: Action = (desk) => {
  const next = desk.ring.yankPop(desk.edit)
  return next === null ? null : { edit: next }
}

const open: Action = ({ edit }, args) => {
  const above = args.where === "above"
  const at = above ? lineStart(edit.text, edit.cursor) : lineEnd(edit.text, edit.cursor)
  const next = replace(edit, { from: at, to: at }, "\n")
  return { edit: above ? { ...next, cursor: at } : next, mode: "insert" }
}

const selectAll: Action = ({ edit }) =>
  edit.text === "" ? null : { edit: { ...edit, anchor: 0, cursor: edit.text.length } }

/** Commands by the part of their name after `editor.`. */
export const actions: Readonly<Record<string, Action>> = {
  ...Object.fromEntries([...motionNames, "up", "down", "pageUp", "pageDown"].map((name) => [name, motion(name)])),
  deleteBack: erase(to("left")),
  deleteForward: erase(to("right")),
  deleteWordBack: kill(to("wordLeft")),
  deleteWordForward: kill(to("wordRight")),
  deleteToLineStart: kill(toLineStart),
  deleteToLineEnd: kill(toLineEnd),
  deleteLine,
  transpose: ({ edit }) => changed(edit, transpose(edit)),
  toggleCase: ({ edit, mode }) => {
    const next = changed(edit, toggleCase(edit))
    return next && mode === "normal" ? { edit: onCharacter(next.edit) } : next
  },
  joinLines: ({ edit }) => changed(edit, joinLines(edit)),
  yank,
  yankPop,
  putAfter: (desk) => put(desk, true),
  putBefore: (desk) => put(desk, false),
  setMark,
  select,
  selectAll,
  copy,
  cut,
  open,
  mode: setMode,
  operate,
}
