/** What stands in a generation's spool gives back what its deltas have built, wherever it is cut, and takes little more room than what was said. */
import { expect, test } from "bun:test"
import { partialOf, spoolLine } from "../../src/engine/spool-text.ts"
import { emptyPartial, fold, type Delta, type Partial } from "../../src/message/delta.ts"

const text = { type: "text", text: 'so "said"\n\u{1f600}' } as const
const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const
const call = { type: "toolCall", id: "c", name: "read", arguments: { path: "a" } } as const

const deltas: readonly Delta[] = [
  { type: "thinking_start", contentIndex: 0 },
  { type: "thinking_delta", contentIndex: 0, delta: "h" },
  { type: "thinking_delta", contentIndex: 0, delta: "m" },
  { type: "thinking_end", contentIndex: 0, part: thinking },
  { type: "text_start", contentIndex: 1 },
  { type: "text_delta", contentIndex: 1, delta: 'so "said"\n' },
  { type: "text_delta", contentIndex: 1, delta: "\u{1f600}" },
  { type: "text_end", contentIndex: 1, part: text },
  { type: "toolcall_start", contentIndex: 2, id: "c", toolName: "read" },
  { type: "toolcall_delta", contentIndex: 2, delta: '{"path":' },
  { type: "toolcall_delta", contentIndex: 2, delta: '"a"}' },
  { type: "toolcall_end", contentIndex: 2, part: call },
  { type: "usage", usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3 } },
]

function linesOf(all: readonly Delta[]): readonly string[] {
  let before: Partial = emptyPartial
  return all.map((delta) => {
    const line = spoolLine(before, delta)
    before = fold(before, delta)
    return line
  })
}

test("lines give back what the deltas built, cut after any of them, in records of any size", () => {
  const lines = linesOf(deltas)
  for (let count = 0; count <= lines.length; count++) {
    const built = deltas.slice(0, count).reduce(fold, emptyPartial)
    expect(partialOf(lines.slice(0, count))).toEqual(built)
    expect(partialOf([lines.slice(0, count).join("")])).toEqual(built)
  }
})

test("a spool that an older build left, and a line that is none, are read too", () => {
  const older = deltas.map((delta) => `${JSON.stringify(delta)}\n`)
  expect(partialOf([...older.slice(0, 8), "torn\n", ...older.slice(8)])).toEqual(deltas.reduce(fold, emptyPartial))
})

test("an end that brings nothing new says nothing again, and one that does says it whole", () => {
  const lines = linesOf(deltas)
  expect(lines[7]).toBe("[1]\n")
  expect(lines[3]).toBe(`${JSON.stringify(deltas[3])}\n`)
  const other: Delta = { type: "text_end", contentIndex: 1, part: { type: "text", text: "something else" } }
  expect(partialOf(linesOf([...deltas.slice(0, 7), other]))).toEqual(
    [...deltas.slice(0, 7), other].reduce(fold, emptyPartial),
  )
})
