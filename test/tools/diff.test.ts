import { expect, test } from "bun:test"
import { applyPatch } from "diff"
import { diffOf } from "../../src/tools/diff.ts"

const many = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name} ${at}\n`).join("")

test("a text that is all another is told as one passage for the other, and nobody waits for a least difference", () => {
  const before = `head\n${many("old", 900)}foot\n`
  const after = `head\n${many("new", 800)}foot\n`
  const { diff, added, removed, tooLarge } = diffOf("a", before, after)
  expect([added, removed, tooLarge]).toEqual([800, 900, false])
  expect(diff.split("\n").filter((line) => line.startsWith("@@"))).toEqual(["@@ -1,902 +1,802 @@"])
  expect(applyPatch(before, diff)).toBe(after)
})

test("a passage without a last newline says so", () => {
  const before = many("old", 700).trimEnd()
  const after = many("new", 700).trimEnd()
  expect(applyPatch(before, diffOf("a", before, after).diff)).toBe(after)
})

test("a small change in a large text is found at its place", () => {
  const before = many("line", 50_000)
  const { diff, firstLine } = diffOf("a", before, before.replace("line 40000\n", "LINE\n"))
  expect([firstLine, diff]).toEqual([
    40_001,
    "--- a\n+++ a\n@@ -39998,7 +39998,7 @@\n line 39997\n line 39998\n line 39999\n-line 40000\n+LINE\n line 40001\n line 40002\n line 40003\n",
  ])
})

test("what nobody can read is told as that", () => {
  const { diff, tooLarge, added, removed } = diffOf("a", many("old", 60_000), many("new", 60_000))
  expect([diff, tooLarge, added, removed]).toEqual(["", true, 60_000, 60_000])
})
