import { describe, expect, test } from "bun:test"
import { hunksOf, linesOf, takeBack } from "../../src/tools/take-back.ts"
import { seeded } from "../support/seeded.ts"

/** A letter a line. */
const text = (letters: string): string => [...letters].map((letter) => `${letter}\n`).join("")
const letters = (lines: string): string => lines.replaceAll("\n", "")

function back(before: string, after: string, now: string, chosen: readonly number[] = [0, 1, 2, 3]) {
  const texts = { before: text(before), after: text(after), now: text(now) }
  const { text: result, states } = takeBack(texts, (hunk) => chosen.includes(hunk))
  return [letters(result), ...states]
}

describe("a change is taken back", () => {
  const rows: readonly (readonly [string, string, string, string, string])[] = [
    ["where nothing else happened", "abc", "aXc", "aXc", "abc made"],
    ["where others changed lines far from it", "abcdefgh", "aXcdefgh", "aXcdefYh", "abcdefYh made"],
    ["where others changed the line beside it", "abcd", "aXcd", "aXYd", "abYd made"],
    ["where others put lines in before it", "abc", "aXc", "aZZXc", "aZZbc made"],
    ["where others put lines in behind it", "abc", "aXc", "aXZZc", "abZZc made"],
    ["that put lines in", "ac", "abbc", "Qabbc", "Qac made"],
    ["that took lines out", "abbc", "ac", "acQ", "abbcQ made"],
    ["that took lines out, with other lines changed around", "abbc", "ac", "aC", "abbC made"],
    ["that made a whole text of nothing", "", "abc", "abc", " made"],
  ]
  for (const [name, before, after, now, wanted] of rows)
    test(name, () => expect(back(before, after, now).join(" ")).toBe(wanted))
})

describe("a change is not taken back", () => {
  const rows: readonly (readonly [string, string, string, string, string])[] = [
    ["where others changed its line", "abc", "aXc", "aYc", "aYc conflict"],
    ["where others took its line out", "abc", "aXc", "ac", "ac conflict"],
    ["where others put a line into it", "abc", "aXXc", "aXYXc", "aXYXc conflict"],
    ["where lines that it took out and lines of others have no order", "abc", "ac", "aYc", "aYc conflict"],
    ["where it was taken back already", "abc", "aXc", "abc", "abc undone"],
    ["where the lines that it took out are there again", "abc", "ac", "abc", "abc undone"],
  ]
  for (const [name, before, after, now, wanted] of rows)
    test(name, () => expect(back(before, after, now).join(" ")).toBe(wanted))
})

test("hunks are stretches of lines, and each is taken back for itself", () => {
  const before = "abcdefghijkl"
  const after = "aXcdefgYijkl"
  expect(hunksOf(text(before), text(after)).map(({ from, to }) => [from, to])).toEqual([
    [1, 2],
    [7, 8],
  ])
  expect(back(before, after, after, [0])).toEqual(["abcdefgYijkl", "made", "made"])
  expect(back(before, after, after, [1])).toEqual(["aXcdefghijkl", "made", "made"])
  expect(back(before, after, "aXcdefgZijklm")).toEqual(["abcdefgZijklm", "made", "conflict"])
})

test("changes with a line or two between them are one hunk", () => {
  expect(hunksOf(text("abcde"), text("aXcYe")).length).toBe(1)
})

test("line ends and a missing last newline are part of their lines", () => {
  const texts = { before: "a\r\nb", after: "a\r\nB\r\n", now: "top\na\r\nB\r\n" }
  expect(takeBack(texts, () => true).text).toBe("top\na\r\nb")
})

test("texts that have nothing in common are one hunk", () => {
  const many = (name: string): string => Array.from({ length: 9_000 }, (_, at) => `${name}${at}\n`).join("")
  const states = takeBack({ before: many("a"), after: many("b"), now: many("b") }, () => true).states
  expect(states).toEqual(["made"])
})

test("what others wrote is there afterwards, byte for byte, whatever was taken back", () => {
  const random = seeded(20261130)
  const below = (most: number): number => Math.floor(random() * most)
  // Lines of the agent are A…, of others Z…, each only once, so that every line tells whose it is.
  let count = 0
  const change = (lines: readonly string[], name: string, times: number): string[] => {
    const changed = [...lines]
    for (let time = 0; time < times; time++) {
      const fresh = Array.from({ length: below(3) }, () => `${name}${count++}\n`)
      changed.splice(below(changed.length + 1), below(3), ...fresh)
    }
    return changed
  }
  const seen = { made: 0, undone: 0, conflict: 0 }
  for (let round = 0; round < 3_000; round++) {
    const before = Array.from({ length: below(14) }, (_, at) => `${"abcd"[below(4)]}${at % 5}\n`)
    const after = change(before, "A", 1 + below(3))
    const now = change(after, "Z", below(3))
    const texts = { before: before.join(""), after: after.join(""), now: now.join("") }
    const picked = new Set(Array.from({ length: 5 }, (_, at) => at).filter(() => random() < 0.7))
    const { text: result, states } = takeBack(texts, (hunk) => picked.has(hunk))
    for (const state of states) seen[state]++
    const ofOthers = (lines: readonly string[]): string => lines.filter((line) => line.startsWith("Z")).join("")
    expect(ofOthers(linesOf(result))).toBe(ofOthers(now))
    if (now.join("") !== after.join("")) continue
    // Alone with its change, all of it goes back; and with nothing chosen, nothing does.
    expect(takeBack(texts, () => true).text).toBe(texts.before)
    expect(takeBack(texts, () => false).text).toBe(texts.now)
  }
  expect(Math.min(seen.made, seen.conflict)).toBeGreaterThan(500)
})
