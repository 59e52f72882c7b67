/**
 * Markdown to content: prose at once, never blank and never raw; code plain at first, coloured when the colours have come.
 *
 * - One part is one block of the text. A block that did not change keeps its part, and with it its rows.
 */
import { cleanControls } from "../../std/clean.ts"
import type { Highlighter } from "../highlight/highlighter.ts"
import type { Content, Part } from "../rows/content.ts"
import { blankLine } from "../rows/row.ts"
import { emptyDoc, parseDoc, reparse, type Chunk, type Doc } from "./doc.ts"
import { blockLines, type LineContext } from "./lines.ts"
import { isPlain } from "./rules.ts"
import { closeTail } from "./tail.ts"

type Made = { readonly part: Part; readonly pending: boolean; readonly open: boolean; readonly gap: boolean }

const docs = new WeakMap<Content, Doc>()
const made = new WeakMap<Chunk, Made>()

export type MarkdownOptions = {
  readonly highlighter: Highlighter
  /** More may follow: half marks at the end are shown as if they were closed. */
  readonly streaming: boolean
}

/** `previous` is what an earlier state of the text gave, if there is one. */
export function markdownContent(text: string, options: MarkdownOptions, previous?: Content): Content {
  const clean = cleanControls(text)
  const doc = parseDoc(clean, (previous && docs.get(previous)) ?? emptyDoc)
  const last = doc.chunks.length - 1
  let pending = false
  const parts: Part[] = []
  doc.chunks.forEach((chunk, place) => {
    const open = options.streaming && place === last
    const one = partOf(open ? settled(chunk) : chunk, open, parts.length > 0, options.highlighter)
    if (one.part.lines.length > 0) parts.push(one.part)
    pending ||= one.pending
  })
  const content: Content = { parts, pending }
  docs.set(content, doc)
  return content
}

/** The head of a table, of which the rule below it is still to come, as a table; null for anything else. */
function wholeTable(raw: string): string | null {
  const [, head] = /^ {0,3}(\|[^\n]*)(?:\n[ |:-]*)?$/.exec(raw) ?? []
  if (head === undefined) return null
  const closed = /\|\s*$/.test(head) && head.trim() !== "|" ? head.trimEnd() : `${head} |`
  const columns = closed.replace(/\\\|/g, "").split("|").length - 2
  return `${closed}\n|${"---|".repeat(Math.max(1, columns))}\n`
}

/** The last block as if its half marks were whole. Code has none. */
function settled(chunk: Chunk): Chunk {
  if (chunk.token.type === "code" || chunk.token.type === "html" || chunk.token.type === "table") return chunk
  if (isPlain(chunk.token.raw)) return chunk
  const table = wholeTable(chunk.token.raw)
  if (table !== null) return reparse(chunk, table)
  const raw = closeTail(chunk.token.raw)
  return raw === chunk.token.raw ? chunk : reparse(chunk, raw)
}

function partOf(chunk: Chunk, open: boolean, follows: boolean, highlighter: Highlighter): Made {
  const known = made.get(chunk)
  const gap = follows && chunk.gap
  if (known !== undefined && !known.pending && known.open === open && known.gap === gap) return known
  const context: LineContext = { highlighter, open, pending: false }
  const lines = blockLines(chunk.token, context)
  if (known?.pending === true && context.pending && known.open === open && known.gap === gap) return known
  const part: Part = { lines: gap && lines.length > 0 ? [blankLine, ...lines] : lines }
  const fresh: Made = { part, pending: context.pending, open, gap }
  made.set(chunk, fresh)
  return fresh
}
