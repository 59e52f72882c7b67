/**
 * Where motions lead and what text objects hold: pure, in code units, for all keymaps.
 *
 * - A word is a run of letters, digits and `_`, or a run of other characters that are no space; each Chinese or Japanese character of a run
 *   without spaces belongs to one word with its neighbours, as in most editors.
 * - A motion that cannot move gives the offset that it began at.
 */
import { after, before, lineEnd, lineStart, type Range } from "./edit.ts"

type Class = "space" | "word" | "other"

function classOf(char: string): Class {
  if (char === "" || /\s/.test(char)) return "space"
  return /[\p{L}\p{N}\p{M}_]/u.test(char) ? "word" : "other"
}

const charAt = (text: string, at: number): string => text.slice(at, after(text, at))
const charBefore = (text: string, at: number): string => text.slice(before(text, at), at)

function wordLeft(text: string, at: number): number {
  let to = at
  while (to > 0 && classOf(charBefore(text, to)) === "space") to = before(text, to)
  const kind = classOf(charBefore(text, to))
  while (to > 0 && classOf(charBefore(text, to)) === kind) to = before(text, to)
  return to
}

function wordRight(text: string, at: number): number {
  let to = at
  while (to < text.length && classOf(charAt(text, to)) === "space") to = after(text, to)
  const kind = classOf(charAt(text, to))
  while (to < text.length && classOf(charAt(text, to)) === kind) to = after(text, to)
  return to
}

function wordStartRight(text: string, at: number): number {
  let to = at
  const kind = classOf(charAt(text, to))
  while (to < text.length && kind !== "space" && classOf(charAt(text, to)) === kind) to = after(text, to)
  while (to < text.length && classOf(charAt(text, to)) === "space") to = after(text, to)
  return to
}

function lineTextStart(text: string, at: number): number {
  const start = lineStart(text, at)
  const line = text.slice(start, lineEnd(text, at))
  return start + (line.length - line.trimStart().length)
}

/** The last character of the word, as vim's `e` stands on it. */
function wordEnd(text: string, at: number): number {
  const to = wordRight(text, Math.min(text.length, after(text, at)))
  return Math.max(at, before(text, to))
}

const motions = {
  left: before,
  right: after,
  wordLeft,
  wordRight,
  wordStartRight,
  wordEnd,
  lineStart,
  lineTextStart,
  lineEnd,
  start: () => 0,
  end: (text: string) => text.length,
} as const satisfies Record<string, (text: string, at: number) => number>

/** Motions that need no rows. `up`, `down`, `pageUp` and `pageDown` are the component's. */
export type Motion = keyof typeof motions

export function isMotion(name: string): name is Motion {
  return Object.hasOwn(motions, name)
}

export function move(text: string, at: number, motion: Motion): number {
  return motions[motion](text, at)
}

/** The next or previous `char` from `at`, or null. */
export function find(text: string, at: number, char: string, forward: boolean): number | null {
  const found = forward ? text.indexOf(char, after(text, at)) : at === 0 ? -1 : text.lastIndexOf(char, at - 1)
  return found === -1 ? null : found
}

const pairs: Readonly<Record<string, readonly [string, string]>> = {
  "(": ["(", ")"],
  ")": ["(", ")"],
  "[": ["[", "]"],
  "]": ["[", "]"],
  "{": ["{", "}"],
  "}": ["{", "}"],
  "<": ["<", ">"],
  ">": ["<", ">"],
}

/** The innermost pair of brackets around `at`, ends included. */
function bracketed(text: string, at: number, open: string, close: string): Range | null {
  let depth = 0
  for (let from = at; from >= 0; from--) {
    if (text[from] === close && from !== at) depth++
    if (text[from] !== open || depth-- > 0) continue
    let inner = 0
    for (let to = from + 1; to < text.length; to++) {
      if (text[to] === open) inner++
      if (text[to] === close && inner-- === 0) return { from, to: to + 1 }
    }
    return null
  }
  return null
}

/** The quotes of the line that hold `at`, or the next ones on it, ends included. */
function quoted(text: string, at: number, quote: string): Range | null {
  const end = lineEnd(text, at)
  let from = text.indexOf(quote, lineStart(text, at))
  while (from !== -1 && from < end) {
    const to = text.indexOf(quote, from + 1)
    if (to === -1 || to >= end) return null
    if (at <= to) return { from, to: to + 1 }
    from = text.indexOf(quote, to + 1)
  }
  return null
}

function word(text: string, at: number, around: boolean): Range {
  const kind = classOf(charAt(text, at))
  let from = at
  let to = at
  while (from > 0 && classOf(charBefore(text, from)) === kind && charBefore(text, from) !== "\n")
    from = before(text, from)
  while (to < text.length && classOf(charAt(text, to)) === kind && charAt(text, to) !== "\n") to = after(text, to)
  if (!around) return { from, to }
  const begun = to
  while (to < text.length && charAt(text, to) === " ") to = after(text, to)
  while (to === begun && from > 0 && charBefore(text, from) === " ") from = before(text, from)
  return { from, to }
}

/** The range of `innerWord`, `aWord`, `inner(`, `a"`, `line` and the like; null where there is none around `at`. */
export function object(text: string, at: number, name: string): Range | null {
  if (name === "innerWord" || name === "aWord") return word(text, at, name === "aWord")
  if (name === "line") return { from: lineStart(text, at), to: lineEnd(text, at) }
  const match = /^(inner|a)(.)$/u.exec(name)
  if (match === null) return null
  const [, part = "", char = ""] = match
  const pair = pairs[char]
  const range = pair ? bracketed(text, at, pair[0], pair[1]) : `"'\``.includes(char) ? quoted(text, at, char) : null
  if (range === null || part === "a") return range
  return { from: range.from + 1, to: range.to - 1 }
}
