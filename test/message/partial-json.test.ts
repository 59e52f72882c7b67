import { expect, test } from "bun:test"
import type { JsonObject } from "../../src/std/json.ts"
import { partialObject } from "../../src/message/partial-json.ts"

const whole = {
  path: "a/b.ts",
  content: 'line "one"\nünï 😀\t\\end',
  edits: [
    { old: "x", new: "y" },
    { old: "", new: "z" },
  ],
  count: -1.5e3,
  deep: { yes: true, no: false, none: null },
  __proto__x: 1,
}

test("every prefix of a document can be shown, and a longer one never shows less", () => {
  const text = JSON.stringify(whole)
  let keys = 0
  let content = ""
  for (let at = 0; at <= text.length; at++) {
    const shown = partialObject(text.slice(0, at))
    expect(Object.keys(shown).length).toBeGreaterThanOrEqual(keys)
    keys = Object.keys(shown).length
    const now = typeof shown.content === "string" ? shown.content : ""
    expect(now.startsWith(content)).toBe(true)
    expect(whole.content.startsWith(now)).toBe(true)
    content = now
  }
  expect(partialObject(text)).toEqual(whole)
})

const cuts: readonly (readonly [string, JsonObject])[] = [
  ["", {}],
  ["nonsense", {}],
  ["[1,2]", {}],
  ['{"path":"a.txt","content":"line1\\nli', { path: "a.txt", content: "line1\nli" }],
  ['{"a":"x\\', { a: "x" }],
  ['{"a":"x\\u00', { a: "x" }],
  ['{"a":"\\ud83d', { a: "" }],
  ['{"a":12', {}],
  ['{"a":12,', { a: 12 }],
  ['{"a":tr', {}],
  ['{"a":[1,{"b":"c', { a: [1, { b: "c" }] }],
  ['{"a', {}],
  ['{"a":1,}', { a: 1 }],
  ['{"raw":"two\nlines"}', { raw: "two\nlines" }],
]

test.each(cuts)("%s shows what has come", (text, shown) => {
  expect(partialObject(text)).toEqual(shown)
})

test("a key called __proto__ is a field and changes no prototype", () => {
  const shown = partialObject('{"__proto__":{"polluted":true}}')
  expect(Object.getPrototypeOf(shown)).toBe(Object.prototype)
  expect(Object.keys(shown)).toEqual(["__proto__"])
})

test("brackets without end are cut, not followed", () => {
  expect(partialObject(`{"a":${"[".repeat(100_000)}`)).toHaveProperty("a")
})
