/**
 * Taking changes back line by line: a three-way merge of what a change made (after), what was there before, and what is there now. Pure.
 *
 * - A hunk is a stretch of lines in which before and after differ. It can be taken back where nobody changed its lines since.
 * - Lines keep their ends, so text comes back byte for byte; whatever is outside the hunks that are taken back stays as it is now.
 */
import { diffArrays } from "diff"

/** `made`: it stands, and can be taken back. `undone`: its lines are what they were before. `conflict`: others changed them since. */
type State = "made" | "undone" | "conflict"

/** Lines `[from, to)` of one text where the other has `[otherFrom, otherTo)`. */
export type Region = {
  readonly from: number
  readonly to: number
  readonly otherFrom: number
  readonly otherTo: number
}

/** Lines removed and added beyond which two texts differ as a whole. */
const differencesMax = 600
/** Changes with no more lines than this between them are one hunk. */
const gapLines = 2

/** The lines of `text`, each with its end. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}

/** Where `a` and `b` differ, in order and apart by more than `gap` lines. */
export function regionsOf(a: readonly string[], b: readonly string[], gap = 0): readonly Region[] {
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const all: Region = { from: head, to: a.length - tail, otherFrom: head, otherTo: b.length - tail }
  if (all.from === all.to && all.otherFrom === all.otherTo) return []
  const parts = diffArrays(a.slice(head, a.length - tail), b.slice(head, b.length - tail), {
    maxEditLength: differencesMax,
  })
  return parts === undefined ? [all] : joined(parts, head, gap)
}

type Part = { readonly added: boolean; readonly removed: boolean; readonly count: number }

function joined(parts: readonly Part[], head: number, gap: number): readonly Region[] {
  const found: Region[] = []
  let [at, otherAt] = [head, head]
  for (const { added, removed, count } of parts) {
    const [from, otherFrom] = [at, otherAt]
    if (!added) at += count
    if (!removed) otherAt += count
    if (!added && !removed) continue
    const last = found.at(-1)
    if (last !== undefined && from - last.to <= gap && otherFrom - last.otherTo <= gap)
      found[found.length - 1] = { ...last, to: at, otherTo: otherAt }
    else found.push({ from, to: at, otherFrom, otherTo: otherAt })
  }
  return found
}

/** The hunks of a change, oldest line first: lines of after, and what was before in their place. */
export function hunksOf(before: string, after: string): readonly Region[] {
  return regionsOf(linesOf(after), linesOf(before), gapLines)
}

function overlap(a: Region, b: Region): boolean {
  if (a.from === a.to && b.from === b.to) return a.from === b.from
  if (a.from === a.to) return b.from < a.from && a.from < b.to
  if (b.from === b.to) return a.from < b.from && b.from < a.to
  return a.from < b.to && b.from < a.to
}

export type TakenBack = { readonly text: string; readonly states: readonly State[] }

/** `now` with those hunks taken back that are `chosen` (by number, from 0) and can be; `states` are those that it found. */
export function takeBack(
  texts: { readonly before: string; readonly after: string; readonly now: string },
  chosen: (hunk: number) => boolean,
): TakenBack {
  const [before, after, now] = [linesOf(texts.before), linesOf(texts.after), linesOf(texts.now)]
  const hunks = hunksOf(texts.before, texts.after)
  const others = regionsOf(after, now)
  const states: State[] = []
  let text = ""
  let copied = 0
  for (const [number, hunk] of hunks.entries()) {
    // Lines that others put in at an edge of the hunk are not its own; where it has no lines, they are in its place.
    const isEmpty = hunk.from === hunk.to
    const [from, to] = [placeOf(hunk.from, others, !isEmpty), placeOf(hunk.to, others, isEmpty)]
    const was = before.slice(hunk.otherFrom, hunk.otherTo).join("")
    const touched = others.filter((other) => overlap(hunk, other))
    const state = stateOf(hunk, touched, was, now.slice(from, to).join(""))
    states.push(state)
    if (state !== "made" || !chosen(number)) continue
    text += now.slice(copied, from).join("") + was
    copied = to
  }
  return { text: text + now.slice(copied).join(""), states }
}

function stateOf(hunk: Region, touched: readonly Region[], was: string, is: string): State {
  if (touched.length === 0) return "made"
  const inside = touched.every((other) => other.from >= hunk.from && other.to <= hunk.to)
  return inside && is === was ? "undone" : "conflict"
}

/** Where the boundary before line `at` of after is in now: before what others put in right there, or behind it. */
function placeOf(at: number, others: readonly Region[], behind: boolean): number {
  let shift = 0
  for (const { from, to, otherTo } of others) {
    const isBefore = from < at ? to <= at : from === at && to === at && behind
    if (!isBefore) break
    shift = otherTo - to
  }
  return at + shift
}
