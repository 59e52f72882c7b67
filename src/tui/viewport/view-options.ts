/** What a view of rows is given, and whom it tells. */
import type { Theme } from "../../home/theme.ts"
import type { Clock } from "../../std/clock.ts"
import type { WidthMethod } from "../../std/text.ts"
import type { RowBlock, RowSource } from "../rows/content.ts"

export type RowViewEvents<B> = {
  /** What others show of the view changed: whether it follows, what is new below, where a search stands. */
  changed(): void
  /** Text was selected with the mouse. */
  selected(text: string): void
  /** A block was asked to be shown in full. */
  open(block: B): void
  /** The reader went somewhere. */
  moved?(): void
  /** The first block came into view: older ones may be fetched. */
  atStart(): void
}

export type RowViewOptions<B extends RowBlock> = {
  readonly source: RowSource<B>
  readonly theme: Theme
  readonly widthMethod: WidthMethod
  readonly clock: Clock
  /** Milliseconds between two scrolls of a view that follows its end: scrolling repaints everything. 0 where that does not matter. */
  readonly followMs?: number
  readonly events: RowViewEvents<B>
}
