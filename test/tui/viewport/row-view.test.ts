import { expect, test } from "bun:test"
import { createTestRenderer } from "@opentui/core/testing"
import { RowView } from "../../../src/tui/viewport/row-view.ts"
import { block, plainTheme, source, stillClock, type TestBlock } from "./blocks.ts"

async function open(width: number, height: number, blocks: readonly TestBlock[]) {
  const screen = await createTestRenderer({ width, height })
  const clock = stillClock()
  const heard = { changes: 0, selected: [] as string[] }
  const view = new RowView<TestBlock>(screen.renderer, {
    source,
    theme: plainTheme({ searchMatch: "#000080" }),
    widthMethod: "unicode",
    clock,
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
      .map((row) => row.trimEnd())
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
