/**
 * Where things stand: sizes and slots in, rectangles out.
 *
 * - The footer, a row of text in the editor and the rule above it are always there; everything else gives way to them, down to 40 by 10.
 * - Rectangles never overlap, never leave the screen, and together with the dividers cover it.
 * - Wide screens show the side slot beside `main`; under `side.from` columns all panels of both slots share one place, as tabs; under
 *   `tabsColumns` columns, or where rows are few, the tabs go and one panel is left.
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

type Block = Omit<Layout, "panels" | "tabs" | "divider"> & { readonly area: Rect }

/** The rows from the bottom up: footer, editor, rule, queue, banner; what is left is for panels. */
function block(input: LayoutInput): Block {
  const width = Math.max(1, input.columns)
  const rows = Math.max(3, input.rows)
  const row = (top: number, height: number): Rect => ({ left: 0, top, width, height })
  const editorRows = clamp(input.editorRows, 1, editorRowsMax(rows))
  const spare = Math.max(0, rows - 2 - editorRows - panelRowsMin)
  const bannerRows = Math.min(input.bannerRows, spare)
  const queueRows = Math.min(input.queueRows, spare - bannerRows)
  const areaRows = rows - 2 - editorRows - bannerRows - queueRows
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
    footer: next(1),
  }
}

const shown = (ids: readonly string[], arrangement: Arrangement): readonly string[] =>
  ids.filter((id) => !arrangement.hidden.has(id))

/** One panel at a time, with a row of tabs where there is room and a choice. */
function oneOf(ids: readonly string[], input: LayoutInput, area: Rect): Pick<Layout, "panels" | "tabs" | "divider"> {
  const front = ids.includes(input.front) ? input.front : ids[0]
  if (front === undefined) return { panels: [], tabs: null, divider: null }
  const slot: SlotName = input.arrangement.slots.side.stack.includes(front) ? "side" : "main"
  const withTabs = ids.length > 1 && input.columns >= tabsColumns && input.rows >= tabsRows
  if (!withTabs) return { panels: [{ id: front, slot, title: null, body: area }], tabs: null, divider: null }
  const body = { ...area, top: area.top + 1, height: area.height - 1 }
  return {
    panels: [{ id: front, slot, title: null, body }],
    tabs: { rect: { ...area, height: 1 }, ids },
    divider: null,
  }
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

/** Rows of the bottom slot: a third, where that leaves the others something. */
function bottomRows(count: number, area: Rect): number {
  if (count === 0 || area.height < 3 * panelRowsMin) return 0
  return Math.floor(area.height / 3)
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
  if (!wide || main.length === 0 || (side.length === 0 && bottom.length === 0)) {
    return { ...rest, ...oneOf(wide && main.length > 0 ? main : all, input, area) }
  }
  const low = bottomRows(bottom.length, area)
  const high: Rect = { ...area, height: area.height - low }
  const columns = side.length === 0 ? 0 : sideColumns(input)
  const mainArea: Rect = { ...high, width: area.width - (columns === 0 ? 0 : columns + 1) }
  const sideArea: Rect = { ...high, left: mainArea.width + 1, width: columns }
  const front = oneOf(main, input, mainArea)
  const panels = [
    ...front.panels,
    ...(columns === 0 ? [] : stack(side, "side", sideArea)),
    ...(low === 0 ? [] : stack(bottom, "bottom", { ...area, top: high.height, height: low })),
  ]
  const divider = columns === 0 ? null : { ...high, left: mainArea.width, width: 1 }
  return { ...rest, panels, tabs: front.tabs, divider }
}

/** The panels that can be seen, in the order in which a key goes through them. */
export function visiblePanels(placed: Layout): readonly string[] {
  return placed.tabs === null ? placed.panels.map((panel) => panel.id) : placed.tabs.ids
}
