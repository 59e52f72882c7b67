/**
 * Where the old text of an edit is, and the text with all edits made. Pure.
 *
 * - Every edit is matched against the original text, and either all are made or none.
 * - The ladder: to the letter; other line ends; spaces before a line's end; characters that look alike; runs of blanks; another indentation of
 *   the whole block. The first rung with a match decides; two matches on it are an error, never a choice.
 * - A loose match changes only what differs between old and new text (`edit-merge.ts`). Bytes outside the matches never change.
 */
import { assert } from "../std/assert.ts"
import { betweenUnits, fold, rawRange, type Folded, type FoldOptions } from "./edit-fold.ts"
import { findBlocks, shifted } from "./edit-indent.ts"
import { lineEndAt, merge, plainLineEnds, withLineEnd } from "./edit-merge.ts"
import { nearestText } from "./edit-nearest.ts"

export type Edit = { readonly oldText: string; readonly newText: string }

export type EditOutcome =
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string }

/** Code units beyond which only exact matches are looked for: folding keeps two numbers for each. */
const foldCharsMax = 4_000_000
/** Places that an error lists. */
const placesMax = 8

type Rung = { readonly name: string; readonly options: FoldOptions }

const plain: FoldOptions = { trailing: false, lookAlikes: false, runs: false }
const rungs: readonly Rung[] = [
  { name: "line ends", options: plain },
  { name: "spaces at line ends", options: { ...plain, trailing: true } },
  { name: "look-alike characters", options: { trailing: true, lookAlikes: true, runs: false } },
  { name: "spacing", options: { trailing: true, lookAlikes: true, runs: true } },
]
const loosest: FoldOptions = { trailing: true, lookAlikes: true, runs: true }

/** A raw range of the original and what takes its place. */
type Replacement = {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly loose: string | null
}

type Search =
  | { readonly found: "one"; readonly replacement: Replacement }
  | { readonly found: "many"; readonly at: readonly number[] }
  | { readonly found: "none" }

const none: Search = { found: "none" }

/** Views of one text, folded at most once for each rung. */
class Views {
  readonly raw: string
  readonly #views = new Map<FoldOptions, Folded>()

  constructor(raw: string) {
    this.raw = raw
  }

  get(options: FoldOptions): Folded {
    const view = this.#views.get(options) ?? fold(this.raw, options)
    this.#views.set(options, view)
    return view
  }
}

/** `original` with `edits` made, or the one sentence that says why not. `path` is for messages. */
export function applyEdits(original: string, edits: readonly Edit[], path: string): EditOutcome {
  if (edits.length === 0) return { ok: false, message: "There are no edits: give at least one {oldText, newText}." }
  const views = new Views(original)
  const made: { readonly replacement: Replacement; readonly name: string }[] = []
  for (const [index, edit] of edits.entries()) {
    const name = edits.length === 1 ? "oldText" : `edits[${index}].oldText`
    const fault = faultOf(edit, name)
    if (fault !== null) return { ok: false, message: fault }
    const search = find(views, edit)
    if (search.found === "none") return { ok: false, message: missing(original, edit, name, path) }
    if (search.found === "many") return { ok: false, message: ambiguous(original, search.at, name, path) }
    made.push({ replacement: search.replacement, name })
  }
  made.sort((a, b) => a.replacement.start - b.replacement.start || a.replacement.end - b.replacement.end)
  for (const [index, { replacement, name }] of made.entries()) {
    const before = made[index - 1]
    if (before === undefined || before.replacement.end <= replacement.start) continue
    const line = lineOf(original, replacement.start)
    return {
      ok: false,
      message: `${before.name} and ${name} overlap at line ${line} of ${path}: make one edit of them.`,
    }
  }
  const text = joined(
    original,
    made.map(({ replacement }) => replacement),
  )
  if (text === original) return { ok: false, message: `Nothing to change: ${path} already says that.` }
  const notes = made.flatMap(({ replacement, name }) =>
    replacement.loose === null
      ? []
      : [`${name} differed in ${replacement.loose} (line ${lineOf(original, replacement.start)})`],
  )
  return { ok: true, text, notes }
}

function faultOf(edit: Edit, name: string): string | null {
  if (edit.oldText === "") return `${name} is empty: give the text to replace, or make the file with write.`
  return edit.oldText === edit.newText ? `Nothing to change: ${name} and its newText are the same.` : null
}

function joined(original: string, replacements: readonly Replacement[]): string {
  let text = ""
  let at = 0
  for (const { start, end, text: middle } of replacements) {
    assert(start >= at && end >= start, "replacements are in order and apart")
    text += original.slice(at, start) + middle
    at = end
  }
  return text + original.slice(at)
}

