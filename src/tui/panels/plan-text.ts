/**
 * A plan file as blocks: each item with a box is one, what stands between is prose.
 *
 * - The file is the state. An item is known by what it says, and by its line where several say the same; ticking it changes one character of
 *   that line and nothing else.
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

/** Which item of a plan a person means: what they saw of it. */
export type PlanItem = { readonly line: number; readonly done: boolean; readonly text: string }

/** The line of an item in `source`: the one that was seen, else the nearest that says the same; undefined where none does. */
function lineOf(source: string, seen: PlanItem): number | undefined {
  const lines = planBlocks(source).flatMap(({ item, text }) =>
    item !== null && item.done === seen.done && text === seen.text ? [item.line] : [],
  )
  return lines.toSorted((a, b) => Math.abs(a - seen.line) - Math.abs(b - seen.line))[0]
}

/** The file's text with the box of an item changed; undefined where there is no such item any more. */
export function toggleItem(source: string, seen: PlanItem): string | undefined {
  const line = lineOf(source, seen)
  if (line === undefined) return undefined
  const lines = source.split("\n")
  lines[line] = (lines[line] ?? "").replace(/\[[ xX]\]/, seen.done ? "[ ]" : "[x]")
  return lines.join("\n")
}

/** The file's text with a new item: behind `after` and as deep, else at the end. */
export function addItem(source: string, text: string, after: PlanItem | null): string {
  const end = source.includes("\r\n") ? "\r\n" : "\n"
  const line = after === null ? undefined : lineOf(source, after)
  if (line === undefined) {
    const gap = source === "" || source.endsWith("\n") ? "" : end
    return `${source}${gap}- [ ] ${text}${end}`
  }
  const lines = source.split("\n")
  const head = /^(\s*(?:[-*+]|\d{1,9}[.)])\s+)/.exec(lines[line] ?? "")?.[1] ?? "- "
  lines.splice(line + 1, 0, `${head}[ ] ${text}${end.slice(0, -1)}`)
  return lines.join("\n")
}

export function progressOf(blocks: readonly PlanBlock[]): { readonly done: number; readonly total: number } {
  const items = blocks.flatMap(({ item }) => (item === null ? [] : [item]))
  return { done: items.filter(({ done }) => done).length, total: items.length }
}
