import { describe, expect, test } from "bun:test"
import { fuzzy } from "../../src/std/fuzzy.ts"

const commands = [
  { name: "model.select", title: "Choose the model" },
  { name: "theme.select", title: "Choose the theme" },
  { name: "session.select", title: "Open another session" },
  { name: "app.quit", title: "Quit" },
]

const found = (query: string, limit?: number): readonly string[] =>
  fuzzy(query, commands, ({ name, title }) => [title, name], limit).map(({ item }) => item.name)

describe("a list is narrowed", () => {
  test("by nothing to itself, in its order", () => {
    expect(found("")).toEqual(commands.map(({ name }) => name))
    expect(found("  ", 2)).toEqual(["model.select", "theme.select"])
  })

  test("by a few letters, the best first", () => {
    expect(found("theme")[0]).toBe("theme.select")
    expect(found("qt")).toEqual(["app.quit"])
    expect(found("mdl")).toContain("model.select")
  })

  test("by words in any order and in any of an item's texts", () => {
    expect(found("session open")[0]).toBe("session.select")
    expect(found("choose theme.sel")[0]).toBe("theme.select")
  })

  test("to nothing where nothing matches", () => expect(found("xyzzy")).toEqual([]))

  test("to no more than was asked for", () => expect(found("select", 2)).toHaveLength(2))
})

test("an exact match stands before one that only begins so", () => {
  const names = ["reader", "read", "thread"]
  expect(fuzzy("read", names, (name) => [name]).map(({ item }) => item)[0]).toBe("read")
})

test("an empty list and items without texts are no trouble", () => {
  expect(fuzzy("a", [], () => [])).toEqual([])
  expect(fuzzy("a", ["x"], () => [])).toEqual([])
})