function find(views: Views, edit: Edit): Search {
  const exact = findExact(views.raw, edit)
  if (exact.found !== "none" || views.raw.length > foldCharsMax) return exact
  const before = plainLineEnds(edit.oldText)
  const after = plainLineEnds(edit.newText)
  for (const rung of rungs) {
    const search = findFolded(views, rung, before, after)
    if (search.found !== "none") return search
  }
  return findShifted(views, before, after)
}

/** Every place of `part`, overlapping ones too. */
function placesOf(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at)
  return places
}

function findExact(raw: string, { oldText, newText }: Edit): Search {
  const places = placesOf(raw, oldText)
  const [start] = places
  if (start === undefined) return none
  if (places.length > 1) return { found: "many", at: places }
  // Who writes line ends out means them; else new lines end as those around them.
  const literal = oldText.includes("\r") || newText.includes("\r")
  const text = literal ? newText : withLineEnd(newText, lineEndAt(raw, start))
  return { found: "one", replacement: { start, end: start + oldText.length, text, loose: null } }
}

function findFolded(views: Views, { name, options }: Rung, before: string, after: string): Search {
  const file = views.get(options)
  const part = fold(before, options)
  if (part.text === "") return none
  const matches = placesOf(file.text, part.text).filter((at) => {
    const end = at + part.text.length
    const lineEnds = end === file.text.length || file.text[end] === "\n"
    return betweenUnits(file, at) && betweenUnits(file, end) && (!part.endsBlank || lineEnds)
  })
  const [from] = matches
  if (from === undefined) return findAtEnd(views, { name, options }, before, after)
  if (matches.length > 1) return { found: "many", at: matches.map((at) => file.starts[at] ?? 0) }
  const to = from + part.text.length
  return one(views, [from, to], before, after, options, name)
}

function one(
  views: Views,
  [from, to]: readonly [number, number],
  before: string,
  after: string,
  options: FoldOptions,
  loose: string,
): Search {
  const file = views.get(options)
  const text = merge(views.raw, file, [from, to], before, after, options)
  return { found: "one", replacement: { ...rawRange(file, from, to), text, loose } }
}

/** A last line without a newline matches old text that has one; then the new text needs none either. */
function findAtEnd(views: Views, { options }: Rung, before: string, after: string): Search {
  const file = views.get(options)
  if (!before.endsWith("\n") || file.text.endsWith("\n")) return none
  const old = before.slice(0, -1)
  const part = fold(old, options).text
  const from = file.text.length - part.length
  if (part === "" || !file.text.endsWith(part) || !betweenUnits(file, from)) return none
  const next = after.endsWith("\n") ? after.slice(0, -1) : after
  return one(views, [from, file.text.length], old, next, options, "the last newline")
}

function findShifted(views: Views, before: string, after: string): Search {
  const file = views.get(loosest)
  const lines = file.text.split("\n")
  const ended = before.endsWith("\n")
  const old = fold(ended ? before.slice(0, -1) : before, loosest).text.split("\n")
  const starts = [0]
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1)
  const blocks = findBlocks(lines, old)
  const [block] = blocks
  if (block === undefined) return none
  if (blocks.length > 1) return { found: "many", at: blocks.map(({ line }) => file.starts[starts[line] ?? 0] ?? 0) }
  const from = starts[block.line] ?? 0
  const endLine = block.line + old.length
  // With its newline, where both the old text and the file have one.
  const takesNewline = ended && endLine < lines.length
  const to = (starts[endLine] ?? 0) - (takesNewline ? 0 : 1)
  const trim = (text: string): string => (ended && !takesNewline && text.endsWith("\n") ? text.slice(0, -1) : text)
  const next = shifted(trim(after), block.shift)
  return one(views, [from, to], shifted(trim(before), block.shift), next, loosest, "indentation")
}

/** The line, from 1, that the place `at` is in. */
export function lineOf(text: string, at: number): number {
  let line = 1
  for (let place = text.indexOf("\n"); place >= 0 && place < at; place = text.indexOf("\n", place + 1)) line++
  return line
}

function ambiguous(original: string, at: readonly number[], name: string, path: string): string {
  const lines = [...new Set(at.slice(0, placesMax).map((place) => lineOf(original, place)))]
  const more = at.length > placesMax ? ` and ${at.length - placesMax} more` : ""
  return `${name} is in ${path} ${at.length} times (lines ${lines.join(", ")}${more}): add lines around it until it is there once.`
}

function missing(original: string, edit: Edit, name: string, path: string): string {
  const already = edit.newText.trim().length >= 8 ? original.indexOf(edit.newText) : -1
  const made =
    already < 0 ? "" : ` The new text is there, at line ${lineOf(original, already)}: is the edit already made?`
  return `${name} was not found in ${path}.${made}${nearestText(original, edit.oldText)}`
}
