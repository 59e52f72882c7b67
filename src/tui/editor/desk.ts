/** What the commands of the editor work on, and what they give. */
import type { JsonObject } from "../../std/json.ts"
import type { EditorMode } from "../state.ts"
import type { Edit } from "./edit.ts"
import type { KillRing } from "./kill-ring.ts"
import { isMotion, move } from "./motions.ts"
import type { Pastes } from "./paste.ts"

/** What an action works on. `vertical` moves by visual rows; null at the first or last one. */
export type Desk = {
  readonly edit: Edit
  readonly ring: KillRing
  readonly pastes: Pastes
  readonly mode: EditorMode
  readonly pageRows: number
  vertical(edit: Edit, rows: number): number | null
}

/** What came of it. `copied` goes to the clipboard. */
export type Done = { readonly edit: Edit; readonly mode?: EditorMode; readonly copied?: string }

export type Action = (desk: Desk, args: JsonObject) => Done | null

/** Where a motion by name leads, rows included; null where it cannot. */
export function target(desk: Desk, name: string): number | null {
  const { edit } = desk
  const rows = { up: -1, down: 1, pageUp: -desk.pageRows, pageDown: desk.pageRows }[name]
  if (rows !== undefined) return desk.vertical(edit, rows)
  if (!isMotion(name)) return null
  // In normal mode the cursor is on a character, so the end of a word is its last one.
  const command = desk.mode === "normal" || desk.mode === "visual"
  return move(edit.text, edit.cursor, name === "wordRight" && command ? "wordEnd" : name)
}
