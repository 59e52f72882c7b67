/**
 * A whole conversation as plain text, for a pager, an editor or a file: what was said as it was written, what was done with all that is held of it.
 *
 * - It is clean, and holds no mark that only a screen needs.
 */
import type { View } from "../protocol/view.ts"
import type { EntryRecord } from "../protocol/records.ts"
import type { Port } from "../protocol/port.ts"
import type { Block } from "./blocks/block.ts"
import { allBlocks, blocksOf } from "./blocks/blocks-of.ts"
import { blockSource } from "./blocks/content.ts"
import { messageOf } from "./blocks/written.ts"
import { plainHighlighter } from "./highlight/highlighter.ts"
import { unitTexts } from "./rows/content.ts"

/** Entries that are asked for at a time. */
const pageEntries = 1_000

/** Every entry that the conversation sees, the oldest first; what the view holds is not asked for again. */
export async function allEntries(
  port: Pick<Port, "request">,
  view: View,
  conversation: number,
  first: number,
): Promise<readonly EntryRecord[]> {
  const pages: (readonly EntryRecord[])[] = []
  let before = first
  while (before > 0) {
    const page = await port.request({ type: "entries", conversation, before, limit: pageEntries })
    pages.unshift(page.entries)
    const next = page.older ? (page.entries[0]?.id ?? 0) : 0
    // A page that brings nothing older ends it.
    before = next < before ? next : 0
  }
  return [...pages.flat(), ...view.entries]
}

const source = blockSource(plainHighlighter)

function textOf(block: Block): string {
  const message = messageOf(block)
  if (block.kind === "input") return (message ?? "").replace(/^/gm, "> ")
  if (block.kind === "thinking") return (message ?? "").trim().replace(/^/gm, "~ ")
  return message ?? unitTexts(source.content(block, true, undefined)).join("\n")
}

/** The conversation as text. Blank lines stand between its parts. */
export function transcriptText(view: View, entries: readonly EntryRecord[], conversation: number, now: number): string {
  const parts = allBlocks(blocksOf({ ...view, entries }, conversation, now))
    .filter(({ kind }) => kind !== "working")
    .map((block) => textOf(block).trimEnd())
  return `${parts.filter((text) => text !== "").join("\n\n")}\n`
}
