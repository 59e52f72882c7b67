/**
 * What changed between two texts, as a unified diff for people.
 *
 * - Only the passage between the first and the last difference is compared, so a small change in a large file costs little.
 * - A change too large to read is told as that, with no diff: nothing here takes long or grows without bound.
 * - Where every line end changed, or none, lines are compared without them.
 */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch, type StructuredPatchHunk } from "diff"

export type TextDiff = {
  readonly diff: string
  readonly added: number
  readonly removed: number
  /** The first line that differs, from 1, in the new text. */
  readonly firstLine: number
  /** True when there is more to it than `diff` could show. */
  readonly tooLarge: boolean
}

/** Code units of the passage that is compared, and of the diff that is kept with the result. */
const passageCharsMax = 512 * 1024
const diffCharsMax = 128 * 1024
/** Lines removed and added beyond which no least difference is looked for, but one passage for another: time grows with their square. */
const editsMax = 600
const contextLines = 3

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}

/** The difference between `before` (null: there was no file) and `after`; `name` stands in its head. */
export function diffOf(name: string, before: string | null, after: string): TextDiff {
  const plain = (text: string): string => text.replaceAll("\r\n", "\n")
  const [plainBefore, plainAfter] = [plain(before ?? ""), plain(after)]
  const onlyEnds = plainBefore === plainAfter
  const a = linesOf(onlyEnds ? (before ?? "") : plainBefore)
  const b = linesOf(onlyEnds ? after : plainAfter)
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const firstLine = head + 1
  const start = Math.max(0, head - contextLines)
  const keep = Math.max(0, tail - contextLines)
  const from = a.slice(start, a.length - keep).join("")
  const to = b.slice(start, b.length - keep).join("")
  const large = { added: b.length - head - tail, removed: a.length - head - tail, firstLine, diff: "", tooLarge: true }
  if (from.length + to.length > passageCharsMax) return large
  const options = { context: contextLines, maxEditLength: editsMax }
  const old = before === null ? "/dev/null" : name
  const least = structuredPatch(old, name, from, to, undefined, undefined, options)
  const patch = least ?? { ...emptyPatch(old, name), hunks: [oneForOther(linesOf(from), linesOf(to))] }
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + start,
    newStart: hunk.newStart + start,
  }))
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const added = lines.filter((line) => line.startsWith("+")).length
  const removed = lines.filter((line) => line.startsWith("-")).length
  const diff = hunks.length === 0 ? "" : formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY)
  if (diff.length > diffCharsMax) return { ...large, added, removed }
  return { diff, added, removed, firstLine, tooLarge: false }
}

function emptyPatch(oldFileName: string, newFileName: string): StructuredPatch {
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [] }
}

/** All lines of `from` out and all of `to` in, but for what they have in common at both ends. */
function oneForOther(from: readonly string[], to: readonly string[]): StructuredPatchHunk {
  const most = Math.min(from.length, to.length)
  let head = 0
  while (head < most && from[head] === to[head]) head++
  let tail = 0
  while (tail < most - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++
  const marked = (mark: string, lines: readonly string[]): string[] =>
    lines.flatMap((line) => (line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, noNewline]))
  const lines = [
    ...marked(" ", from.slice(0, head)),
    ...marked("-", from.slice(head, from.length - tail)),
    ...marked("+", to.slice(head, to.length - tail)),
    ...marked(" ", from.slice(from.length - tail)),
  ]
  return { oldStart: 1, oldLines: from.length, newStart: 1, newLines: to.length, lines }
}

const noNewline = "\\ No newline at end of file"
