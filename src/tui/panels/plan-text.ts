/**
 * A plan file as blocks: each item with a box is one, what stands between is prose.
 *
 * - The file is the state. An item is known by its line; ticking it changes one character of that line and nothing else.
 * - Boxes inside a fence are code.
 */
import type { RowBlock } from "../rows/content.ts"

export type PlanBlock = RowBlock & {
  readonly text: string
  /** The item's line in the file, from 0, what stands before its text, and whether it is ticked; null for prose. */
  readonly item: { readonly line: number; readonly indent: number; readonly done: boolean } | null
}

const itemPattern = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\](?:\s+(.*))?$/

function planBlock(text: string, line: number, gap: 0 | 1, item: PlanBlock["item"]): PlanBlock {
  return { key: `l${line}`, gap, group: null, folded: false, prompt: false, size: text.length, text, item }
}

export function planBlocks(source: string): readonly PlanBlock[] {
  const blocks: PlanBlock[] = []
  const lines = source.split("\n").map((line) => line.replace(/\r$/, ""))
  let prose: string[] = []
  let blank = false
  let fence: string | null = null
  const flush = (end: number): void => {
    const text = prose.join("\n")
    const first = prose.findIndex((line) => line.trim() !== "")
    if (first >= 0) blocks.push(planBlock(text.trim(), end - prose.length + first, gapBefore(blocks, first > 0), null))
    blank = prose.at(-1)?.trim() === ""
    prose = []
  }
  lines.forEach((line, at) => {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1]
    if (mark !== undefined && (fence === null || fence === mark)) fence = fence === null ? mark : null
    const found = fence === null ? itemPattern.exec(line) : null
    if (found === null) {
      prose.push(line)
      return
    }
    flush(at)
    const indent = Math.floor((found[1]?.replaceAll("\t", "    ").length ?? 0) / 2)
    const item = { line: at, indent, done: found[2] !== " " }
    blocks.push(planBlock(found[3] ?? "", at, gapBefore(blocks, blank), item))
    blank = false
  })
  flush(lines.length)
  return blocks
}

/** A blank row where the file has one, and between prose and what follows it only there. */
function gapBefore(blocks: readonly PlanBlock[], blank: boolean): 0 | 1 {
  return blocks.length > 0 && blank ? 1 : 0
}

/** The file's text with the box of `line` changed; undefined where that line is no such item any more. */
export function toggleItem(source: string, line: number, done: boolean): string | undefined {
  const lines = source.split("\n")
  const found = itemPattern.exec((lines[line] ?? "").replace(/\r$/, ""))
  if (found === null || (found[2] !== " ") !== done) return undefined
  lines[line] = (lines[line] ?? "").replace(/\[[ xX]\]/, done ? "[ ]" : "[x]")
  return lines.join("\n")
}

export function progressOf(blocks: readonly PlanBlock[]): { readonly done: number; readonly total: number } {
  const items = blocks.flatMap(({ item }) => (item === null ? [] : [item]))
  return { done: items.filter(({ done }) => done).length, total: items.length }
}
