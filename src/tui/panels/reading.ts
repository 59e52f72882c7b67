/** What every panel that is a view of rows is made of: the view, and its commands for scrolling, searching, folding, selecting. */
import { isObject, type Json } from "../../std/json.ts"
import type { Content, RowBlock } from "../rows/content.ts"
import { copyMoves, copyUnits, type CopyMove, type CopyUnit } from "../viewport/copy-mode.ts"
import { RowView } from "../viewport/row-view.ts"
import type { PanelCommand, PanelHost } from "./panel.ts"

export type PanelRows<B> = {
  content(block: B): Content
  /** A block was clicked, or opened by its key. */
  open?(block: B): void
  /** The first row came into view. */
  atStart?(): void
  /** What is shown changed; the host is told where this is left out. */
  changed?(): void
  /** See `PanelHost.followMs`. */
  readonly followMs?: number
}

export function panelRows<B extends RowBlock>(host: PanelHost, of: PanelRows<B>): RowView<B> {
  const { theme, widthMethod, clock } = host
  return new RowView<B>(host.context, {
    source: { content: (block) => of.content(block) },
    theme,
    widthMethod,
    clock,
    ...(of.followMs === undefined ? {} : { followMs: of.followMs }),
    events: {
      changed: () => (of.changed === undefined ? host.changed() : of.changed()),
      selected: (text) => host.selected(text),
      open: (block) => of.open?.(block),
      atStart: () => of.atStart?.(),
    },
  })
}

function field(args: Json | undefined, name: string): Json | undefined {
  return isObject(args) ? args[name] : undefined
}

function isCopyMove(value: Json | undefined): value is CopyMove {
  return copyMoves.some((move) => move === value)
}

function copyUnit(value: Json | undefined): CopyUnit {
  return copyUnits.find((unit) => unit === value) ?? "character"
}

export function readingCommands<B extends RowBlock>(
  rows: RowView<B>,
  host: PanelHost,
): Readonly<Record<string, PanelCommand>> {
  return {
    "scroll.pageUp": () => rows.pageBy(-1),
    "scroll.pageDown": () => rows.pageBy(1),
    "scroll.halfUp": () => rows.pageBy(-0.5),
    "scroll.halfDown": () => rows.pageBy(0.5),
    "scroll.lineUp": () => rows.scrollBy(-1),
    "scroll.lineDown": () => rows.scrollBy(1),
    "scroll.top": () => rows.toTop(),
    "scroll.bottom": () => rows.toBottom(),
    "scroll.previousPrompt": () => rows.toBlock(-1, ({ prompt }) => prompt),
    "scroll.nextPrompt": () => rows.toBlock(1, ({ prompt }) => prompt),
    "search.next": () => rows.toMatch(1),
    "search.previous": () => rows.toMatch(-1),
    "search.close": () => rows.closeSearch(true),
    "search.accept": () => rows.closeSearch(false),
    "block.fold": () => rows.toggleFold(),
    "block.next": () => rows.moveBlock(1),
    "block.previous": () => rows.moveBlock(-1),
    "block.copy": () => copyText(host, rows.currentBlock === undefined ? "" : rows.blockText(rows.currentBlock.index)),
    "block.copyCode": () => copyText(host, rows.codeText()),
    "copy.open": () => rows.copy.open(),
    "copy.close": () => rows.copy.close(),
    "copy.swapEnds": () => rows.copy.swapEnds(),
    "copy.mark": (args) => rows.copy.mark(copyUnit(field(args, "by"))),
    "copy.move": (args) => {
      const to = field(args, "to")
      return isCopyMove(to) && rows.copy.move(to)
    },
    "copy.accept": () => {
      if (!rows.copying) return false
      const text = rows.selectedText()
      rows.copy.close()
      if (text !== "") host.copy(text)
      return true
    },
  }
}

/** False where there is nothing to copy. */
export function copyText(host: PanelHost, text: string): boolean {
  if (text === "") return false
  host.copy(text)
  return true
}
