/**
 * Long pastes stand in the editor as a mark, `[paste #1 +120 lines]`, and are sent whole; so do images, `[image #2 shot.png 640×480]`, which are sent
 * as mentions of their files.
 *
 * - A mark is text like any other, so it wraps, moves and undoes; it stands for its paste as long as it is exactly there.
 * - A mark goes as a whole: the cursor is never inside one after a deletion, and Backspace behind it takes all of it.
 * - What is pasted never ends the input: a line break in it is a line break. Escape sequences are taken out and other
 *   control characters made visible, so what is sent is what can be seen.
 */
import { cleanControls } from "../../std/clean.ts"
import type { Range } from "./edit.ts"
import type { DroppedImage } from "./images.ts"

const foldedLinesMin = 11
const foldedUnitsMin = 1_001
/** What one paste may hold; with the envelope around it this still fits one line of the protocol. */
export const pasteUnitsMax = 5 * 1024 * 1024

export type Pastes = ReadonlyMap<number, string>

const mark = /\[(?:paste #(\d+) (?:\+\d+ lines|\d+ chars)|image #(\d+)[^\][\n]*)\]/g

/** What of pasted bytes becomes text. */
export function cleanPaste(text: string): string {
  return cleanControls(text.replace(/\r\n?/g, "\n"))
}

/** True for a text that is folded rather than shown. */
export function isLong(text: string): boolean {
  return text.length >= foldedUnitsMin || text.split("\n").length >= foldedLinesMin
}

export function markOf(number: number, text: string): string {
  const lines = text.split("\n").length
  return lines >= foldedLinesMin ? `[paste #${number} +${lines} lines]` : `[paste #${number} ${text.length} chars]`
}

type Folded = { readonly pastes: Pastes; readonly mark: string }

const freeNumber = (pastes: Pastes): number => Math.max(0, ...pastes.keys()) + 1
const numberOf = (found: RegExpMatchArray): number => Number(found[1] ?? found[2])

/** `text` kept under the first free number, and its mark. */
export function fold(pastes: Pastes, text: string): Folded {
  const number = freeNumber(pastes)
  return { pastes: new Map(pastes).set(number, text), mark: markOf(number, text) }
}

/** An image by its path, and its mark, which says what the image is. */
export function foldImage(pastes: Pastes, { path, about }: DroppedImage): Folded {
  const number = freeNumber(pastes)
  return { pastes: new Map(pastes).set(number, `@"${path}"`), mark: `[${`image #${number} ${about}`.trim()}]` }
}

/** `text` with every mark replaced by what it stands for. */
export function expand(text: string, pastes: Pastes): string {
  return text.replace(mark, (found, paste: string | undefined, image: string | undefined, at: number) => {
    const meant = pastes.get(Number(paste ?? image))
    if (meant === undefined) return found
    // A mention stands behind a blank, whatever the mark stands behind.
    return image !== undefined && /\S/.test(text[at - 1] ?? "") ? ` ${meant}` : meant
  })
}

/** The marks in `text` that stand for a paste. */
export function marksIn(text: string, pastes: Pastes): readonly Range[] {
  return [...text.matchAll(mark)]
    .filter((found) => pastes.has(numberOf(found)))
    .map((found) => ({ from: found.index, to: found.index + found[0].length }))
}

/** `range` widened so that it holds every mark that it touches. */
export function wholeMarks(text: string, pastes: Pastes, range: Range): Range {
  const touched = marksIn(text, pastes).filter((place) => place.from < range.to && place.to > range.from)
  return {
    from: Math.min(range.from, ...touched.map((place) => place.from)),
    to: Math.max(range.to, ...touched.map((place) => place.to)),
  }
}

/** The paste numbers that `text` still uses, for forgetting the others. */
export function usedPastes(text: string, pastes: Pastes): Pastes {
  const used = new Set([...text.matchAll(mark)].map(numberOf))
  return new Map([...pastes].filter(([number]) => used.has(number)))
}
