/** Selecting with the keyboard: what keys ask for is known, and each move goes where its name says. */
import { expect, test } from "bun:test"
import { builtInKeymaps } from "../../../src/home/built-in.ts"
import { commandList } from "../../../src/home/command-names.ts"
import { resolveKeymap } from "../../../src/home/keymap.ts"
import { isObject, type Json } from "../../../src/std/json.ts"
import { plainHighlighter } from "../../../src/tui/highlight/highlighter.ts"
import { markdownContent } from "../../../src/tui/markdown/markdown.ts"
import type { RowSource } from "../../../src/tui/rows/content.ts"
import { CopyMode, copyMoves, copyUnits, type CopyMove } from "../../../src/tui/viewport/copy-mode.ts"
import { Store } from "../../../src/tui/viewport/store.ts"
import { Window } from "../../../src/tui/viewport/window.ts"
import { block, source, type TestBlock } from "./blocks.ts"

function open(blocks: readonly TestBlock[], from: RowSource<TestBlock> = source): CopyMode<TestBlock> {
  const window = new Window(new Store(from, "unicode"))
  window.resize(40, 20, "unicode")
  window.setBlocks(blocks)
  const mode = CopyMode.open(window)
  if (mode === undefined) throw new Error("there is nothing to select")
  return mode
}

const field = (args: Json | undefined, name: string): Json | undefined => (isObject(args) ? args[name] : undefined)

test.each(["default", "vim", "emacs"])("the keymap %s asks for moves and units that there are", (name) => {
  const resolved = resolveKeymap(name, builtInKeymaps, commandList)
  if (!("keymap" in resolved)) throw new Error("the keymap is broken")
  const asked = resolved.keymap.bindings.flatMap(({ run }) => run)
  const moves = asked.flatMap(({ command, args }) => (command === "copy.move" ? [field(args, "to")] : []))
  expect(moves.length).toBeGreaterThan(10)
  expect(moves.filter((to) => !copyMoves.some((move) => move === to))).toEqual([])
  const units = asked.flatMap(({ command, args }) => (/^copy\.(mark|open)$/.test(command) ? [field(args, "by")] : []))
  expect(units.filter((by) => by !== undefined && !copyUnits.some((unit) => unit === by))).toEqual([])
})

test("each move goes where its name says", () => {
  const mode = open([block("a", "first words here"), block("b", "  indented line\nlast 中文 e\u0301nd", { gap: 1 })])
  const after = (...moves: readonly CopyMove[]): readonly number[] => {
    for (const move of moves) mode.move(move)
    const { index, unit, offset } = mode.cursor
    return [index, unit, offset]
  }
  expect(after("start")).toEqual([0, 0, 0])
  expect(after("wordStartRight")).toEqual([0, 0, 6])
  expect(after("wordRight")).toEqual([0, 0, 10])
  expect(after("wordLeft", "wordLeft")).toEqual([0, 0, 0])
  expect(after("lineEnd")).toEqual([0, 0, 15])
  expect(after("blockNext")).toEqual([1, 0, 0])
  expect(after("lineTextStart")).toEqual([1, 0, 2])
  expect(after("lineStart")).toEqual([1, 0, 0])
  expect(after("down")).toEqual([1, 1, 0])
  expect(after("wordStartRight", "right")).toEqual([1, 1, 6])
  expect(after("wordStartRight", "right")).toEqual([1, 1, 10])
  expect(after("end")).toEqual([1, 1, 12])
  expect(after("start", "end", "up")).toEqual([1, 0, 13])
})

const markdown: RowSource<TestBlock> = {
  content: ({ text }, _open, previous) =>
    markdownContent(text, { highlighter: plainHighlighter, streaming: false }, previous),
}
const code = "const a = 1\n\n  const b = 2"

test("a code block is selected whole, and nothing beside it", () => {
  const mode = open([block("a", `Words.\n\n\`\`\`ts\n${code}\n\`\`\`\n\nMore words.\n`)], markdown)
  mode.move("up")
  mode.move("up")
  mode.mark("code")
  expect(mode.text()).toBe(code)
  mode.move("start")
  // From the words to the code: whole lines of the one, all of the other.
  expect(mode.text()).toBe(`Words.\n\n${code}`)
})

test("two code blocks beside each other are two", () => {
  const mode = open([block("a", "```\none\n```\n\n```\ntwo\n```")], markdown)
  mode.mark("code")
  expect(mode.text()).toBe("two")
})

test("a drawing is walked over row by row, and what is copied is what was written", () => {
  const source = "sequenceDiagram\n  Alice->>Bob: Hello Bob\n  Bob-->>Alice: Hi Alice"
  const mode = open([block("a", `Words.\n\n\`\`\`mermaid\n${source}\n\`\`\`\n\nMore.`)], markdown)
  const seen: string[] = []
  for (let row = 0; row < 20 && mode.move("up"); row++) seen.push(mode.text())
  expect(seen.at(-1)).toBe("Words.")
  for (let row = 0; row < 20; row++) mode.move("down")
  expect(mode.text()).toBe("More.")
  mode.mark("line")
  mode.move("start")
  expect(mode.text()).toBe(`Words.\n\n${source}\n\nMore.`)
})
