/**
 * What a block says, before it meets a width: parts, each of which is some lines.
 *
 * - Parts are kept by identity: a part that did not change keeps its rows, so a growing answer pays for its last part alone.
 * - A part's content never depends on a width, a theme or a time.
 */
import type { WidthMethod } from "../../std/text.ts"
import { layoutLines } from "./layout.ts"
import { spansText, type Layout, type Line, type Row, type Unit } from "./row.ts"
import { tableCells } from "./table.ts"

/** `last` is how many of its last rows are shown, for what grows and is only glanced at; all where there is none. */
export type Part = { readonly lines: readonly Line[]; readonly last?: number }

export type Content = {
  readonly parts: readonly Part[]
  /** Something, colours of code, is still being made: asking again later may give other parts. */
  readonly pending: boolean
}

/** What a view of rows must know of a block to show it. */
export type RowBlock = {
  /** The same for as long as it is the same thing to a reader, also when what it says changes. */
  readonly key: string
  /** Blank rows above it, where it is not the first. */
  readonly gap: 0 | 1
  /** Blocks of one group are folded and unfolded together; null: cannot be folded. */
  readonly group: string | null
  readonly folded: boolean
  /** Begins what a reader would call a new exchange. */
  readonly prompt: boolean
  /** Code units, for a guess at its height. */
  readonly size: number
}

export type RowSource<B extends RowBlock> = {
  /** `previous` is what this gave for the block of the same key last time, in the same state of folding. */
  content(block: B, open: boolean, previous: Content | undefined): Content
}

type PartLayout = { readonly width: number; readonly method: WidthMethod; readonly layout: Layout }
const layouts = new WeakMap<Part, PartLayout>()

function layoutPart(part: Part, width: number, method: WidthMethod): Layout {
  const known = layouts.get(part)
  if (known?.width === width && known.method === method) return known.layout
  const whole = layoutLines(part.lines, width, method)
  const layout = part.last === undefined ? whole : { ...whole, rows: whole.rows.slice(-part.last) }
  layouts.set(part, { width, method, layout })
  return layout
}

const blank: Row = { spans: [], text: "", pieces: [], continued: false }

export function layoutContent(content: Content, gap: number, width: number, method: WidthMethod): Layout {
  const [only] = content.parts
  if (gap === 0 && content.parts.length === 1 && only !== undefined) return layoutPart(only, width, method)
  const rows: Row[] = gap === 1 ? [blank] : []
  const units: Unit[] = []
  for (const part of content.parts) {
    const layout = layoutPart(part, width, method)
    for (const row of layout.rows) rows.push(row)
    for (const unit of layout.units) units.push(unit)
  }
  return { rows, units }
}

/** The texts of a content's units, in the order in which laying out makes them, without laying anything out. */
export function unitTexts(content: Content): readonly string[] {
  return content.parts.flatMap(({ lines }) => lines.flatMap(lineTexts))
}

function lineTexts(line: Line): readonly string[] {
  if (line.kind === "text") return [spansText(line.spans)]
  if (line.kind === "rule") return []
  if (line.kind === "drawing") return line.source.map(({ spans }) => spansText(spans))
  return tableCells(line).flatMap((cells) => cells.map(spansText))
}
