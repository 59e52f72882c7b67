import { expect, test } from "bun:test"
import { complete, step, tokenAt } from "../../../src/tui/editor/completion.ts"
import { indexPaths, narrowPaths } from "../../../src/tui/editor/path-index.ts"

const commands = [
  { name: "model", title: "choose the model", args: "[name]" },
  { name: "new", title: "start a new session" },
]
const breathe = (): Promise<void> => Promise.resolve()
const paths = await indexPaths(
  ["src/app.ts", "src/tui/app.ts", "my notes/to do.md", "src/", "src/tui/", "my notes/"],
  2,
  breathe,
)

function labels(text: string, asked = false): readonly string[] {
  const token = tokenAt(text, text.length, asked)
  return token === null ? [] : (complete(token, { commands, paths })?.items.map(({ label }) => label) ?? [])
}

test("a leading slash completes commands, and no other slash does", () => {
  expect(labels("/mo")).toEqual(["/model [name]"])
  expect(labels("see /mo")).toEqual([])
  expect(labels("/model x")).toEqual([])
})

test("an at sign after a blank completes paths, and one inside a word does not", () => {
  expect(labels("look at @tui/app")[0]).toBe("src/tui/app.ts")
  expect(labels("ada@tui")).toEqual([])
})

test("a path without a sign is completed on demand only", () => {
  expect(labels("cat tui/app")).toEqual([])
  expect(labels("cat tui/app", true)[0]).toBe("src/tui/app.ts")
})

test("a path with blanks is put in quotes", () => {
  const token = tokenAt("@to do", 3, false)
  const completion = token && complete(token, { commands, paths })
  expect(completion?.items[0]?.insert).toBe('@"my notes/to do.md" ')
})

test("inside quotes the completion goes on over blanks", () => {
  expect(labels('@"my no')).toContain("my notes/")
})

test("folders are offered, and completing one goes on inside it", () => {
  const token = tokenAt("@src/tui/", 9, false)
  const completion = token && complete(token, { commands, paths })
  expect(completion?.items.find(({ label }) => label === "src/tui/")?.insert).toBe("@src/tui/")
})

test("the bar goes round at both ends", () => {
  const token = tokenAt("/", 1, false)
  const completion = token && complete(token, { commands, paths })
  if (completion === null) throw new Error("nothing was completed")
  expect(step(completion, -1).chosen).toBe(1)
  expect(step(step(completion, 1), 1).chosen).toBe(0)
})

test("of a hundred thousand paths the few that are worth ranking are found in one pass, names first and short ones first", async () => {
  const words = ["src", "lib", "app", "core", "util", "parser", "model", "view"]
  const word = (at: number): string => words[at % words.length] ?? ""
  const many = Array.from(
    { length: 100_000 },
    (_, at) => `${word(at)}/${word(at >> 3)}-${at >> 6}/${word(at >> 5)}_${at}.ts`,
  )
  let pauses = 0
  const rest = ["deep/down/in/a/folder/needle.ts", "needles/other.ts", "n/e/e/d/l/e/s.ts"]
  const index = await indexPaths([...many, ...rest], 10_000, () => Promise.resolve(void (pauses += 1)))
  expect(pauses).toBe(11)
  expect(narrowPaths(index, "needle", 500)).toEqual([
    "deep/down/in/a/folder/needle.ts",
    "needles/other.ts",
    "n/e/e/d/l/e/s.ts",
  ])
  expect(narrowPaths(index, "PARSER 4242", 500)[0]).toMatch(/parser.*4242/)
  expect(narrowPaths(index, "v", 500)).toHaveLength(500)
  expect(narrowPaths(index, "zzzz", 500)).toEqual([])
  const token = tokenAt("see @needle", 11, false)
  expect(token && complete(token, { commands: [], paths: index })?.items[0]?.label).toBe(
    "deep/down/in/a/folder/needle.ts",
  )
})
