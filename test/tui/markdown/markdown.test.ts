import { expect, test } from "bun:test"
import { plainHighlighter, type Highlighter } from "../../../src/tui/highlight/highlighter.ts"
import { markdownContent } from "../../../src/tui/markdown/markdown.ts"
import { layoutContent, type Content } from "../../../src/tui/rows/content.ts"
import type { Span } from "../../../src/tui/rows/row.ts"
import { drawing, picture } from "../rows/support.ts"

const settled = { highlighter: plainHighlighter, streaming: false }
const streaming = { highlighter: plainHighlighter, streaming: true }

function drawn(text: string, width = 40, options = settled, previous?: Content): string {
  return drawing(layoutContent(markdownContent(text, options, previous), 0, width, "unicode"))
}

function spansOf(text: string, options = settled): readonly Span[] {
  return markdownContent(text, options).parts.flatMap((part) =>
    part.lines.flatMap((line) => (line.kind === "text" ? line.spans : [])),
  )
}

test("headings, emphasis and code are drawn without their marks", () => {
  expect(drawn("# One\n\nSome **bold** and *em* and `code`.\n\n### Three")).toBe(
    picture(`
      One

      Some bold and em and code.

      Three
    `),
  )
  expect(spansOf("a **b** *c* `d` ~~e~~").map(({ text, style }) => [text, style])).toEqual([
    ["a ", { fg: "markdownText" }],
    ["b", { fg: "markdownStrong", bold: true }],
    [" ", { fg: "markdownText" }],
    ["c", { fg: "markdownEmph", italic: true }],
    [" ", { fg: "markdownText" }],
    ["d", { fg: "markdownCode" }],
    [" ", { fg: "markdownText" }],
    ["e", { fg: "markdownText", strike: true }],
  ])
})

test("lists nest, count and tick, and hang at their marks", () => {
  const text =
    "- one that is too long for the row it is in\n  - two\n    3. three\n- [ ] open\n- [x] done\n\n9. nine\n10. ten"
  expect(drawn(text, 24)).toBe(
    picture(`
      • one that is too long
        for the row it is in
        ◦ two
          3. three
      ☐ open
      ☑ done

       9. nine
      10. ten
    `),
  )
})

test("quotes, rules, images, notes and formulas", () => {
  const text = "> said **well**\n> and again\n\n---\n\n![a cat](cat.png)\n\nSee[^1] $a_b$ and $c_d$.\n\n[^1]: the note"
  expect(drawn(text, 30)).toBe(
    picture(`
      ▌ said well
      ▌ and again

      ──────────────────────────────

      [image: a cat] (cat.png)

      See[^1] $a_b$ and $c_d$.

      [^1] the note
    `),
  )
})

test("code keeps its spaces, wraps at the cell and is ruled off", () => {
  expect(drawn("Look:\n\n```ts\nif (x) {\n  return 12345678901234567890\n}\n```", 24)).toBe(
    picture(`
      Look:

      │ if (x) {
      │   return 1234567890123
      │ 4567890
      │ }
    `),
  )
})

test("a link shows where it leads unless its words say it, and only plain addresses are given to the terminal", () => {
  expect(drawn("[docs](https://a.example/x) https://b.example", 60)).toBe(
    "docs (https://a.example/x) https://b.example",
  )
  expect(drawn("[https://good.example](https://evil.example)", 60)).toBe("https://good.example (https://evil.example)")
  const links = (text: string) => spansOf(text).flatMap(({ style }) => style.link ?? [])
  expect(links("[a](https://a.example)")).toEqual(["https://a.example", "https://a.example"])
  expect(links("[a](javascript:alert) [b](file:///etc/passwd) [c](https://x.example/\u202e)")).toEqual([])
})

test("entities are characters, and one that names a control character is harmless", () => {
  expect(drawn("a &lt;b&gt; &amp; &#x7;&#8238; &#27;[31mx")).toBe("a <b> & ␇<U+202E> x")
})

test("formatting tags are dropped, type parameters stay, escapes are gone", () => {
  expect(drawn("a <b>bold</b> Map<K, V> <kbd>Esc</kbd>\x1b[31mred\x1b]52;c;x\x07", 60)).toBe("a bold Map<K, V> Escred")
  expect(drawn("<details>\n<summary>More</summary>\n\nbody\n</details>")).toBe("More\n\nbody")
})

test("half marks at the end of a stream are never seen", () => {
  const seen = (text: string): string => drawn(text, 60, streaming)
  expect(seen("a **bo")).toBe("a bo")
  expect(seen("a **bold**")).toBe("a bold")
  expect(seen("text **")).toBe("text")
  expect(seen("run `npm i")).toBe("run npm i")
  expect(seen("see [the li")).toBe("see the li")
  expect(seen("see [the link](http://exa")).toBe("see the link")
  expect(seen("- item ~~gone")).toBe("• item gone")
  expect(seen("snake_case_na")).toBe("snake_case_na")
  expect(seen("2 * 3 * 4")).toBe("2 * 3 * 4")
  expect(seen("## He")).toBe("He")
  expect(seen("done\n##")).toBe("done")
  expect(seen("- [ ] x")).toBe("☐ x")
})

