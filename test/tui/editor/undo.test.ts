import { expect, test } from "bun:test"
import { emptyEdit, insert, type Edit } from "../../../src/tui/editor/edit.ts"
import { Undo } from "../../../src/tui/editor/undo.ts"

function typed(undo: Undo, edit: Edit, text: string): Edit {
  let now = edit
  for (const char of text) {
    undo.record(now, "typing", char === " ")
    now = insert(now, char)
  }
  return now
}

test("a word that was typed is undone as one step", () => {
  const undo = new Undo()
  const edit = typed(undo, emptyEdit, "hello world")
  const back = undo.undo(edit)
  expect(back?.text).toBe("hello ")
  expect(back && undo.undo(back)?.text).toBe("")
})

test("redo gives back what undo took, until something else is typed", () => {
  const undo = new Undo()
  const edit = typed(undo, emptyEdit, "one")
  const back = undo.undo(edit)
  expect(back && undo.redo(back)?.text).toBe("one")
  const again = undo.undo(edit)
  const other = again && typed(undo, again, "two")
  expect(other && undo.redo(other)).toBeNull()
})

test("a moved cursor begins a new step", () => {
  const undo = new Undo()
  const first = typed(undo, emptyEdit, "ab")
  undo.pause()
  const second = typed(undo, first, "cd")
  expect(undo.undo(second)?.text).toBe("ab")
})

test("large texts leave fewer steps, and never none", () => {
  const undo = new Undo()
  const large = { ...emptyEdit, text: "x".repeat(3 * 1024 * 1024) }
  undo.record(large, "other")
  undo.record({ ...large, text: `${large.text}y` }, "other")
  expect(undo.undo(emptyEdit)?.text.endsWith("y")).toBe(true)
  expect(undo.undo(emptyEdit)).toBeNull()
})
