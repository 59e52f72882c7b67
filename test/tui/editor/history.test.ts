import { expect, test } from "bun:test"
import { historyMax, newer, older, remember, textAt } from "../../../src/tui/editor/history.ts"

const items = ["fix the bug", "write a test", "fix the lint"]

test("the walk goes back to the oldest and forward to the draft it began with", () => {
  const start = { draft: "", place: items.length }
  const first = older(items, start)
  expect(first && textAt(items, first)).toBe("fix the lint")
  const second = first && older(items, first)
  const third = second && older(items, second)
  expect(third && textAt(items, third)).toBe("fix the bug")
  expect(third && older(items, third)).toBeNull()
  const back = first && newer(items, first)
  expect(back && textAt(items, back)).toBe("")
})

test("with a draft the walk stops only at inputs that begin alike", () => {
  const first = older(items, { draft: "fix", place: items.length })
  const second = first && older(items, first)
  expect(first && textAt(items, first)).toBe("fix the lint")
  expect(second && textAt(items, second)).toBe("fix the bug")
})

test("the same input twice in a row is kept once, and blank ones never", () => {
  expect(remember(items, "fix the lint")).toBe(items)
  expect(remember(items, "  ")).toBe(items)
  expect(remember(items, "fix the bug")).toEqual([...items, "fix the bug"])
})

test("the oldest go when there are too many", () => {
  const many = Array.from({ length: historyMax }, (_, at) => String(at))
  const next = remember(many, "new")
  expect(next.length).toBe(historyMax)
  expect(next[0]).toBe("1")
})
