/**
 * The passage most like an old text that was not found, so that the model sees what it got wrong.
 *
 * - Likeness is shared words, line by line; a passage that shares less than half is not told.
 */
import { headChars } from "../std/lines.ts"

/** Lines of a file that are compared: more would take longer than the answer is worth. */
const linesMax = 20_000
/** Lines of the old text that are compared. */
const oldLinesMax = 12
/** Of a line that is quoted. */
const quoteChars = 200
const likenessMin = 0.5

type Words = ReadonlySet<string>

function wordsOf(line: string): Words {
  return new Set(headChars(line, 1_000).match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu) ?? [])
}

/** From 0, nothing shared, to 1, the same words. Two lines without words are alike. */
function likeness(a: Words, b: Words): number {
  if (a.size + b.size === 0) return 1
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return (2 * shared) / (a.size + b.size)
}

function quoted(line: string | undefined): string {
  if (line === undefined) return "(the file ends)"
  const text = headChars(line, quoteChars)
  return JSON.stringify(text.length < line.length ? `${text}…` : text)
}

/** A sentence or nothing: where the nearest passage is, and the first line that differs. */
export function nearestText(original: string, oldText: string): string {
  const lines = original.split("\n", linesMax).map((line) => line.replace(/\r$/, ""))
  const old = oldText.replace(/\r?\n$/, "").split(/\r?\n/)
  const wanted = old.slice(0, oldLinesMax).map(wordsOf)
  const have = lines.map(wordsOf)
  let best = { line: -1, likeness: 0 }
  for (let line = 0; line < have.length; line++) {
    let sum = 0
    for (const [at, words] of wanted.entries()) sum += likeness(words, have[line + at] ?? new Set(["\0"]))
    const mean = sum / wanted.length
    if (mean > best.likeness) best = { line, likeness: mean }
  }
  if (best.likeness < likenessMin) return " Nothing like it is there: read the file again."
  const differs = old.findIndex((line, at) => lines[best.line + at] !== line)
  const at = best.line + Math.max(0, differs)
  return ` The nearest is line ${best.line + 1}; line ${at + 1} is ${quoted(lines[at])} where oldText has ${quoted(old[Math.max(0, differs)])}.`
}
