/** Which words of a line differ from those of the line that it replaced. */
import { expect, test } from "bun:test"
import { diffLines, parseDiff } from "../../../src/tui/blocks/diff.ts"
import { plainHighlighter } from "../../../src/tui/highlight/highlighter.ts"

/** Each changed line with its strong parts in brackets. */
function marked(diff: string): readonly string[] {
  const context = { highlighter: plainHighlighter, language: "", pending: false }
  return diffLines(parseDiff(`@@ -1,9 +1,9 @@\n${diff}`), context).flatMap((line) => {
    if (line.kind !== "text" || line.fill === "diffContextBg" || line.fill === undefined) return []
    return [line.spans.map(({ text, style }) => (style.bold === true ? `[${text}]` : text)).join("")]
  })
}

test("each word that differs is marked, and nothing between them", () => {
  expect(marked("-const size = readSize(path, 10)\n+const length = readSize(file, 10)")).toEqual([
    "const [size] = readSize([path], 10)",
    "const [length] = readSize([file], 10)",
  ])
})

test("a word that was added marks one side only, and characters stay whole", () => {
  expect(marked("-say 👩‍👩‍👧 hello\n+say 👩‍👩‍👧 a hello")).toEqual(["say 👩‍👩‍👧 hello", "say 👩‍👩‍👧 [a ]hello"])
  expect(marked("-值 = 旧的;\n+值 = 新的;")).toEqual(["值 = [旧]的;", "值 = [新]的;"])
})

test("a line that has little in common with the other is a new line", () => {
  expect(marked("-import { readFile } from 'fs'\n+export const answer = 42")).toEqual([
    "import { readFile } from 'fs'",
    "export const answer = 42",
  ])
})

test("lines that only came or only went beside others are not compared with them", () => {
  expect(marked("-const a = 1\n+const a = 2\n+const b = 3")).toEqual(["const a = [1]", "const a = [2]", "const b = 3"])
})

test("what is too long to compare in a moment is shown without", () => {
  const long = "word ".repeat(400)
  expect(marked(`-${long}a\n+${long}b`)).toEqual([`${long}a`, `${long}b`])
})
