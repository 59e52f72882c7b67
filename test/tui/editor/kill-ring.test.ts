import { expect, test } from "bun:test"
import { KillRing } from "../../../src/tui/editor/kill-ring.ts"
import { edit, parseEdit, printEdit } from "../../support/edit.ts"

test("deletions in a row are put back as one text, in the order of the text", () => {
  const ring = new KillRing()
  edit("one two three|", "deleteWordBack", "one two |", { ring })
  edit("one two |", "deleteWordBack", "one |", { ring })
  edit("one |", "yank", "one two three|", { ring })
})

test("another command between two deletions keeps them apart", () => {
  const ring = new KillRing()
  ring.kill("first", false)
  ring.rest()
  ring.kill("second", false)
  expect(ring.newest).toBe("second")
})

test("popping replaces what was put back by what was deleted before it, round and round", () => {
  const ring = new KillRing()
  for (const text of ["one", "two", "three"]) {
    ring.kill(text, false)
    ring.rest()
  }
  const first = ring.yank(parseEdit("> |"))
  expect(first && printEdit(first)).toBe("> three|")
  const second = first && ring.yankPop(first)
  expect(second && printEdit(second)).toBe("> two|")
  const third = second && ring.yankPop(second)
  expect(third && printEdit(third)).toBe("> one|")
  const fourth = third && ring.yankPop(third)
  expect(fourth && printEdit(fourth)).toBe("> three|")
})

test("there is nothing to pop unless something was just put back", () => {
  const ring = new KillRing()
  ring.kill("one", false)
  ring.rest()
  ring.kill("two", false)
  ring.rest()
  expect(ring.yankPop(parseEdit("|"))).toBeNull()
})
