/**
 * Where things stand: sizes and slots in, rectangles out.
 *
 * - The footer, a row of text in the editor and the rule above it are always there; everything else gives way to them, down to 40 by 10.
 * - Rectangles never overlap, never leave the screen, and together with the dividers cover it.
 * - Wide screens show the side slot beside `main`; under `side.from` columns the panels of both share one place, as tabs; under
 *   `tabsColumns` columns, or where rows are few, the tabs go and one panel is left, with its name over it unless it is the main one.
 */
import type { SlotSettings } from "./options.ts"

export type Rect = { readonly left: number; readonly top: number; readonly width: number; readonly height: number }

export type SlotName = "main" | "side" | "bottom"

/** A panel's place: `title` is the row above it, where it has one. */
export type Placed = {
  readonly id: string
  readonly slot: SlotName
  readonly title: Rect | null
  readonly body: Rect
}

/** What a person has changed of the slots: panels that are hidden, the one that has the screen for itself. */
export type Arrangement = {
  readonly slots: SlotSettings
  readonly hidden: ReadonlySet<string>
  readonly zoomed: string | null
}

export type LayoutInput = {
  readonly columns: number
  readonly rows: number
  readonly arrangement: Arrangement
  /** The panel that is in front where only one can be. */
  readonly front: string
  /** Rows that the text in the editor has, rows of waiting inputs, rows of banners. */
  readonly editorRows: number
  readonly queueRows: number
  readonly bannerRows: number
}

export type Layout = {
  readonly panels: readonly Placed[]
  /** All that can be seen or turned to, in the order in which a key goes through them. */
  readonly order: readonly string[]
  /** The row of tabs, and what stands in it. */
  readonly tabs: { readonly rect: Rect; readonly ids: readonly string[] } | null
  readonly divider: Rect | null
  readonly banner: Rect
  readonly queue: Rect
  /** The line above the editor: what is going on. */
  readonly rule: Rect
  readonly editor: Rect
  readonly footer: Rect
}

/** Under this many columns tabs would be all names and no room. */
const tabsColumns = 60
/** Under this many rows a row of tabs costs too much of the text. */
const tabsRows = 14
/** From this many rows on the bottom slot has a place of its own also on a screen that is not wide. */
const bottomFromRows = 24
/** What a click or a drag must leave of `main` above the bottom slot, in rows, its own title included. */
const bottomRowsMin = 4
/** What the chat keeps beside a side slot, and the least that a side panel is worth. */
const mainColumnsMin = 40
const sideColumnsMin = 24
/** The editor grows to this part of the rows, and always to this many where they are there. */
const editorShare = 0.3
const editorRowsMin = 5
/** Rows of panel that stay, whatever banner, queue and editor want. */
const panelRowsMin = 3

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

/** Rows for text in the editor on a screen of `rows`. */
export function editorRowsMax(rows: number): number {
  return Math.max(1, Math.min(Math.max(editorRowsMin, Math.floor(rows * editorShare)), rows - 2 - panelRowsMin))
}

/** `total` in `count` parts that differ by at most one, larger ones first. */
function parts(total: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => Math.floor(total / count) + (place < total % count ? 1 : 0))
}

type Filled = Pick<Layout, "panels" | "order" | "tabs" | "divider">
type Block = Omit<Layout, keyof Filled> & { readonly area: Rect }

/** The rows from the bottom up: footer, editor, rule, queue, banner; what is left is for panels. */
function block(input: LayoutInput): Block {
  const width = Math.max(1, input.columns)
  const rows = Math.max(3, input.rows)
  const row = (top: number, height: number): Rect => ({ left: 0, top, width, height })
  const editorRows = clamp(input.editorRows, 1, editorRowsMax(rows))
  const spare = Math.max(0, rows - 2 - editorRows - panelRowsMin)
  const bannerRows = Math.min(input.bannerRows, spare)
  const queueRows = Math.min(input.queueRows, spare - bannerRows)
  const footerRows = input.arrangement.slots.footer.length > 0 ? 1 : 0
  const areaRows = rows - 1 - footerRows - editorRows - bannerRows - queueRows
  let top = areaRows
  const next = (height: number): Rect => {
    const rect = row(top, height)
    top += height
    return rect
  }
  return {
    area: row(0, areaRows),
    banner: next(bannerRows),
    queue: next(queueRows),
    rule: next(1),
    editor: next(editorRows),
    footer: next(footerRows),
  }
}

const shown = (ids: readonly string[], arrangement: Arrangement): readonly string[] =>
  ids.filter((id) => !arrangement.hidden.has(id))

