/**
 * What a person searches for, and where it stands in a line of text: plain or a regular expression, smart case.
 *
 * - A query without a capital letter finds both; what a backslash stands before is no letter. A match of no characters is none.
 * - Plain text is found however its accents are written, composed or not.
 */

import { headChars } from "./lines.ts"

export type Compiled = { readonly ok: true; readonly pattern: RegExp } | { readonly ok: false; readonly reason: string }

export type Found = { readonly from: number; readonly to: number }

/** Code units of one line that a search reads; what a line of base64 holds further on is nobody's word. */
export const searchedMax = 20_000

export function compileQuery(query: string, regex: boolean): Compiled {
  const flags = /\p{Lu}/u.test(regex ? query.replace(/\\./g, "") : query) ? "g" : "gi"
  try {
    return { ok: true, pattern: new RegExp(regex ? query : plainPattern(query), flags) }
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error)
    return { ok: false, reason: `Not a regular expression: ${why}.` }
  }
}

/** Plain text as a pattern. A letter with a mark may be written as one character or as two. */
function plainPattern(query: string): string {
  return query.normalize("NFC").replace(/[\s\S]/gu, (char) => {
    const apart = char.normalize("NFD")
    return apart === char ? RegExp.escape(char) : `(?:${char}|${RegExp.escape(apart)})`
  })
}

/** All matches in one line, in order. */
export function matchesIn(line: string, pattern: RegExp): readonly Found[] {
  const found: Found[] = []
  pattern.lastIndex = 0
  const searched = line.length > searchedMax ? line.slice(0, searchedMax) : line
  for (let hit = pattern.exec(searched); hit !== null; hit = pattern.exec(searched)) {
    if (hit[0] === "") pattern.lastIndex += 1
    else found.push({ from: hit.index, to: hit.index + hit[0].length })
  }
  return found
}

/** A text that holds what was searched for: how often, and its first line that does, cut to what shows the match. */
export type TextMatch = Excerpt & { readonly text: number; readonly count: number }

/** `from` and `to` are code units of `line`; `before` and `after` are the lines around it. */
export type Excerpt = {
  readonly before: string
  readonly line: string
  readonly after: string
  readonly from: number
  readonly to: number
}

/** Characters of a line that show a match, and of those before it. */
const excerptMax = 200
const leadMax = 60

/** The line of `text` in which the match from `from` to `to` begins, with its neighbours. */
export function excerptOf(text: string, from: number, to: number): Excerpt {
  const start = from === 0 ? 0 : text.lastIndexOf("\n", from - 1) + 1
  const end = text.indexOf("\n", from)
  const line = end === -1 ? text.slice(start) : text.slice(start, end)
  const before = start === 0 ? "" : text.slice(text.lastIndexOf("\n", start - 2) + 1, start - 1)
  const after = end === -1 ? "" : (text.slice(end + 1).split("\n", 1)[0] ?? "")
  const skipped = to - start <= excerptMax ? 0 : Math.max(0, from - start - leadMax)
  const shown = headChars(line.slice(skipped), excerptMax)
  return {
    before: headChars(before, excerptMax),
    line: shown,
    after: headChars(after, excerptMax),
    from: from - start - skipped,
    to: Math.min(shown.length, to - start - skipped),
  }
}

/** Those of `texts` that hold the pattern. An expression is held against each line; plain text has no line ends in it, so need not be. */
export function searchTexts(texts: readonly string[], pattern: RegExp, regex: boolean): readonly TextMatch[] {
  return texts.flatMap((text, place) => {
    const { count, first } = regex ? countLines(text, pattern) : countAll(text, pattern)
    return first === null ? [] : [{ text: place, count, ...excerptOf(text, first.from, first.to) }]
  })
}

type Counted = { readonly count: number; readonly first: Found | null }

function countAll(text: string, pattern: RegExp): Counted {
  let count = 0
  let first: Found | null = null
  pattern.lastIndex = 0
  for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
    if (hit[0] === "") return { count: 0, first: null }
    first ??= { from: hit.index, to: hit.index + hit[0].length }
    count++
  }
  return { count, first }
}

function countLines(text: string, pattern: RegExp): Counted {
  let count = 0
  let first: Found | null = null
  let at = 0
  for (const line of text.split("\n")) {
    const found = matchesIn(line, pattern)
    const [one] = found
    if (one !== undefined) first ??= { from: at + one.from, to: at + one.to }
    count += found.length
    at += line.length + 1
  }
  return { count, first }
}
