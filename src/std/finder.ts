/**
 * Finds what a person searches for in lines of text, in a time that has a bound whatever was typed: a screen must not stand still for a pattern.
 *
 * - The runtime's own engine is quick, but a pattern can make it take for ever: it is asked only where the number of steps can be told beforehand.
 *   All else goes to an engine whose time grows with the text alone.
 * - What that engine does not know (lookaround, references back) works where its steps can be told, and else is refused in a sentence.
 */
import { compileQuery, matchesIn, searchedMax, type Found } from "./query.ts"

export type Finder = { find(line: string): readonly Found[] }

export type MadeFinder =
  { readonly ok: true; readonly finder: Finder } | { readonly ok: false; readonly reason: string }

/** Steps that the runtime's engine may take for one line: some milliseconds. */
const stepsMax = 4_000_000
/** More repetitions than this count as any number. */
const fewTimes = 16
/** Lines whose matches are kept. */
const keptMax = 2_000

/**
 * How many repetitions without a bound a pattern has; Infinity where one has a choice inside, so that the ways to match cannot be told.
 * The pattern is a valid one.
 */
export function repetitionsOf(pattern: string): number {
  let count = 0
  /** Whether the group that is open at each depth holds a choice: a repetition or an alternative. */
  const choices = [false]
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === "\\" || char === "[") {
      at = char === "[" ? classEnd(pattern, at) : at + 1
      continue
    }
    if (char === "(") {
      choices.push(false)
      if (pattern[at + 1] === "?") at += 1
      continue
    }
    if (char === "|") choices[choices.length - 1] = true
    if (char === ")") {
      const closed = choices.pop() ?? false
      if (closed) choices[choices.length - 1] = true
      if (closed && (quantifierAt(pattern, at + 1)?.times ?? 1) > 1) return Number.POSITIVE_INFINITY
      continue
    }
    const quantifier = quantifierAt(pattern, at)
    if (quantifier === null) continue
    choices[choices.length - 1] = true
    if (quantifier.times > fewTimes) count += 1
    at += quantifier.length - 1
  }
  return count
}

/** Where a class of characters ends that begins at `at`. */
function classEnd(pattern: string, at: number): number {
  for (let place = at + 1; place < pattern.length; place++) {
    if (pattern[place] === "\\") place += 1
    else if (pattern[place] === "]") return place
  }
  return pattern.length
}

function quantifierAt(pattern: string, at: number): { readonly times: number; readonly length: number } | null {
  const char = pattern[at]
  if (char === "*" || char === "+") return { times: Number.POSITIVE_INFINITY, length: 1 }
  if (char === "?") return { times: 1, length: 1 }
  const [all, least, comma, most] = char === "{" ? (/^\{(\d+)(,?)(\d*)\}/.exec(pattern.slice(at)) ?? []) : []
  if (all === undefined) return null
  const times = comma === "" ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most)
  return { times, length: all.length }
}

/** The other engine is loaded when the first pattern needs it. */
function linearEngine(): typeof import("re2js") {
  return require("re2js") as typeof import("re2js")
}

/** `pattern` on the other engine; null where that does not know what it says. */
function linearFinder(pattern: RegExp): Finder | null {
  const { RE2JS } = linearEngine()
  const source = pattern.source.replace(/\\u\{?([0-9a-fA-F]{4,6})\}?/g, "\\x{$1}")
  try {
    const made = RE2JS.compile(source, pattern.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return {
      find(line) {
        const found: Found[] = []
        const matcher = made.matcher(line)
        while (matcher.find()) {
          if (matcher.end() > matcher.start()) found.push({ from: matcher.start(), to: matcher.end() })
        }
        return found
      },
    }
  } catch {
    // Whatever it complains of, it is not this pattern's engine.
    return null
  }
}

const refused =
  "That expression could take for ever here: write it without lookaround or repetitions inside of repetitions."

export function makeFinder(query: string, regex: boolean): MadeFinder {
  const compiled = compileQuery(query, regex)
  if (!compiled.ok) return compiled
  const { pattern } = compiled
  const native: Finder = { find: (line) => matchesIn(line, pattern) }
  const repetitions = regex ? repetitionsOf(query) : 0
  if (repetitions === 0) return { ok: true, finder: native }
  const lengthMax = Math.floor(stepsMax ** (1 / (repetitions + 1)))
  let linear: Finder | null | undefined
  const linearly = (): Finder | null => (linear === undefined ? (linear = linearFinder(pattern)) : linear)
  if (lengthMax < 2 && linearly() === null) return { ok: false, reason: refused }
  const long: Finder = {
    find: (line) => linearly()?.find(line.slice(0, searchedMax)) ?? matchesIn(line.slice(0, lengthMax), pattern),
  }
  return { ok: true, finder: remembering({ find: (line) => (line.length <= lengthMax ? native : long).find(line) }) }
}

/** What is on the screen is asked for at every paint. */
function remembering(finder: Finder): Finder {
  const known = new Map<string, readonly Found[]>()
  return {
    find(line) {
      const before = known.get(line)
      if (before !== undefined) return before
      const found = finder.find(line)
      if (known.size >= keptMax) known.clear()
      known.set(line, found)
      return found
    },
  }
}