test("a table is one from its first line on", () => {
  for (const text of [
    "| na",
    "| name |",
    "| name | wh",
    "| name | what |\n",
    "| name | what |\n|:-",
    "| name | what |\n|:--|:-:|",
  ]) {
    expect(drawn(text, 40, streaming)).not.toMatch(/\||:-/)
    expect(drawn(text, 40, streaming)).toContain("na")
  }
  expect(drawn("| name | what |\n|---|---|\n| a | b |", 40, streaming)).toContain("a    │ b")
  // What only looks like one is text when it has ended.
  expect(drawn("| no table |", 40, settled)).toBe("| no table |")
})

test("a line that is no prose is shown as it is", () => {
  const line = "*a*b".repeat(800)
  expect(spansOf(line).map(({ text }) => text)).toEqual([line])
})

test("nesting beyond all reason is text, not a crash", () => {
  for (const mark of [">", "- ", "> - ", "1. "]) {
    const text = `${mark.repeat(5_000)}deep`
    expect(drawn(text, 80).replaceAll("\n", "").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""))
  }
})

const samples = [
  "# Title\n\nA paragraph with **bold**, `code` and a [link](https://x.example).\nSecond line.\n\n",
  "- one\n- two\n  - nested\n\n  para in item\n- three\n\n",
  "1. first\n2. second\n\n   more\n\n3. third\n\n",
  "```ts\nconst a = 1\n\nconst b = `x`\n```\n\n",
  "~~~\n# no heading\n~~~\n",
  "| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | `4` |\n\n",
  "> quote\nlazy line\n\n> another\n> - with list\n\n",
  "Setext\n======\n\nafter\n\nSub\n---\n\n",
  "    indented code\n    more\n\ntext\n\n",
  "***\n\n- [ ] task\n- [x] done\n\n",
  "<details>\n<summary>x</summary>\n\nbody\n\n</details>\n\n",
  "word 中文 *强调* 👩‍👩‍👧 end  \nhard break\n\n",
  "[^1]: a note\n\ntext[^1]\n\n",
  "[ref]: https://r.example\n\nuse [ref] here\n\n",
  "$x_1$ and \\(y\\) & &amp; <b>t</b>\n",
  "\n\n\n",
  "- a\n\n\n- b\ntext\n",
]

test("a text painted piece by piece is in the end what it is when painted at once", () => {
  let state = 99
  const next = (below: number): number => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
  for (let round = 0; round < 120; round++) {
    const text = Array.from({ length: 1 + next(8) }, () => samples[next(samples.length)]).join("")
    let content: Content | undefined
    for (let at = 0; at < text.length;) {
      at = Math.min(text.length, at + 1 + next(40))
      content = markdownContent(text.slice(0, at), streaming, content)
      layoutContent(content, 0, 40, "unicode")
    }
    const stepwise = drawing(layoutContent(markdownContent(text, settled, content), 0, 40, "unicode"))
    expect(stepwise).toBe(drawn(text, 40))
  }
})

test("blocks that are closed keep their parts while the text grows", () => {
  const text = "# A\n\none\n\n- two\n- three\n\n```\ncode\n```\n\nlast"
  const before = markdownContent(text, streaming)
  const after = markdownContent(`${text} words and more`, streaming, before)
  expect(after.parts.length).toBe(before.parts.length)
  expect(after.parts.slice(0, -2).every((part, place) => part === before.parts[place])).toBe(true)
  expect(after.parts.at(-1)).not.toBe(before.parts.at(-1))
})

test("code is there before its colours, and takes them when they come", () => {
  let ready = false
  const highlighter: Highlighter = {
    lookup: () => ({ lines: ready ? [[{ text: "let", style: { fg: "syntaxKeyword" } }]] : null, pending: !ready }),
    watch: () => () => {},
  }
  const options = { highlighter, streaming: false }
  const text = "before\n\n```ts\nlet\n```"
  const first = markdownContent(text, options)
  expect(drawing(layoutContent(first, 0, 20, "unicode"))).toBe("before\n\n│ let")
  expect(first.pending).toBe(true)
  ready = true
  const then = markdownContent(text, options, first)
  expect(then.pending).toBe(false)
  const colors = then.parts.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === "text" ? line.spans : [])))
  expect(colors.map(({ style }) => style.fg)).toContain("syntaxKeyword")
  expect(then.parts[0]).toBe(first.parts[0])
})
