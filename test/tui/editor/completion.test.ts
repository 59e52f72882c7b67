import { expect, test } from "bun:test"
import { complete, step, tokenAt } from "../../../src/tui/editor/completion.ts"
import { withFolders } from "../../../src/tui/editor/files.ts"

const commands = [
  { name: "model", title: "choose the model", args: "[name]" },
  { name: "new", title: "start a new session" },
]
const paths = withFolders(["src/app.ts", "src/tui/app.ts", "my notes/to do.md"])

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
