/** Edits as pictures: `|` is the cursor, `[` and `]` around it and the other end are a selection. */
import { expect } from "bun:test"
import type { JsonObject } from "../../src/std/json.ts"
import { actions } from "../../src/tui/editor/actions.ts"
import type { Desk } from "../../src/tui/editor/desk.ts"
import { emptyEdit, type Edit } from "../../src/tui/editor/edit.ts"
import { KillRing } from "../../src/tui/editor/kill-ring.ts"
import type { EditorMode } from "../../src/tui/state.ts"

/** `the |word`, or with a selection `the <wo|rd`, where `<` is its other end. */
export function parseEdit(picture: string): Edit {
  const anchorFirst = picture.indexOf("<")
  const cursorFirst = picture.indexOf("|")
  const text = picture.replace("|", "").replace("<", "")
  const anchor = anchorFirst === -1 ? null : anchorFirst - (cursorFirst < anchorFirst ? 1 : 0)
  const cursor = cursorFirst - (anchorFirst !== -1 && anchorFirst < cursorFirst ? 1 : 0)
  return { ...emptyEdit, text, cursor, anchor }
}

export function printEdit({ text, cursor, anchor }: Edit): string {
  if (anchor === null || anchor === cursor) return `${text.slice(0, cursor)}|${text.slice(cursor)}`
  const [first, second] = anchor < cursor ? [anchor, cursor] : [cursor, anchor]
  const marks = anchor < cursor ? (["<", "|"] as const) : (["|", "<"] as const)
  return `${text.slice(0, first)}${marks[0]}${text.slice(first, second)}${marks[1]}${text.slice(second)}`
}

export type EditRun = {
  readonly mode?: EditorMode
  readonly args?: JsonObject
  readonly ring?: KillRing
  readonly pastes?: Desk["pastes"]
}

/** One command on a picture; null where it did not apply. */
export function runEdit(
  before: string,
  command: string,
  more: EditRun = {},
): { edit: string; mode: EditorMode } | null {
  const mode = more.mode ?? "plain"
  const desk: Desk = {
    edit: parseEdit(before),
    ring: more.ring ?? new KillRing(),
    pastes: more.pastes ?? new Map(),
    mode,
    pageRows: 5,
    vertical: () => null,
  }
  const done = actions[command]?.(desk, more.args ?? {}) ?? null
  return done === null ? null : { edit: printEdit(done.edit), mode: done.mode ?? mode }
}

/** `before` becomes `after` by `command`. */
export function edit(before: string, command: string, after: string, more: EditRun = {}): void {
  expect(runEdit(before, command, more)?.edit ?? "did not apply").toBe(after)
}
