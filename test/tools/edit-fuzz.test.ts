import { expect, test } from "bun:test"
import { applyEdits } from "../../src/tools/edit-match.ts"
import { fuzzEdit } from "../support/edit-fuzz.ts"

test("whatever is edited, however it was quoted, the rest of the file is as it was", () => {
  const hows = new Map<string, number>()
  for (let seed = 1; seed <= 1_500; seed++) {
    const { how, problems } = fuzzEdit(seed)
    expect(problems).toEqual([])
    hows.set(how, (hows.get(how) ?? 0) + 1)
  }
  expect([...hows.keys()].sort()).toEqual([
    "exact",
    "indentation",
    "line ends",
    "look-alike characters",
    "refused",
    "spaces at line ends",
    "spacing",
  ])
})

test("a blank that ended a line of the old text and begins one of the new is in the file", () => {
  const edits = [{ oldText: "x;\t\na-b\n", newText: "\tq\na-b\n" }]
  const outcome = applyEdits("x;\t\na–b\n", edits, "f")
  expect(outcome.ok && outcome.text.split("\n").map((line) => line.trimEnd())).toEqual(["\tq", "a–b", ""])
})
