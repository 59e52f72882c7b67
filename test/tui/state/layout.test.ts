import { expect, test } from "bun:test"
import { editorRowsMax, layout, slotAt, type Layout, type LayoutInput, type Rect } from "../../../src/tui/layout.ts"
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
  for (const [hidden, bottom] of [
    [[], []],
    [["plan"], []],
    [["tool", "plan"], []],
    [[], ["tasks"]],
    [
      ["tool", "plan"],
      ["tasks", "changes"],
    ],
  ] as const) {
    const arrangement = { slots: { ...defaultSlots, bottom }, hidden: new Set(hidden), zoomed: null }
    for (const [editorRows, queueRows, bannerRows] of [
      [1, 0, 0],
      [30, 4, 4],
      [3, 2, 1],
    ] as const) {
      const placed = layout(input({ columns, rows, arrangement, editorRows, queueRows, bannerRows }))
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
  expect(placed.order).toEqual(["chat", "tool", "plan"])
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

test("a zoomed panel has all of the screen but for the editor, and its name over it", () => {
  const placed = layout(input({ zoomed: "tool" }))
  const title = { left: 0, top: 0, width: 120, height: 1 }
  expect(placed.panels).toEqual([
    { id: "tool", slot: "side", title, body: { left: 0, top: 1, width: 120, height: 36 } },
  ])
})

test("where only one panel has room, one that is not the conversation says which it is", () => {
  const placed = layout(input({ columns: 40, rows: 10, front: "plan" }))
  expect(placed.panels[0]?.title).toEqual({ left: 0, top: 0, width: 40, height: 1 })
  expect(layout(input({ columns: 40, rows: 10 })).panels[0]?.title).toBeNull()
})

test("the panels below keep their place under a hundred columns, and are tabs under sixty", () => {
  const slots = { ...defaultSlots, bottom: ["tasks"] }
  const arrangement = { slots, hidden: new Set<string>(), zoomed: null }
  const placed = layout(input({ columns: 80, rows: 30, arrangement, front: "tool" }))
  expect(placed.tabs?.ids).toEqual(["chat", "tool", "plan"])
  expect(placed.panels.map(({ id, slot }) => `${slot} ${id}`)).toEqual(["side tool", "bottom tasks"])
  expect(placed.order).toEqual(["chat", "tool", "plan", "tasks"])
  expect(cover(placed, 80, 30).filter((count) => count !== 1)).toEqual([])
  const narrow = layout(input({ columns: 50, rows: 30, arrangement, front: "tasks" }))
  expect(narrow.panels.map(({ id }) => id)).toEqual(["tasks"])
  expect(narrow.order).toEqual(["chat", "tool", "plan", "tasks"])
})

test("without a footer the panels have its row", () => {
  const arrangement = { slots: { ...defaultSlots, footer: [] }, hidden: new Set<string>(), zoomed: null }
  const placed = layout(input({ arrangement }))
  expect(placed.footer.height).toBe(0)
  expect(placed.panels[0]?.body.height).toBe(38)
})

test("what is dropped lands in the slot it is dropped on, and an empty slot is at its edge", () => {
  const placed = layout(input())
  expect(slotAt(placed, 10, 3)).toBe("main")
  expect(slotAt(placed, 110, 3)).toBe("side")
  expect(slotAt(placed, 10, 35)).toBe("bottom")
  expect(slotAt(placed, 10, 39)).toBeNull()
  const alone = layout(input({ hidden: ["tool", "plan"] }))
  expect(slotAt(alone, 110, 3)).toBe("side")
  expect(slotAt(alone, 60, 3)).toBe("main")
})

test("a panel in the bottom slot has a third of the rows", () => {
  const slots = { ...defaultSlots, bottom: ["tasks"] }
  const placed = layout(input({ arrangement: { slots, hidden: new Set(), zoomed: null } }))
  const bottom = placed.panels.find(({ id }) => id === "tasks")
  expect(bottom?.slot).toBe("bottom")
  expect(bottom?.title?.top).toBe(37 - 12)
  const larger = layout(
    input({ arrangement: { slots: { ...slots, bottomSize: 60 }, hidden: new Set(), zoomed: null } }),
  )
  expect(larger.panels.find(({ id }) => id === "tasks")?.title?.top).toBe(37 - 22)
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
