import { expect, test } from "bun:test"
import { edit, runEdit } from "../../support/edit.ts"
import { KillRing } from "../../../src/tui/editor/kill-ring.ts"

test.each([
  ["deleting a word back takes the word before the cursor", "fix the |bug", "deleteWordBack", "fix |bug"],
  ["deleting a word back stops at a change of kind", "foo.bar(|", "deleteWordBack", "foo.bar|"],
  ["deleting a word back takes the blanks before it", "one two   |", "deleteWordBack", "one |"],
  ["deleting a word forward takes the blanks before it", "fix| the bug", "deleteWordForward", "fix| bug"],
  ["deleting to the end of a line keeps the break", "ab|cd\nef", "deleteToLineEnd", "ab|\nef"],
  ["deleting to the end at the end takes the break", "ab|\nef", "deleteToLineEnd", "ab|ef"],
  ["deleting to the start of a line keeps the line before", "ab\ncd|ef", "deleteToLineStart", "ab\n|ef"],
  ["deleting to the start at the start takes the break", "ab\n|ef", "deleteToLineStart", "ab|ef"],
  ["a family of one emoji is deleted as one", "a👩‍👩‍👧|b", "deleteBack", "a|b"],
  ["an accent goes with its letter", "e\u0301|x", "deleteBack", "|x"],
  ["a flag is deleted as one forward", "|🇩🇪x", "deleteForward", "|x"],
  ["going right steps over a whole grapheme", "|🇩🇪x", "right", "🇩🇪|x"],
  ["a word of another script is a word", "|привет мир", "wordRight", "привет| мир"],
  ["left at the start of a line goes to the one before", "a\n|b", "left", "a|\nb"],
  ["the start of the line is that of the logical line", "a\nbc|d", "lineStart", "a\n|bcd"],
  ["the end of the line is before its break", "a|b\ncd", "lineEnd", "ab|\ncd"],
  ["the first character of a line is after its indent", "a\n  b|c", "lineTextStart", "a\n  |bc"],
  ["two characters around the cursor are swapped", "ab|cd", "transpose", "acb|d"],
  ["at the end of a line the two before are swapped", "abc|", "transpose", "acb|"],
  ["the start of the next word is found over punctuation", "foo|.bar baz", "wordStartRight", "foo.|bar baz"],
  ["joined lines have one space", "ab|\n   cd", "joinLines", "ab| cd"],
])("%s", (_, before, command, after) => edit(before, command, after))

test("motions at an end of the text stay there", () => {
  edit("|abc", "left", "|abc")
  edit("abc|", "right", "abc|")
  edit("|abc", "wordLeft", "|abc")
  edit("abc|", "wordRight", "abc|")
})

test("selecting extends to where the motion leads, and typing a motion ends the selection", () => {
  edit("one |two", "select", "one <two|", { args: { to: "lineEnd" } })
  edit("one <two|", "left", "one tw|o")
})

test("what is selected is what a deletion takes", () => {
  edit("one <two| three", "deleteBack", "one | three")
  edit("one |two< three", "deleteToLineEnd", "one | three")
})

test("cutting gives the selection to the clipboard and to the ring", () => {
  const ring = new KillRing()
  edit("one <two| three", "cut", "one | three", { ring })
  edit("|", "yank", "two|", { ring })
})

test("a deletion that finds nothing does not apply", () => {
  expect(runEdit("|", "deleteBack")).toBeNull()
  expect(runEdit("a|", "deleteForward")).toBeNull()
  expect(runEdit("|a", "deleteWordBack")).toBeNull()
  expect(runEdit("abc|", "copy")).toBeNull()
})

test("a deletion takes the whole mark of a paste", () => {
  const pastes = new Map([[1, "long text"]])
  edit("see [paste #1 +20 lines]| now", "deleteBack", "see | now", { pastes })
  edit("see |[paste #1 +20 lines] now", "deleteForward", "see | now", { pastes })
  edit("see [paste #1 +20 lines]| now", "deleteWordBack", "see | now", { pastes })
})

test("text that only looks like a mark is deleted a character at a time", () => {
  edit("see [paste #7 +20 lines]| now", "deleteBack", "see [paste #7 +20 lines| now")
})
