/** What a person searches for is found, and no pattern can keep a screen waiting. */
import { expect, test } from "bun:test"
import { makeFinder, repetitionsOf } from "../../src/std/finder.ts"
import type { Found } from "../../src/std/query.ts"

function find(query: string, line: string, regex = false): readonly Found[] {
  const made = makeFinder(query, regex)
  if (!made.ok) throw new Error(made.reason)
  return made.finder.find(line)
}

const words = (query: string, line: string, regex = false): readonly string[] =>
  find(query, line, regex).map(({ from, to }) => line.slice(from, to))

test("a query without a capital finds both, one with a capital only itself", () => {
  expect(words("foo", "Foo foo FOO")).toEqual(["Foo", "foo", "FOO"])
  expect(words("Foo", "Foo foo FOO")).toEqual(["Foo"])
  expect(words("\\D", "a\\Dx a1x", true)).toHaveLength(7)
})

test("plain text is plain, a pattern is a pattern, and one that is none says why", () => {
  expect(find("a.b", "a.b axb")).toEqual([{ from: 0, to: 3 }])
  expect(find("a.b", "a.b axb", true)).toHaveLength(2)
  const broken = makeFinder("(", true)
  expect(broken.ok ? "" : broken.reason).toStartWith("Not a regular expression: ")
  expect(find("x*", "abc", true)).toEqual([])
})

test("letters with marks are found whichever way they are written, and wide characters too", () => {
  for (const query of ["caf\u00e9", "cafe\u0301"]) {
    expect(words(query, "a caf\u00e9 and a cafe\u0301")).toEqual(["caf\u00e9", "cafe\u0301"])
  }
  expect(words("字符", "宽字符也要对齐字符")).toEqual(["字符", "字符"])
  expect(words("각", "\u1100\u1161\u11a8 각")).toHaveLength(2)
})

test.each<[string, number]>([
  ["abc", 0],
  ["a+b", 1],
  ["a\\+b[+*]{2}", 0],
  ["(?:ab)+c", 1],
  ["a.*b.*c", 2],
  ["a{1,9}b{20,}", 1],
  ["(a+)+", Number.POSITIVE_INFINITY],
  ["(a|b)*", Number.POSITIVE_INFINITY],
  ["(?:x(?:y?))+", Number.POSITIVE_INFINITY],
  ["(a+)?b", 1],
])("%p repeats %p times without a bound", (pattern, count) => {
  expect(repetitionsOf(pattern)).toBe(count)
})

test("what the two engines find is the same", () => {
  const line = "GET /a/b?x=1 and put /c/d?y=22, then GET /a/b?x=1 and put /c/d?y=22"
  for (const pattern of ["((?:[a-z]+=)+\\d+)", "\\bx(=|y)+\\d", "(?:/\\w+)+\\?"]) {
    const native = [...line.matchAll(new RegExp(pattern, "g"))].map(([found]) => found)
    expect(repetitionsOf(pattern)).toBe(Number.POSITIVE_INFINITY)
    expect(native).not.toEqual([])
    expect(words(pattern, line, true)).toEqual(native)
  }
})

// Any of these would outlive the machine in an engine that tries every way.
test.each([
  "(a+)+$",
  "(a|aa)+$",
  "(a|a?)+$",
  "(.*a){25}$",
  "a*a*a*a*a*a*a*a*b",
  "(x+x+)+y",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
])("%p comes back, on lines that are made for it", (pattern) => {
  for (const line of ["a".repeat(20_000) + "!", "x".repeat(20_000)]) expect(find(pattern, line, true)).toBeArray()
})

test("lookaround works where it is quick, and is refused where it need not be", () => {
  expect(words("(?<=x)y", "xy y", true)).toEqual(["y"])
  expect(words("(a)\\1+", "aaa", true)).toEqual(["aaa"])
  const slow = makeFinder("(?=x)(a+)+", true)
  expect(slow.ok ? "" : slow.reason).toStartWith("That expression could take for ever here")
})
