/** Lists that are made from the program's tables are what the tables say. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { withLists } from "../src/build-lists.ts"

const readme = readFileSync(join(import.meta.dir, "../README.md"), "utf8")

test("the lists in README.md are what the tables say: else run `bun run lists`", () => {
  expect(withLists(readme)).toBe(readme)
})

test("a list without its marks is told, not left out", () => {
  expect(() => withLists(readme.replace("<!-- /settings -->", ""))).toThrow("no marks for the list of settings")
})
