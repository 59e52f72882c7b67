import { expect, test } from "bun:test"
import { TextAttributes } from "@opentui/core"
import { createTestRenderer } from "@opentui/core/testing"
import { RowView } from "../../../src/tui/viewport/row-view.ts"
import { block, plainTheme, source, stillClock, type TestBlock } from "./blocks.ts"

async function open(width: number, height: number, blocks: readonly TestBlock[], followMs = 0) {
  const screen = await createTestRenderer({ width, height })
  const clock = stillClock()
  const heard = { changes: 0, selected: [] as string[] }
  const view = new RowView<TestBlock>(screen.renderer, {
    source,
    theme: plainTheme({ searchMatch: "#000080" }),
    widthMethod: "unicode",
    clock,
    followMs,
    events: {
      changed: () => (heard.changes += 1),
      selected: (text) => heard.selected.push(text),
      open: () => {},
      atStart: () => {},
    },
  })
  screen.renderer.root.add(view.node)
  view.resize(width, height)
  view.setBlocks(blocks)
  const shows = async (): Promise<string> => {
    await screen.renderOnce()
    return screen
      .captureCharFrame()
      .split("\n")
      .map((row) => row.replace(/▐$/, "").trimEnd())
      .join("\n")
      .trimEnd()
  }
  return { ...screen, view, clock, heard, shows }
}

const many = Array.from({ length: 200 }, (_, place) => block(`b${place}`, `line ${place}`))
const numbered = (count: number): readonly TestBlock[] => many.slice(0, count)

test("a view follows the end, stays where the reader goes, and says what is new below", async () => {
  await using screen = await open(20, 3, numbered(5))
  const { view, shows } = screen
  expect(await shows()).toContain("line 4")
  expect(view.scrollBy(-1)).toBe(true)
  const still = await shows()
  expect(still).toStartWith(" line 1")
  view.setBlocks(numbered(8))
  expect(await shows()).toStartWith(" line 1")
  expect(view.newBelow).toBe(3)
  view.toBottom()
  expect(await shows()).toStartWith(" line 5")
  expect(view.newBelow).toBe(0)
  view.setBlocks(numbered(9))
  expect(await shows()).toStartWith(" line 6")
})

test("a view that follows scrolls at a pace, and fills its last row meanwhile", async () => {
  await using screen = await open(20, 3, numbered(5), 100)
  const { view, clock, shows } = screen
  const last = async (): Promise<string> => (await shows()).split("\n").at(-1)?.trim() ?? ""
  expect(await last()).toBe("line 4")
  view.setBlocks([...numbered(5), block("tail", "a")])
  expect(await last()).toBe("a")
  view.setBlocks([...numbered(5), block("tail", "a b")])
  expect(await last()).toBe("a b")
  // The next row waits for its time; the reader is at the end all the while.
  view.setBlocks([...numbered(5), block("tail", "a b c\nd"), block("more", "e")])
  expect(await last()).toBe("a b c")
  expect(view.following).toBe(true)
  expect(view.newBelow).toBe(0)
  clock.run()
  expect(await last()).toBe("e")
  // What the reader asks for does not wait.
  view.setBlocks([...numbered(5), block("tail", "a b c\nd"), block("more", "e\nf\ng")])
  expect(await last()).toBe("e")
  view.toBottom()
  expect(await last()).toBe("g")
  view.setBlocks(numbered(20))
  view.scrollBy(-2)
  const still = await shows()
  clock.run()
  expect(await shows()).toBe(still)
})

test("what takes long to lay out, and what comes in leaps, is painted with the scrolls alone", async () => {
  await using screen = await open(20, 3, numbered(5), 100)
  const { view, clock, shows } = screen
  await shows()
  expect(view.waiting).toBe(false)
  const slow = block("slow", "a table of a thousand rows")
  // Reading its text takes a while.
  const text = (): string => ((clock.time += 20), "a table")
  view.setBlocks([...numbered(5), Object.defineProperty({ ...slow }, "text", { get: text, enumerable: true })])
  await shows()
  expect(view.waiting).toBe(true)
  clock.run()
  view.setBlocks([...numbered(5), slow])
  await shows()
  clock.run()
  view.setBlocks([...numbered(5), slow, block("more", "b")])
  await shows()
  expect(view.waiting).toBe(false)
  clock.run()
  view.setBlocks(numbered(40))
  await shows()
  expect(view.waiting).toBe(true)
})

