import { expect, test } from "bun:test"
import { fuzzy } from "../../src/std/fuzzy.ts"

const paths = ["src/tui/editor/editor.ts", "src/tui/app.ts", "README.md", "test/tui/editor.test.ts"]
const find = (query: string): readonly string[] =>
  fuzzy(query, paths, (path) => [path.slice(path.lastIndexOf("/") + 1), path]).map(({ item }) => item)

test("an empty query keeps every item in its order", () => {
  expect(find("")).toEqual(paths)
  expect(find("  ")).toEqual(paths)
})

test("the best match stands first, and what does not match is left out", () => {
  expect(find("app")).toEqual(["src/tui/app.ts"])
  expect(find("editor")[0]).toBe("src/tui/editor/editor.ts")
  expect(find("zzz")).toEqual([])
})

test("words of a query may match in different parts", () => {
  expect(find("tui app")).toEqual(["src/tui/app.ts"])
})

test("no more is given than was asked for", () => {
  expect(fuzzy("t", paths, (path) => [path], 2).length).toBe(2)
})
