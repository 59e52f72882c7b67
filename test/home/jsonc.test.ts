import { describe, expect, test } from "bun:test"
import { objectOf, parseDocument, propertyOf, suggestion } from "../../src/home/jsonc.ts"
import { printProblem } from "../../src/home/problem.ts"

function read(text: string): unknown {
  const parsed = parseDocument("a.json", text)
  return "problem" in parsed ? printProblem(parsed.problem) : objectOf(parsed.document)
}

describe("a file", () => {
  test.each<[string, string, unknown]>([
    ["may have comments", '{ // one\n "a": /* two */ 1 }', { a: 1 }],
    ["may end a list with a comma", '{ "a": [1, 2,], }', { a: [1, 2] }],
    ["may be empty", " \n", {}],
    ["may be a comment alone", "// nothing yet", {}],
    ["may begin with a byte order mark", '\ufeff{ "a": 1 }', { a: 1 }],
    ["may have any name", '{ "__proto__": { "a": 1 } }', Object.fromEntries([["__proto__", { a: 1 }]])],
    ["is an object", "[1]", "a.json:1:1: the file has to hold one object, { … }"],
    ["has one value", "{} {}", "a.json:1:4: the file should end here"],
    ["is closed", '{ "a": 1', "a.json:1:9: a closing brace } is expected here"],
    ["has text in double quotes", "{ 'a': 1 }", "a.json:1:3: this is not JSON: text needs double quotes"],
    [
      "with lines that end in CR LF counts them alike",
      '{\r\n "a": 1\r\n "b": 2 }',
      "a.json:3:2: a comma is expected here",
    ],
  ])("%s", (_, text, value) => expect(read(text)).toEqual(value))

  test("with one name twice means the last, as in any JSON", () => {
    const parsed = parseDocument("a.json", '{ "a": 1, "a": 2 }')
    if ("problem" in parsed) throw new Error("no JSON")
    expect(propertyOf(parsed.document.root, "a")?.value.value).toBe(2)
    expect(objectOf(parsed.document)).toEqual({ a: 2 })
  })
})

test("a name that is near gets a suggestion, a far one none", () => {
  expect(suggestion("thmee", ["theme", "keymap"])).toBe("; did you mean `theme`?")
  expect(suggestion("Theme", ["theme"])).toBe("; did you mean `theme`?")
  expect(suggestion("elephant", ["theme", "keymap"])).toBe("")
  expect(suggestion("x", [])).toBe("")
})

test("a file that is nested without end is told as such, at its place, also where it is never closed", () => {
  const place = { file: "f", line: 2, column: 101, message: "values are nested more than 100 deep here" }
  for (const text of [`\n${"[".repeat(100_000)}${"]".repeat(100_000)}`, `\n${"[".repeat(100_000)}`]) {
    expect(parseDocument("f", text)).toEqual({ problem: place })
  }
  const whole = `{"a":${"[".repeat(99)}"[[[ {{{"${"]".repeat(99)}}`
  expect("document" in parseDocument("f", whole)).toBe(true)
})
