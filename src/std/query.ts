/**
 * What a person searches for, and where it stands in a line of text: plain or a regular expression, smart case.
 *
 * - A query without a capital letter finds both; what a backslash stands before is no letter. A match of no characters is none.
 */

export type Compiled = { readonly ok: true; readonly pattern: RegExp } | { readonly ok: false; readonly reason: string }

export type Found = { readonly from: number; readonly to: number }

/** Code units of one line that a search reads; what a line of base64 holds further on is nobody's word. */
const lineMax = 20_000

export function compileQuery(query: string, regex: boolean): Compiled {
  const flags = /\p{Lu}/u.test(regex ? query.replace(/\\./g, "") : query) ? "g" : "gi"
  try {
    return { ok: true, pattern: new RegExp(regex ? query : RegExp.escape(query), flags) }
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error)
    return { ok: false, reason: `Not a regular expression: ${why}.` }
  }
}

/** All matches in one line, in order. */
export function matchesIn(line: string, pattern: RegExp): readonly Found[] {
  const found: Found[] = []
  pattern.lastIndex = 0
  const searched = line.length > lineMax ? line.slice(0, lineMax) : line
  for (let hit = pattern.exec(searched); hit !== null; hit = pattern.exec(searched)) {
    if (hit[0] === "") pattern.lastIndex += 1
    else found.push({ from: hit.index, to: hit.index + hit[0].length })
  }
  return found
}