const sizes = [
  [200, 50],
  [100, 30],
  [60, 20],
  [40, 10],
] as const

test("rows fill the view at every size, and nothing is drawn outside it", async () => {
  for (const [width, height] of sizes) {
    await using screen = await open(width, height, numbered(100))
    const rows = (await screen.shows()).split("\n")
    expect(rows.length).toBe(height)
    expect(rows[0]).toStartWith(` line ${100 - height}`)
    expect(rows[height - 1]).toStartWith(" line 99")
    expect(rows.every((row) => row.length <= width)).toBe(true)
  }
})

test("forty resizes later it looks as if it had been opened at that size", async () => {
  const blocks = many.map((one, place) => ({ ...one, text: `${one.text} ${"word 中文 ".repeat(place % 7)}end` }))
  await using screen = await open(80, 24, blocks)
  for (let round = 0; round < 40; round++) {
    const [width, height] = [40 + ((round * 13) % 80), 8 + ((round * 7) % 40)]
    screen.resize(width, height)
    screen.view.resize(width, height)
    await screen.renderOnce()
  }
  screen.resize(80, 24)
  screen.view.resize(80, 24)
  await using fresh = await open(80, 24, blocks)
  expect(await screen.shows()).toBe(await fresh.shows())
})

test("scrolling through wide characters paints what a fresh screen paints, cell by cell", async () => {
  const blocks = Array.from({ length: 60 }, (_, place) =>
    block(`b${place}`, `${place} ${"中".repeat(place % 9)}a👩‍👩‍👧${"文字 ".repeat(place % 5)}🇩🇪|`),
  )
  await using screen = await open(23, 8, blocks)
  for (let step = 0; step < 40; step++) {
    screen.view.scrollBy(step % 3 === 0 ? 2 : -3)
    await screen.renderOnce()
    await using fresh = await open(23, 8, blocks)
    fresh.view.restorePlace(screen.view.place)
    await fresh.renderOnce()
    // The scrollbar goes by guesses where a view has not been; everything else is the same.
    const cells = (one: typeof screen): string => one.captureCharFrame().replaceAll("▐", " ")
    expect(cells(screen)).toBe(cells(fresh))
  }
})

test("a search moves nothing until it is asked to, finds folded text, and gives the place back", async () => {
  const folded = block("tool", "needle one\nhay\nneedle two", { group: "call", folded: true })
  await using screen = await open(30, 5, [folded, ...numbered(50)])
  const { view, clock } = screen
  const before = await screen.shows()
  view.search("needle")
  clock.run()
  expect(await screen.shows()).toBe(before)
  expect(view.searchState).toMatchObject({ total: 2, current: null, scanning: false })
  expect(view.toMatch(-1)).toBe(true)
  expect(await screen.shows()).toContain("needle two")
  expect(view.searchState.current).toBe(2)
  view.toMatch(1)
  expect(view.searchState.current).toBe(1)
  view.toMatch(-1)
  expect(view.closeSearch(true)).toBe(true)
  expect(await screen.shows()).toBe(before)
  view.toTop()
  expect(await screen.shows()).toStartWith(" ▸ tool\n line 0")
})

test("a match that wraps is marked on both rows", async () => {
  await using screen = await open(14, 4, [block("a", "some words together")])
  screen.view.search("words together")
  screen.clock.run()
  await screen.renderOnce()
  const marked = screen
    .captureSpans()
    .lines.flatMap(({ spans }) => spans.filter(({ bg }) => bg.toInts()[2] === 128).map(({ text }) => text.trim()))
  expect(marked).toEqual(["words", "together"])
})

