/**
 * A file that changed since the model last saw it: what changed, so that nothing of it is lost unseen.
 *
 * - The difference is told where the content that the model saw is still kept and the difference is small enough to be read. Else the model is
 *   told to read the file, and has not seen it yet.
 * - A file that the model never saw is none of this: what a call replaces is kept, and can be taken back.
 */
import { decodeText } from "./encoding.ts"
import { diffOf } from "./diff.ts"
import type { Before } from "./text-file.ts"
import type { ToolContext } from "./tool.ts"

/** Of a difference that a model is shown. */
const shownCharsMax = 8 * 1024

/** `diff` is null where it cannot be told. */
export type Stale = { readonly diff: string | null }

/** What is between the file as the model last saw it and `before`, what is there now; null where nothing is, or the model never saw it. */
export async function staleOf(real: string, before: Before, name: string, context: ToolContext): Promise<Stale | null> {
  if (before.kind === "missing") return null
  const seen = await context.history.seen(real)
  if (seen === null || seen === before.hash) return null
  const content = await context.history.content(seen)
  const decoded = content === null ? null : decodeText(content)
  if (decoded === null || !("text" in decoded) || before.kind !== "text") return { diff: null }
  const { diff } = diffOf(name, decoded.text, before.text)
  return { diff: diff === "" || diff.length > shownCharsMax ? null : diff }
}

/** What `write` answers instead of writing. */
export function refusalOf(path: string, { diff }: Stale): string {
  const start = `${path} changed since you last read or wrote it: nothing was written.`
  if (diff === null) return `${start} Read it again before you write it.`
  return `${start} What changed:\n${diff.trimEnd()}\nWrite it again with these changes kept, or without them if they are to go.`
}

/** What `edit` adds to its result: it has changed only the passages that it named. */
export function noteOf(path: string, { diff }: Stale): string {
  const start = `${path} had changed since you last read or wrote it, before this edit`
  return diff === null ? `${start}: read it again.` : `${start}. What had changed:\n${diff.trimEnd()}`
}
