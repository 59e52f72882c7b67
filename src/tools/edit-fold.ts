/**
 * A text as it is compared when it need not be equal to the letter, with the way back.
 *
 * - A folded text is made of units: each stands for a range of the raw text, in order, without overlap. What is folded away is in the unit
 *   behind it (spaces before a line's end belong to the newline), or, at the end of the text, in none.
 * - A match in a folded text counts only where it begins and ends between units.
 */
export type FoldOptions = {
  /** Spaces and tabs before a line's end are nothing. */
  readonly trailing: boolean
  /** Quotes, dashes, spaces and letters that look alike are one. */
  readonly lookAlikes: boolean
  /** Runs of blanks inside a line are one space. */
  readonly runs: boolean
}

export type Folded = {
  readonly text: string
  /** For each code unit of `text`, the raw range of its unit. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** True when blanks at the very end were folded away: what follows a match must then be a line's end. */
  readonly endsBlank: boolean
}

const alike: Readonly<Record<string, string>> = {
  "\u2018": "'",
  "\u2019": "'",
  "\u201a": "'",
  "\u201b": "'",
  "\u2032": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u201e": '"',
  "\u201f": '"',
  "\u2033": '"',
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "-",
  "\u2013": "-",
  "\u2014": "-",
  "\u2015": "-",
  "\u2212": "-",
}

const mark = /\p{M}/u

function isBlank(code: number, lookAlikes: boolean): boolean {
  if (code === 32 || code === 9) return true
  if (!lookAlikes || code < 0xa0) return false
  return code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x205f
}

/** Length of the line's end at `at`: 2 for CRLF, 1 for LF or CR, 0 where there is none. */
function newlineAt(raw: string, at: number): number {
  const code = raw.charCodeAt(at)
  if (code === 10) return 1
  if (code !== 13) return 0
  return raw.charCodeAt(at + 1) === 10 ? 2 : 1
}

/** The end of the character at `at`, its combining marks included. */
function unitEnd(raw: string, at: number): number {
  let end = at + ((raw.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
  while (raw.charCodeAt(end) >= 0x300 && mark.test(raw.slice(end, end + 2))) {
    end += (raw.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return end
}

function alikeText(unit: string): string {
  let text = ""
  for (const char of unit.normalize("NFKC")) text += alike[char] ?? char
  return text
}

/** `raw` as `options` would compare it. Every kind of line's end is LF. */
export function fold(raw: string, options: FoldOptions): Folded {
  let text = ""
  // A unit may unfold into more code units than it has, so the arrays grow.
  const starts: number[] = []
  const ends: number[] = []
  const put = (unit: string, from: number, to: number): void => {
    text += unit
    for (let count = 0; count < unit.length; count++) {
      starts.push(from)
      ends.push(to)
    }
  }
  let lineStart = true
  for (let at = 0; at < raw.length;) {
    let end = at
    while (end < raw.length && isBlank(raw.charCodeAt(end), options.lookAlikes)) end++
    if (options.trailing && end > at && end === raw.length) return folded(text, starts, ends, true)
    const newline = newlineAt(raw, end)
    if (newline > 0 && (options.trailing || end === at)) {
      put("\n", at, end + newline)
      at = end + newline
      lineStart = true
      continue
    }
    if (end > at && options.runs && !lineStart) put(" ", at, end)
    else if (end > at) for (let place = at; place < end; place++) put(blankText(raw, place), place, place + 1)
    else {
      const plain = !options.lookAlikes || (raw.charCodeAt(at) < 0x80 && !(raw.charCodeAt(at + 1) >= 0x300))
      end = plain ? at + 1 : unitEnd(raw, at)
      put(plain ? (raw[at] ?? "") : alikeText(raw.slice(at, end)), at, end)
    }
    at = end
    // The indentation of a line stays as it is, blank for blank.
    lineStart = false
  }
  return folded(text, starts, ends, false)
}

function blankText(raw: string, at: number): string {
  return raw.charCodeAt(at) === 9 ? "\t" : " "
}

function folded(text: string, starts: number[], ends: number[], endsBlank: boolean): Folded {
  return { text, starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), endsBlank }
}

/** True where `at` is no place inside a unit. */
export function betweenUnits(view: Folded, at: number): boolean {
  return at === 0 || at >= view.text.length || view.starts[at] !== view.starts[at - 1]
}

/** The raw range of the folded range `from`…`to`, which is not empty. */
export function rawRange(view: Folded, from: number, to: number): { readonly start: number; readonly end: number } {
  return { start: view.starts[from] ?? 0, end: view.ends[to - 1] ?? 0 }
}