test("a query that is no pattern says so and finds nothing", async () => {
  await using screen = await open(30, 5, numbered(10))
  screen.view.search("(", { regex: true })
  expect(screen.view.searchState).toMatchObject({ total: 0, query: "(" })
  expect(screen.view.searchState.problem).toContain("Not a regular expression")
  expect(screen.view.toMatch(1)).toBe(false)
})

test("prompts are jumped to, one after the other", async () => {
  const blocks = many.slice(0, 60).map((one, place) => ({ ...one, prompt: place % 20 === 0 }))
  await using screen = await open(30, 6, blocks)
  const first = async (): Promise<string> => (await screen.shows()).split("\n")[0]?.trim() ?? ""
  expect(screen.view.toBlock(-1, ({ prompt }) => prompt)).toBe(true)
  expect(await first()).toBe("line 40")
  screen.view.toBlock(-1, ({ prompt }) => prompt)
  expect(await first()).toBe("line 20")
  screen.view.toBlock(1, ({ prompt }) => prompt)
  expect(await first()).toBe("line 40")
  screen.view.toBlock(1, ({ prompt }) => prompt)
  expect(screen.view.following).toBe(true)
})

test("the wheel scrolls, a click folds, and a drag selects text as it was written", async () => {
  const long = block("long", "a line of words that wraps here\tand ends")
  await using screen = await open(20, 6, [block("tool", "x\ny", { group: "call", folded: true }), long, ...numbered(3)])
  const { view, mockMouse } = screen
  view.toTop()
  await screen.renderOnce()
  await mockMouse.click(2, 0)
  expect(await screen.shows()).toStartWith(" ▾ tool\n x\n y")
  await mockMouse.drag(3, 3, 3, 5)
  expect(screen.heard.selected).toEqual(["line of words that wraps here\tand"])
  // What was dragged takes part in nothing else until the next frame.
  await screen.renderOnce()
  await mockMouse.scroll(2, 2, "down")
  expect(view.following).toBe(true)
})

test("two clicks select a word, three a line", async () => {
  await using screen = await open(40, 4, [block("a", "see src/tui/rows.ts for more")])
  await screen.renderOnce()
  await screen.mockMouse.doubleClick(8, 0)
  expect(screen.heard.selected.at(-1)).toBe("src/tui/rows.ts")
  await screen.mockMouse.click(8, 0)
  expect(screen.heard.selected.at(-1)).toBe("see src/tui/rows.ts for more")
})

test("text is selected with the keyboard, by character, line and block, over wraps and blocks", async () => {
  const blocks = [block("a", "first block 中文"), block("b", "second block\nwith two lines", { gap: 1 })]
  await using screen = await open(12, 8, blocks)
  const { view } = screen
  expect(view.copy.open()).toBe(true)
  expect(view.selectedText()).toBe("with two lines")
  view.copy.move("blockPrevious")
  view.copy.mark("character")
  view.copy.move("wordStartRight")
  expect(view.selectedText()).toBe("second b")
  view.copy.swapEnds()
  view.copy.move("blockPrevious")
  expect(view.selectedText()).toBe("first block 中文\n\nsecond b")
  view.copy.mark("line")
  expect(view.selectedText()).toBe("first block 中文\n\nsecond block")
  view.copy.mark("block")
  expect(view.selectedText()).toBe("first block 中文\n\nsecond block\nwith two lines")
  expect(view.copy.close()).toBe(true)
  expect(view.selectedText()).toBe("")
})

test("the cursor is seen on every line that it can be on, empty ones too", async () => {
  await using screen = await open(20, 5, [block("a", "one\n\nthree")])
  const { view } = screen
  view.copy.open()
  const seen: string[] = []
  for (let row = 0; row < 3; row++) {
    await screen.renderOnce()
    const { lines } = screen.captureSpans()
    const marked = lines.flatMap(({ spans }, line) =>
      spans.flatMap(({ text, attributes }) =>
        (attributes & TextAttributes.INVERSE) !== 0 || text.includes("█") ? [`${line}:${text.trim()}`] : [],
      ),
    )
    seen.push(marked.join(" "))
    view.copy.move("up")
  }
  expect(seen).toEqual(["2:t", "1:█", "0:o"])
})
