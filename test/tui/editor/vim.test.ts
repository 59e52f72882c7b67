import { expect, test } from "bun:test"
import { KillRing } from "../../../src/tui/editor/kill-ring.ts"
import { edit, runEdit } from "../../support/edit.ts"

const normal = { mode: "normal" } as const

test("leaving insert mode puts the cursor on the character before it", () => {
  const left = runEdit("abc|", "mode", { mode: "insert", args: { to: "normal" } })
  expect(left).toEqual({ edit: "ab|c", mode: "normal" })
})

test("the cursor of normal mode never stands behind the last character of a line", () => {
  edit("ab|c", "right", "ab|c", normal)
  edit("|abc", "lineEnd", "ab|c", normal)
})

test("appending begins after the character under the cursor", () => {
  const left = runEdit("a|bc", "mode", { ...normal, args: { to: "insert", at: "right" } })
  expect(left).toEqual({ edit: "ab|c", mode: "insert" })
})

test.each([
  ["dw", "one |two three", "wordStartRight", "one |three"],
  ["de", "one |two three", "wordRight", "one | three"],
  ["db", "one two| three", "wordLeft", "one | three"],
  ["d$", "one |two", "lineEnd", "one| "],
  ["d0", "one t|wo", "lineStart", "|wo"],
  ["dd", "one\nt|wo\nthree", "line", "one\n|three"],
  ["dd on the last line", "one\nt|wo", "line", "|one"],
  ["diw", "one t|wo three", "innerWord", "one | three"],
  ["daw", "one t|wo three", "aWord", "one |three"],
  ['di"', 'say "he|llo" now', 'inner"', 'say "|" now'],
  ["di(", "call(a, (|b))", "inner(", "call(a, (|))"],
  ["di{", "x { a { b } |c }", "inner{", "x {|}"],
])("%s deletes what it says", (_, before, over, after) => {
  edit(before, "operate", after, { ...normal, args: { do: "delete", over } })
})

test("changing a line keeps its break and goes on in insert mode", () => {
  const left = runEdit("one\nt|wo\nthree", "operate", { ...normal, args: { do: "change", over: "line" } })
  expect(left).toEqual({ edit: "one\n|\nthree", mode: "insert" })
})

test("a line that was copied is put on a line of its own", () => {
  const ring = new KillRing()
  edit("o|ne\ntwo", "operate", "|one\ntwo", { ...normal, ring, args: { do: "copy", over: "line" } })
  edit("one\nt|wo", "putAfter", "one\ntwo\n|one", { ...normal, ring })
  edit("one\nt|wo", "putBefore", "one\n|one\ntwo", { ...normal, ring })
})

test("words that were copied are put after the character under the cursor", () => {
  const ring = new KillRing()
  edit("|one two", "operate", "|one two", { ...normal, ring, args: { do: "copy", over: "wordRight" } })
  edit("|x", "putAfter", "xon|e", { ...normal, ring })
})

test("a visual selection holds the character under the cursor, and an operator ends it", () => {
  const left = runEdit("a<b|cd", "operate", { mode: "visual", args: { do: "delete", over: "selection" } })
  expect(left).toEqual({ edit: "a|d", mode: "normal" })
})

test("an object that is not there changes nothing", () => {
  expect(runEdit("no | brackets", "operate", { ...normal, args: { do: "delete", over: "inner(" } })).toBeNull()
})
