import { expect, test } from "bun:test"
import { makeFinder, type Finder } from "../../../src/std/finder.ts"
import { Search } from "../../../src/tui/viewport/search.ts"

function texts(lines: readonly (readonly string[])[]) {
  return { count: lines.length, texts: (index: number) => lines[index] ?? [] }
}

function finder(query: string, regex = false): Finder {
  const made = makeFinder(query, regex)
  if (!made.ok) throw new Error(made.reason)
  return made.finder
}

test("it looks near the reader first, and the ranks are those of the text in the end", () => {
  const lines = Array.from({ length: 9 }, (_, place) => [`line ${place} hit`, "none", place % 2 === 0 ? "hit hit" : ""])
  const search = new Search(texts(lines), finder("hit"), 6)
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
  const search = new Search(source, finder("hit"), 0)
  search.step(() => false)
  expect(search.total).toBe(2)
  asked.length = 0
  lines[2] = ["hit hit"]
  search.changed(2)
  search.step(() => false)
  expect(search.total).toBe(4)
  expect(asked).toEqual([2])
})
