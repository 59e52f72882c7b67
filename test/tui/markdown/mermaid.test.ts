/** Diagrams are drawn where they can be drawn whole, and are text in every other respect. */
import { expect, test } from "bun:test"
import { plainHighlighter } from "../../../src/tui/highlight/highlighter.ts"
import { markdownContent } from "../../../src/tui/markdown/markdown.ts"
import { drawMermaid } from "../../../src/tui/markdown/mermaid.ts"
import { layoutContent, unitTexts, type Content } from "../../../src/tui/rows/content.ts"
import type { Layout } from "../../../src/tui/rows/row.ts"
import { textWidth } from "../../../src/std/text.ts"
import { drawing, picture } from "../rows/support.ts"

const fenced = (source: string, end = "\n```\n"): string => `\`\`\`mermaid\n${source}${end}`
const contentOf = (text: string, streaming = false): Content =>
  markdownContent(text, { highlighter: plainHighlighter, streaming })
const layoutOf = (content: Content, width = 60): Layout => layoutContent(content, 0, width, "unicode")

const flow = "graph TD\n  A[Start] --> B{Is it?}\n  B -->|Yes| C[OK]\n  B -->|No| D[End]"

const drawn = picture(`
  │ ┌──────┐
  │ │Start │
  │ └───┬──┘
  │     │
  │     ▼
  │ ◇──────◇
  │ │Is it?├──────┐
  │ ◇──Yes─◇     No
  │     │         │
  │     ▼         ▼
  │ ┌──────┐   ┌────┐
  │ │  OK  │   │End │
  │ └──────┘   └────┘
`)

test("a flow chart is a drawing; where there is no room for it, and while it is written, it is its source", () => {
  expect(drawing(layoutOf(contentOf(fenced(flow))))).toBe(drawn)
  const source = flow.replace(/^/gm, "│ ")
  const narrow = drawing(layoutOf(contentOf(fenced(flow)), 18))
  expect(narrow).toStartWith("│ graph TD\n│   A[Start] --> B")
  expect(narrow).not.toContain("┌")
  expect(drawing(layoutOf(contentOf(fenced(flow, ""), true)))).toBe(source)
})

test.each([
  ["sequenceDiagram\n  Alice->>Bob: Hello Bob\n  Bob-->>Alice: Hi", ["Alice", "Bob", "Hello Bob", "Hi"]],
  ["stateDiagram-v2\n  [*] --> Still\n  Still --> Moving\n  Moving --> [*]", ["Still", "Moving"]],
  ["classDiagram\n  Animal <|-- Duck\n  Duck : swim()", ["Animal", "Duck", "swim"]],
  ["erDiagram\n  CUSTOMER ||--o{ ORDER : places", ["CUSTOMER", "ORDER", "places"]],
  ["flowchart LR\n  %% said to nobody\n  A[one] --> B[two]\n  click A callback\n  style A fill:#f9f", ["one", "two"]],
])("%p is drawn", (source, words) => {
  const rows = drawMermaid(source)
  expect(rows).not.toBeNull()
  for (const word of words) expect(rows?.join("\n")).toContain(word)
})

test.each([
  ["a kind that nobody draws", 'pie\n  "a": 3'],
  ["what is no diagram", "hello there"],
  ["nothing", ""],
  ["a line that would be left out", "graph TD\n  A[one] --> B[two]\n  开始 --> 结束"],
  ["one that is too long to draw at once", `graph TD\n${"  A[one] --> B[two]\n".repeat(200)}`],
])("%s is no drawing, and its source is shown", (_, source) => {
  expect(drawMermaid(source)).toBeNull()
  expect(drawing(layoutOf(contentOf(fenced(source))))).toBe(
    source
      .trimEnd()
      .split("\n")
      .map((line) => `│ ${line}`.trimEnd())
      .join("\n"),
  )
})

test("boxes close around characters of any width", () => {
  const rows = drawMermaid("graph LR\n  A[开始 了] --> B[e\u0301nd 🙂 한글]") ?? []
  expect(rows.join("\n")).toContain("开始 了")
  expect(rows.join("\n")).toContain("e\u0301nd 🙂 한글")
  const widths = rows.map((row) => textWidth(row, "unicode"))
  expect(new Set(widths).size).toBe(1)
})

test("what is found and copied is what was written, at every width, and words are found in the drawing", () => {
  const content = contentOf(fenced(flow))
  for (const width of [60, 18]) {
    const { rows, units } = layoutOf(content, width)
    expect(units.map(({ text }) => text)).toEqual([...unitTexts(content)])
    expect(units.map(({ text }) => text).join("\n")).toBe(flow)
    // Every unit stands somewhere.
    const shown = new Set(rows.flatMap(({ pieces }) => pieces.map(({ unit }) => unit)))
    expect(units.every((unit) => shown.has(unit))).toBe(true)
  }
  const { rows } = layoutOf(content)
  const row = rows.findIndex(({ text }) => text.includes("Is it?"))
  const piece = rows[row]?.pieces[0]
  expect(piece?.unit.text.slice(piece.from, piece.to)).toBe("Is it?")
  expect(rows[row]?.text.slice(piece?.at, (piece?.at ?? 0) + 6)).toBe("Is it?")
})
