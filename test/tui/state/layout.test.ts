import { expect, test } from "bun:test"
import {
  editorRowsMax,
  layout,
  visiblePanels,
  type Layout,
  type LayoutInput,
  type Rect,
} from "../../../src/tui/layout.ts"
import { defaultSlots } from "../../../src/tui/options.ts"

function input(
  more: Partial<LayoutInput> & { readonly hidden?: readonly string[]; readonly zoomed?: string } = {},
): LayoutInput {
  const { hidden = [], zoomed = null, ...rest } = more
  return {
    columns: 120,
    rows: 40,
    arrangement: { slots: defaultSlots, hidden: new Set(hidden), zoomed },
    front: "chat",
    editorRows: 1,
    queueRows: 0,
    bannerRows: 0,
    ...rest,
  }
}

function rects(placed: Layout): readonly Rect[] {
  const panels = placed.panels.flatMap(({ title, body }) => (title === null ? [body] : [title, body]))
  const others = [placed.banner, placed.queue, placed.rule, placed.editor, placed.footer]
  return [
    ...panels,
    ...others,
    ...(placed.tabs === null ? [] : [placed.tabs.rect]),
    ...(placed.divider === null ? [] : [placed.divider]),
  ].filter(({ width, height }) => width > 0 && height > 0)
}

/** How often each cell is covered. */
function cover(placed: Layout, columns: number, rows: number): readonly number[] {
  const cells = new Array<number>(columns * rows).fill(0)
  for (const { left, top, width, height } of rects(placed)) {
    for (let row = top; row < top + height; row++) {
      for (let column = left; column < left + width; column++) {
        const at = row * columns + column
        cells[at] = (cells[at] ?? Number.NaN) + 1
      }
    }
  }
  return cells
}

const sizes: readonly (readonly [number, number])[] = [
  [200, 50],
  [100, 30],
  [99, 30],
  [60, 20],
  [59, 14],
  [40, 10],
  [20, 5],
]

test.each(sizes)("at %d by %d every cell belongs to exactly one thing", (columns, rows) => {
  for (const hidden of [[], ["plan"], ["tool", "plan"]]) {
    for (const [editorRows, queueRows, bannerRows] of [
      [1, 0, 0],
      [30, 4, 4],
      [3, 2, 1],
    ] as const) {
      const placed = layout(input({ columns, rows, hidden, editorRows, queueRows, bannerRows }))
      expect(cover(placed, columns, rows).filter((count) => count !== 1)).toEqual([])
    }
  }
})

test("on a wide screen the side panels stand beside the conversation, each with a title", () => {
  const placed = layout(input())
  expect(placed.panels.map(({ id, slot }) => `${slot} ${id}`)).toEqual(["main chat", "side tool", "side plan"])
  expect(placed.panels.map(({ title }) => title !== null)).toEqual([false, true, true])
  expect(placed.tabs).toBeNull()
})

test("under a hundred columns the side panels are tabs, and the one in front has the place", () => {
  const placed = layout(input({ columns: 99, front: "plan" }))
  expect(placed.tabs?.ids).toEqual(["chat", "tool", "plan"])
  expect(placed.panels.map(({ id }) => id)).toEqual(["plan"])
  expect(visiblePanels(placed)).toEqual(["chat", "tool", "plan"])
})

test("under sixty columns there is one panel and no tabs", () => {
  const placed = layout(input({ columns: 59 }))
  expect(placed.tabs).toBeNull()
  expect(placed.panels.map(({ id }) => id)).toEqual(["chat"])
})

test("a hidden panel leaves its place to the others", () => {
  const placed = layout(input({ hidden: ["tool", "plan"] }))
  expect(placed.panels.map(({ id, body }) => [id, body.width])).toEqual([["chat", 120]])
})

test("a zoomed panel has all of the screen but for the editor", () => {
  const placed = layout(input({ zoomed: "tool" }))
  expect(placed.panels).toEqual([
    { id: "tool", slot: "side", title: null, body: { left: 0, top: 0, width: 120, height: 37 } },
  ])
})

test("a panel in the bottom slot has a third of the rows", () => {
  const slots = { ...defaultSlots, bottom: ["tasks"] }
  const placed = layout(input({ arrangement: { slots, hidden: new Set(), zoomed: null } }))
  const bottom = placed.panels.find(({ id }) => id === "tasks")
  expect(bottom?.slot).toBe("bottom")
  expect(bottom?.title?.top).toBe(37 - 12)
})

test("the editor grows with its text up to a part of the screen", () => {
  expect(layout(input({ editorRows: 3 })).editor.height).toBe(3)
  expect(layout(input({ editorRows: 100 })).editor.height).toBe(editorRowsMax(40))
  expect(editorRowsMax(10)).toBe(5)
})

test("on a low screen banners and queue give way before the conversation does", () => {
  const placed = layout(input({ columns: 40, rows: 10, editorRows: 5, queueRows: 4, bannerRows: 4 }))
  expect(placed.panels[0]?.body.height).toBe(3)
  expect([placed.banner.height, placed.queue.height]).toEqual([0, 0])
})