/** One panel at a time, with a row of tabs where there is room and a choice. */
function oneOf(ids: readonly string[], input: LayoutInput, area: Rect): Filled {
  const front = ids.includes(input.front) ? input.front : ids[0]
  if (front === undefined) return { panels: [], order: [], tabs: null, divider: null }
  const slot = slotOf(input.arrangement.slots, front)
  const withTabs = ids.length > 1 && input.columns >= tabsColumns && input.rows >= tabsRows
  const body = { ...area, top: area.top + 1, height: area.height - 1 }
  if (!withTabs) {
    const titled = slot !== "main" && area.height > panelRowsMin
    const title = titled ? { ...area, height: 1 } : null
    return { panels: [{ id: front, slot, title, body: titled ? body : area }], order: ids, tabs: null, divider: null }
  }
  return {
    panels: [{ id: front, slot, title: null, body }],
    order: ids,
    tabs: { rect: { ...area, height: 1 }, ids },
    divider: null,
  }
}

export function slotOf(slots: SlotSettings, id: string): SlotName {
  return slots.side.stack.includes(id) ? "side" : slots.bottom.includes(id) ? "bottom" : "main"
}

/** Panels one over the other, each with a title. */
function stack(ids: readonly string[], slot: SlotName, area: Rect): readonly Placed[] {
  // A panel needs its title and a row; what finds no room is not shown rather than shown empty.
  const fitting = ids.slice(0, Math.max(1, Math.floor(area.height / 2)))
  let top = area.top
  return parts(area.height, fitting.length).map((height, place) => {
    const placed: Placed = {
      id: fitting[place] ?? "",
      slot,
      title: { ...area, top, height: 1 },
      body: { ...area, top: top + 1, height: height - 1 },
    }
    top += height
    return placed
  })
}

function sideColumns(input: LayoutInput): number {
  const wanted = Math.round((input.columns * input.arrangement.slots.side.size) / 100)
  return clamp(wanted, sideColumnsMin, Math.max(sideColumnsMin, input.columns - mainColumnsMin - 1))
}

/** Rows of the bottom slot, where it leaves the others something. */
function bottomRows(count: number, area: Rect, size: number): number {
  if (count === 0 || area.height < 3 * panelRowsMin) return 0
  return clamp(Math.round((area.height * size) / 100), bottomRowsMin, area.height - bottomRowsMin)
}

export function layout(input: LayoutInput): Layout {
  const { area, ...rest } = block(input)
  const { arrangement } = input
  const main = shown(arrangement.slots.main, arrangement)
  const side = shown(arrangement.slots.side.stack, arrangement)
  const bottom = shown(arrangement.slots.bottom, arrangement)
  const all = [...main, ...side, ...bottom]
  if (arrangement.zoomed !== null && all.includes(arrangement.zoomed)) {
    return { ...rest, ...oneOf([arrangement.zoomed], input, area) }
  }
  const wide = input.columns >= arrangement.slots.side.from
  const below = wide || (input.columns >= tabsColumns && input.rows >= bottomFromRows)
  const low = below && main.length > 0 ? bottomRows(bottom.length, area, arrangement.slots.bottomSize) : 0
  const high: Rect = { ...area, height: area.height - low }
  if (low === 0 && (!wide || main.length === 0 || side.length === 0)) {
    return { ...rest, ...oneOf(all, input, area) }
  }
  const columns = side.length === 0 || !wide ? 0 : sideColumns(input)
  const mainArea: Rect = { ...high, width: area.width - (columns === 0 ? 0 : columns + 1) }
  const sideArea: Rect = { ...high, left: mainArea.width + 1, width: columns }
  const front = oneOf(wide ? main : [...main, ...side], input, mainArea)
  const panels = [
    ...front.panels,
    ...(columns === 0 ? [] : stack(side, "side", sideArea)),
    ...(low === 0 ? [] : stack(bottom, "bottom", { ...area, top: high.height, height: low })),
  ]
  const divider = columns === 0 ? null : { ...high, left: mainArea.width, width: 1 }
  const order = [...front.order, ...panels.slice(front.panels.length).map(({ id }) => id)]
  return { ...rest, panels, order, tabs: front.tabs, divider }
}

/** Part of the area at its lower and right edge that stands for a slot which shows nothing yet. */
const edgeShare = 0.25

/** The slot that a panel is dropped on; null outside of all of them. */
export function slotAt(placed: Layout, column: number, row: number): SlotName | null {
  const { width, top: height } = placed.banner
  if (row < 0 || row >= height || column < 0 || column >= width) return null
  const has = (slot: SlotName): boolean => placed.panels.some((panel) => panel.slot === slot)
  if (!has("bottom") && row >= height * (1 - edgeShare)) return "bottom"
  if (!has("side") && column >= width * (1 - edgeShare)) return "side"
  const at = placed.panels.find(({ title, body }) => {
    const top = title?.top ?? body.top
    return column >= body.left && column < body.left + body.width && row >= top && row < body.top + body.height
  })
  return at?.slot ?? "main"
}
