import { expect, test } from "bun:test"
import { layoutContent, unitTexts } from "../../../src/tui/rows/content.ts"
import { layoutLines } from "../../../src/tui/rows/layout.ts"
import { span, textLine, type Line } from "../../../src/tui/rows/row.ts"
import { columnWidths } from "../../../src/tui/rows/table.ts"
import { drawing, picture } from "./support.ts"

function drawn(lines: readonly Line[], width: number): string {
  return drawing(layoutLines(lines, width, "unicode"))
}

const cell = (text: string) => [span(text)]

test("the prefix of a line stands before its first row, and another before the rest", () => {
  const line = textLine([span("words that have to wrap")], { first: [span("- ")], rest: [span("  ")] })
  expect(drawn([line], 14)).toBe(
    picture(`
      - words that
        have to wrap
    `),
  )
})

test("a narrow pane loses the prefix before the text", () => {
  const line = textLine([span("abcdefghijkl")], { first: [span("deep prefix ")] })
  expect(drawn([line], 14)).toBe("deabcdefghijkl")
})

test("a line that is cut keeps its tail in sight while there is room for both", () => {
  const line = textLine([span("bash "), span("a command that is long")], { wrap: "cut", tail: [span("  2.1 s")] })
  expect(drawn([line], 24)).toBe("bash a command t…  2.1 s")
  expect(drawn([line], 15)).toBe("bash a command…")
  const more = { wrap: "cut", tail: [span("  stopped"), span(" · 2.1 s")] } as const
  expect(drawn([textLine([span("bash a command that is long")], more)], 22)).toBe("bash a comma…  stopped")
})

test("rows know which part of the text they show, tabs and wraps included", () => {
  const { rows, units } = layoutLines([textLine([span("a\tbc "), span("def")], { wrap: "word" })], 12, "unicode")
  expect(rows.map((row) => row.text)).toEqual(["a       bc", "def"])
  expect(rows.map((row) => row.continued)).toEqual([false, true])
  const unit = units[0]
  const shown = rows.flatMap((row) =>
    row.pieces.map(({ from, to, at, length }) => [from, to, row.text.slice(at, at + length)]),
  )
  expect(unit?.text).toBe("a\tbc def")
  expect(shown).toEqual([
    [0, 1, "a"],
    [1, 2, "       "],
    [2, 4, "bc"],
    [5, 8, "def"],
  ])
})

const table: Line = {
  kind: "table",
  first: [],
  rest: [],
  head: [cell("name"), cell("size"), cell("note")],
  body: [
    [cell("a.ts"), cell("12"), cell("the first of all files")],
    [cell("中文.md"), cell("3")],
  ],
  align: ["left", "right", "left"],
}

test("a table that fits is as wide as its cells", () => {
  expect(drawn([table], 60)).toBe(
    picture(`
      name    │ size │ note
      ────────┼──────┼───────────────────────
      a.ts    │   12 │ the first of all files
      中文.md │    3 │
    `),
  )
})

test("a table that does not fit wraps its widest cells, and one that cannot becomes a list", () => {
  expect(drawn([table], 30)).toBe(
    picture(`
      name    │ size │ note
      ────────┼──────┼──────────────
      a.ts    │   12 │ the first of
              │      │ all files
      中文.md │    3 │
    `),
  )
  expect(drawn([table], 18)).toBe(
    picture(`
      name
        a.ts
      size
        12
      note
        the first of all
        files

      name
        中文.md
      size
        3
      note

    `).trimEnd() + "\n",
  )
})

test("widths of columns are shared so that the widest give way first, and nothing is left over", () => {
  expect(columnWidths([4, 4], 20)).toEqual([4, 4])
  expect(columnWidths([4, 40, 40], 46)).toEqual([4, 18, 18])
  expect(columnWidths([4, 40, 40], 47)).toEqual([4, 19, 18])
  expect(columnWidths([40, 40, 40], 20)).toBeUndefined()
})

test("a rule fills what the prefix leaves", () => {
  expect(drawn([{ kind: "rule", first: [span("│ ")], style: {} }], 20)).toBe("│ " + "─".repeat(18))
})

test("a search reads the same units that laying out makes", () => {
  const lines: readonly Line[] = [
    textLine([span("a "), span("b")]),
    table,
    { kind: "rule", first: [], style: {} },
    textLine([]),
  ]
  const content = { parts: [{ lines }, { lines: [textLine([span("c")])] }], pending: false }
  for (const width of [10, 30, 200]) {
    expect(unitTexts(content)).toEqual(layoutContent(content, 1, width, "unicode").units.map(({ text }) => text))
  }
})
