/** A list as it is narrowed and walked through: pure. The bar stays on its item while the filter changes, where the item is still there. */
import { cleanLine } from "../../std/clean.ts"
import { fuzzy } from "../../std/fuzzy.ts"
import type { Item } from "./dialog.ts"

export type List = {
  readonly items: readonly Item[]
  /** Whether the query narrows the items; else they are its answer. */
  readonly narrows: boolean
  readonly query: string
  /** What the filter leaves, best first. */
  readonly shown: readonly Item[]
  readonly place: number
}

/** More than anyone scrolls through: who looks further types a letter. */
const shownMax = 1_000

function narrow(items: readonly Item[], query: string, narrows: boolean): readonly Item[] {
  if (!narrows) return items.slice(0, shownMax)
  return fuzzy(query, items, ({ label, detail = "" }) => [label, detail], shownMax).map(({ item }) => item)
}

function placeOf(shown: readonly Item[], key: string | undefined): number {
  const found = shown.findIndex((item) => item.key === key)
  return Math.max(0, found)
}

export function makeList(items: readonly Item[], query: string, at: string | undefined, narrows = true): List {
  const clean = items.map((item) => ({
    ...item,
    label: cleanLine(item.label),
    ...(item.detail === undefined ? {} : { detail: cleanLine(item.detail) }),
  }))
  const shown = narrow(clean, query, narrows)
  return { items: clean, narrows, query, shown, place: query === "" || !narrows ? placeOf(shown, at) : 0 }
}

/** What is drawn, row by row: items by their place in `shown`, and the headings of groups while all items are shown. */
export type ListRow = { readonly heading: string } | { readonly place: number }

export function listRows({ query, shown, narrows }: Pick<List, "query" | "shown" | "narrows">): readonly ListRow[] {
  const grouped = query === "" && narrows
  return shown.flatMap((item, place): readonly ListRow[] => {
    const before = shown[place - 1]?.group
    const heading = grouped && item.group !== undefined && item.group !== before ? [{ heading: item.group }] : []
    return [...heading, { place }]
  })
}

export function chosen(list: List): Item | undefined {
  return list.shown[list.place]
}

/** The key that the bar stands on among other items: the chosen one, or, where it is gone, the nearest above it that is still there. */
export function stays({ shown, place }: List, items: readonly Item[]): string | undefined {
  const keys = new Set(items.map(({ key }) => key))
  return shown.slice(0, place + 1).findLast(({ key }) => keys.has(key))?.key
}

/** Another query: its best match is chosen; without one, the bar stays. */
export function ask(list: List, query: string): List {
  if (query === list.query) return list
  const shown = narrow(list.items, query, list.narrows)
  return { ...list, query, shown, place: query === "" ? placeOf(shown, chosen(list)?.key) : 0 }
}

/** The bar `by` rows on; one step beyond an end comes round, a page stops there. */
export function walk(list: List, by: number): List {
  const count = list.shown.length
  if (count === 0) return list
  const to = list.place + by
  const around = Math.abs(by) === 1
  const place = around ? (to + count) % count : Math.max(0, Math.min(count - 1, to))
  return { ...list, place }
}

/** The first row to show in `rows` rows, so that the bar is in view and the view moves as little as it can. */
export function scroll(first: number, place: number, rows: number, count: number): number {
  const least = Math.max(0, place - rows + 1)
  const most = Math.min(place, Math.max(0, count - rows))
  return Math.max(least, Math.min(first, most))
}
