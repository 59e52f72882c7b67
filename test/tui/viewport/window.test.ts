import { expect, test } from "bun:test"
import { Store } from "../../../src/tui/viewport/store.ts"
import { Window } from "../../../src/tui/viewport/window.ts"
import { block, seeded, source, type TestBlock } from "./blocks.ts"

function open(blocks: readonly TestBlock[], width = 30, rows = 10) {
  const window = new Window(new Store<TestBlock>(source, "unicode"))
  window.resize(width, rows, "unicode")
  window.setBlocks(blocks)
  const shown = (): readonly string[] => window.visible().map(({ row }) => row.text)
  return { window, shown }
}

const words = ["one", "longer", "a", "word", "中文字", "👩‍👩‍👧", "and", "something-long", "x"]

/** Blocks of very different heights, with guesses that are wrong on purpose. */
function mixed(count: number, seed: number): readonly TestBlock[] {
  const next = seeded(seed)
  return Array.from({ length: count }, (_, place) => {
    const text = Array.from({ length: 1 + next(40) }, () => words[next(words.length)]).join(next(9) === 0 ? "\n" : " ")
    return block(`b${place}`, `${place}: ${text}`, { gap: next(2) === 0 ? 0 : 1, size: next(3) * 500 })
  })
}

test("two hundred steps of one row, up and down, each move what is shown by exactly one row", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const { window, shown } = open(mixed(300, seed))
    const next = seeded(seed * 7)
    let before = shown()
    for (let step = 0; step < 200; step++) {
      const up = step < 120 || next(2) === 0
      const moved = window.scrollBy(up ? -1 : 1)
      const after = shown()
      if (moved) {
        expect(up ? after.slice(1) : after.slice(0, -1)).toEqual([...(up ? before.slice(0, -1) : before.slice(1))])
      } else expect(after).toEqual(before)
      before = after
    }
  }
})

test("what arrives below, above or in the place of others does not move what is read", () => {
  const next = seeded(11)
  let blocks = mixed(60, 9)
  const { window, shown } = open(blocks)
  window.scrollBy(-40)
  let count = 1_000
  for (let round = 0; round < 150; round++) {
    const before = shown()
    const { index } = window.top
    const fresh = mixed(1 + next(3), round).map((one) => ({ ...one, key: `n${count++}` }))
    const what = next(3)
    if (what === 0) blocks = [...blocks, ...fresh]
    else if (what === 1) blocks = [...fresh, ...blocks]
    else
      blocks = blocks.map((one, place) => (place < index && next(4) === 0 ? { ...one, text: `${one.text} more` } : one))
    window.setBlocks(blocks)
    // The first block of all has no gap above it, so the block that was first gets a row when others come before it.
    if (before[0] !== "" || shown()[0] === "") expect(shown()).toEqual(before)
  }
})

test("an answer that grows below the reader moves nothing, and growing in view only adds rows", () => {
  const { window, shown } = open([...mixed(30, 4), block("tail", "start")])
  window.scrollBy(-25)
  const before = shown()
  for (let round = 1; round < 50; round++) {
    window.setBlocks([...mixed(30, 4), block("tail", `start ${"word ".repeat(round)}`)])
    expect(shown()).toEqual(before)
  }
  window.toBottom()
  for (let round = 50; round < 80; round++) {
    window.setBlocks([...mixed(30, 4), block("tail", `start ${"word ".repeat(round)}`)])
    expect(shown().at(-1)?.trimEnd()).toEndWith("word")
  }
})

test("a resize leaves the same text at the top, there and back", () => {
  const { window, shown } = open(mixed(200, 3), 60, 12)
  window.scrollBy(-90)
  const before = shown()
  const first = (): string => shown()[0]?.trim().split(" ")[0] ?? ""
  const word = first()
  for (const width of [40, 25, 13, 33, 80]) window.resize(width, 12, "unicode")
  window.resize(60, 12, "unicode")
  expect(shown()).toContain(before.find((row) => row.includes(word)) ?? "")
  const at = shown().findIndex((row) => row === before[0])
  expect(Math.abs(at)).toBeLessThanOrEqual(1)
})

test("folding keeps the first row in its place; folding what is above it too", () => {
  const blocks = Array.from({ length: 30 }, (_, place) =>
    block(`b${place}`, "x\ny\nz\nw", { group: "call", folded: place % 2 === 0 }),
  )
  const { window, shown } = open(blocks)
  window.scrollBy(-20)
  const [top] = shown()
  for (let index = 0; index < 30; index++) {
    window.change(() => window.store.setOpen(index, index % 3 === 0))
    if (index < window.top.index) expect(shown()[0]).toBe(top ?? "")
  }
})

test("going to the end and to the start shows the last and the first row", () => {
  const { window, shown } = open(mixed(120, 8))
  const end = shown()
  window.toTop()
  expect(shown()[0]).toStartWith("0: ")
  window.toBottom()
  expect(shown()).toEqual(end)
  expect(window.following).toBe(true)
})

test("what is shown after any walk is what a window that was put there shows", () => {
  const next = seeded(77)
  const blocks = mixed(150, 21)
  const { window, shown } = open(blocks, 24, 9)
  for (let round = 0; round < 300; round++) {
    window.scrollBy(next(41) - 25)
    const other = open(blocks, 24, 9)
    other.window.restore(window.top, window.following)
    expect(other.shown()).toEqual(shown())
  }
})
