import { expect, test } from "bun:test"
import type { Frame } from "../../../src/protocol/port.ts"
import type { EntryRecord } from "../../../src/protocol/records.ts"
import { defaultSlots } from "../../../src/tui/options.ts"
import { startState, type ScreenState } from "../../../src/tui/state.ts"
import { update } from "../../../src/tui/update.ts"
import { darkTheme } from "../../support/screen-shelves.ts"

const start: ScreenState = startState({
  size: { columns: 80, rows: 24 },
  theme: darkTheme,
  keymap: "default",
  slots: defaultSlots,
  mouse: true,
  now: 0,
  interrupted: null,
})

const entry = (id: number): EntryRecord => ({
  id,
  conversation: 1,
  at: 0,
  byTask: null,
  data: { kind: "notice", level: "info", code: "x", text: String(id) },
})

function snapshot(ids: readonly number[], older: boolean, session = "one"): Frame {
  return {
    type: "snapshot",
    seq: 1,
    state: {
      session,
      epoch: 1,
      conversations: [{ id: 1, parent: null, owner: null }],
      entries: ids.map(entry),
      older: older ? [1] : [],
      tasks: [],
      submissions: [],
      documents: [],
      spools: [],
      held: null,
      health: { state: "ok", reason: "" },
    },
  }
}

const ids = (state: ScreenState): readonly number[] => state.view.entries.map(({ id }) => id)

function read(frames: readonly Frame[], page: readonly number[]): ScreenState {
  const [first, ...rest] = frames
  const opened = first === undefined ? start : update(start, { type: "frame", frame: first })
  const paged = update(opened, { type: "older", conversation: 1, page: page.map(entry), more: false })
  return rest.reduce((state, frame) => update(state, { type: "frame", frame }), paged)
}

test("a snapshot of the same session keeps the older entries that were read", () => {
  const state = read([snapshot([5, 6], true), snapshot([6, 7], true)], [3, 4])
  expect(ids(state)).toEqual([3, 4, 5, 6, 7])
  expect(state.view.older.has(1)).toBe(false)
})

test("older entries go where a snapshot leaves a gap to them", () => {
  const state = read([snapshot([5, 6], true), snapshot([9, 10], true)], [3, 4])
  expect(ids(state)).toEqual([9, 10])
  expect(state.view.older.has(1)).toBe(true)
})

test("another session's snapshot brings nothing of the one before", () => {
  const state = read([snapshot([5, 6], true), snapshot([7], true, "two")], [3, 4])
  expect(ids(state)).toEqual([7])
})

test("hiding the panel that has the focus gives it to the editor", () => {
  const focused = update(start, { type: "focus", focus: { area: "panel", id: "tool" } })
  const hidden = update(focused, { type: "panel.show", id: "tool", shown: false })
  expect(hidden.focus).toEqual({ area: "editor" })
  expect(hidden.place.front).toBe("chat")
})

test("a panel is in one slot only, wherever it is moved", () => {
  const moved = update(start, { type: "panel.move", id: "tool", to: "bottom" })
  expect(moved.place.slots.side.stack).toEqual(["plan"])
  expect(moved.place.slots.bottom).toEqual(["tool"])
})

test("an event that changes nothing gives the same state", () => {
  expect(update(start, { type: "keys", keys: [], hints: false })).toBe(start)
  expect(update(start, { type: "toast", toast: null })).toBe(start)
  expect(update(start, { type: "focus", focus: { area: "editor" } })).toBe(start)
})
