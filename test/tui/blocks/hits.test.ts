/** What a search in files found is read at a glance, and nothing of it is lost. */
import { expect, test } from "bun:test"
import { hitLines } from "../../../src/tui/blocks/hits.ts"
import { spansText } from "../../../src/tui/rows/row.ts"

const output = "src/a-1-b.ts:12: const size = Size\nsrc/a-1-b.ts-13- return size\n--\nno match here\n"

function drawn(args: Record<string, string | boolean>): readonly string[] {
  return hitLines(output, args).map((line) =>
    line.kind === "text"
      ? line.spans
          .map(({ text, style }) => (style.bold ? `[${text}]` : style.fg === "secondary" ? `<${text}>` : text))
          .join("")
      : "",
  )
}

test("files, numbers and what was looked for stand out; lines around and everything else step back", () => {
  expect(drawn({ pattern: "size" })).toEqual([
    "<src/a-1-b.ts>:12: const [size] = [Size]",
    "<src/a-1-b.ts>-13- return size",
    "--",
    "no match here",
  ])
  expect(drawn({ pattern: "Si.e" })[0]).toBe("<src/a-1-b.ts>:12: const size = [Size]")
  expect(drawn({ pattern: "s.z", literal: true })[0]).toBe("<src/a-1-b.ts>:12: const size = Size")
  expect(drawn({ pattern: "(" })[0]).toBe("<src/a-1-b.ts>:12: const size = Size")
})

test("every character is there, but none that drives a terminal", () => {
  const texts = hitLines(`${output}\x1b[2Ja:1: \x1b]0;x\x07y\n`, { pattern: "y" }).map((line) =>
    line.kind === "text" ? spansText(line.spans) : "",
  )
  expect(texts.join("\n")).toBe(`${output}a:1: y`)
})
