/**
 * What a loose match becomes: only what differs between the old and the new text changes; the rest keeps the bytes of the file.
 *
 * - Old and new text are compared line by line, then word by word. What they share is copied from the file, where it may have other quotes,
 *   spaces or line ends; what is new is inserted as given, with the line ends of its surroundings.
 * - Where the shared part does not fall between units of the file (one character there is several here), the new text goes in as it is.
 */
import { diffArrays } from "diff"
import { betweenUnits, fold, rawRange, type Folded, type FoldOptions } from "./edit-fold.ts"

/** Differences beyond which two passages have nothing to share. */
const differencesMax = 1_000

/** A stretch of the new text: from the old one, or new. `length` is in code units of the old text. */
type Piece =
  | { readonly kept: true; readonly length: number }
  | { readonly kept: false; readonly text: string; readonly length: number }

/** The line end in use around `at`: that of its line, else of the one before it. */
export function lineEndAt(raw: string, at: number): "\n" | "\r\n" | "\r" {
  const next = raw.indexOf("\n", at)
  const found = next >= 0 ? next : raw.lastIndexOf("\n")
  if (found < 0) return raw.includes("\r") ? "\r" : "\n"
  return raw[found - 1] === "\r" ? "\r\n" : "\n"
}

export function plainLineEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text
}

export function withLineEnd(text: string, end: "\n" | "\r\n" | "\r"): string {
  return end === "\n" ? text : text.replaceAll("\n", end)
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|[ \t]+|[^]/gu) ?? []
}

/** How `after` is made from `before`; both with LF only. */
function piecesOf(before: string, after: string): readonly Piece[] {
  const pieces: Piece[] = []
  for (const [removed, added, kept] of changes(linesOf(before), linesOf(after)) ?? [[before, after, ""]]) {
    const words = changes(wordsOf(removed), wordsOf(added))
    if (words === null) pieces.push({ kept: false, text: added, length: removed.length })
    else for (const change of words) push(pieces, change)
    push(pieces, ["", "", kept])
  }
  return pieces
}

type Change = readonly [removed: string, added: string, kept: string]

function push(pieces: Piece[], [removed, added, kept]: Change): void {
  if (removed !== "" || added !== "") pieces.push({ kept: false, text: added, length: removed.length })
  if (kept === "") return
  const last = pieces.at(-1)
  if (last?.kept === true) pieces[pieces.length - 1] = { kept: true, length: last.length + kept.length }
  else pieces.push({ kept: true, length: kept.length })
}

/** Changes in order, each followed by what is kept; null where they are too many. */
function changes(before: string[], after: string[]): readonly Change[] | null {
  const parts = diffArrays(before, after, { maxEditLength: differencesMax })
  if (parts === undefined) return null
  const found: Change[] = []
  let removed = ""
  let added = ""
  for (const part of parts) {
    const text = part.value.join("")
    if (part.removed) removed += text
    else if (part.added) added += text
    else {
      found.push([removed, added, text])
      removed = ""
      added = ""
    }
  }
  if (removed !== "" || added !== "") found.push([removed, added, ""])
  return found
}

/** For each place in `before`, how many code units of its folded form end at or before it. */
function foldedPlaces(before: string, view: Folded): Uint32Array {
  const places = new Uint32Array(before.length + 1)
  let count = 0
  for (let at = 0; at <= before.length; at++) {
    while (count < view.text.length && (view.ends[count] ?? 0) <= at) count++
    places[at] = count
  }
  return places
}

/** The blanks at the end of `before[from, to)` that are nothing in its folded form. */
function foldedAway(before: string, from: number, to: number, places: Uint32Array): string {
  let start = to
  while (start > from && places[start - 1] === places[to] && /[ \t]/.test(before[start - 1] ?? "")) start--
  return before.slice(start, to)
}

/**
 * The text that takes the place of `file[from, to)`, a folded range that equals the folded `before`, so that it says `after`.
 * `before` and `after` have LF only.
 */
export function merge(
  raw: string,
  file: Folded,
  [from, to]: readonly [number, number],
  before: string,
  after: string,
  options: FoldOptions,
): string {
  const places = foldedPlaces(before, fold(before, options))
  const { start, end } = rawRange(file, from, to)
  let at = 0
  let afterAt = 0
  let text = ""
  for (const piece of piecesOf(before, after)) {
    const first = from + (places[at] ?? 0)
    const last = from + (places[at + piece.length] ?? 0)
    const blanks = piece.kept ? foldedAway(before, at, at + piece.length, places) : ""
    at += piece.length
    afterAt += piece.kept ? piece.length : piece.text.length
    if (!betweenUnits(file, first) || !betweenUnits(file, last)) return withLineEnd(after, lineEndAt(raw, start))
    const place = first < to ? (file.starts[first] ?? start) : end
    if (!piece.kept) text += withLineEnd(piece.text, lineEndAt(raw, place))
    else if (last > first) text += raw.slice(place, file.ends[last - 1])
    // Blanks that ended a line of the old text, and do not end one of the new.
    if (afterAt < after.length && after[afterAt] !== "\n") text += blanks
  }
  return text
}
