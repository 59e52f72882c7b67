import { expect, test } from "bun:test"
import { compileQuery, matchesIn } from "../../../src/std/query.ts"
import { Search } from "../../../src/tui/viewport/search.ts"

function texts(lines: readonly (readonly string[])[]) {
  return { count: lines.length, texts: (index: number) => lines[index] ?? [] }
}

function compiled(query: string, regex = false): RegExp {
  const made = compileQuery(query, regex)
  if (!made.ok) throw new Error(made.reason)
  return made.pattern
}

test("a query without a capital finds both, one with a capital only itself", () => {
  expect(matchesIn("Foo foo FOO", compiled("foo")).length).toBe(3)
  expect(matchesIn("Foo foo FOO", compiled("Foo")).length).toBe(1)
  expect(matchesIn("a\\Dx a1x", compiled("\\D", true)).length).toBe(7)
})

test("plain text is plain, a pattern is a pattern, and one that is none says why", () => {
  expect(matchesIn("a.b axb", compiled("a.b"))).toEqual([{ from: 0, to: 3 }])
  expect(matchesIn("a.b axb", compiled("a.b", true)).length).toBe(2)
  const broken = compileQuery("(", true)
  expect(broken.ok ? "" : broken.reason).toStartWith("Not a regular expression: ")
  expect(matchesIn("abc", compiled("x*", true))).toEqual([])
})

test("it looks near the reader first, and the ranks are those of the text in the end", () => {
  const lines = Array.from({ length: 9 }, (_, place) => [`line ${place} hit`, "none", place % 2 === 0 ? "hit hit" : ""])
  const search = new Search(texts(lines), compiled("hit"), 6)
  search.step(() => true)
  expect(search.at(0)).toEqual({ index: 6, unit: 0, from: 7, to: 10 })
  while (!search.step(() => true)) {
    // One block at a time.
  }
  expect(search.total).toBe(9 + 5 * 2)
  expect(search.at(0)).toEqual({ index: 0, unit: 0, from: 7, to: 10 })
  const all = Array.from({ length: search.total }, (_, rank) => search.at(rank))
  all.forEach((match, rank) => {
    expect(search.rankOf({ index: match?.index ?? 0, unit: match?.unit ?? 0, offset: match?.from ?? 0 })).toBe(rank)
  })
})

test("what changed is looked through again, and what did not is not", () => {
  const lines = [["hit"], ["hit"], ["none"]]
  const asked: number[] = []
  const source = { count: 3, texts: (index: number) => (asked.push(index), lines[index] ?? []) }
  const search = new Search(source, compiled("hit"), 0)
  search.step(() => false)
  expect(search.total).toBe(2)
  asked.length = 0
  lines[2] = ["hit hit"]
  search.changed(2)
  search.step(() => false)
  expect(search.total).toBe(4)
  expect(asked).toEqual([2])
})
