import { readFileSync } from "node:fs"
import { expect, test } from "bun:test"
import { callsOf } from "../../../src/message/message.ts"
import type { Json } from "../../../src/std/json.ts"
import { assistant, chunk, decodeChunks, model } from "../support.ts"

type Dialect = {
  readonly name: string
  readonly deltas: readonly Json[]
  readonly calls: readonly (readonly [string, Json])[]
}

const dialects = readFileSync(new URL("../fixtures/call-dialects.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Dialect)

test.each(dialects.map((dialect): [string, Dialect] => [dialect.name, dialect]))(
  "calls are joined: %s",
  (_, dialect) => {
    const { response } = decodeChunks([...dialect.deltas.map((delta) => chunk(delta)), chunk({}, "stop")])
    const calls = callsOf(assistant(model(), ...response.content))
    expect<unknown>(calls.map((call) => [call.name, call.arguments])).toEqual(dialect.calls)
    expect(calls.every((call) => call.argumentsError === undefined)).toBe(true)
    expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length)
    expect(calls.every((call) => call.id !== "" && call.id !== "null")).toBe(true)
    expect(response.stopReason).toBe("toolUse")
  },
)

const argumentTexts: readonly [string, Json | null][] = [
  ["", {}],
  ["null", {}],
  ["{}", {}],
  ['"{\\"path\\":\\"a\\"}"', { path: "a" }],
  ['{"path":5}', { path: 5 }],
  ['{"a":"line\nbreak"}', { a: "line\nbreak" }],
  ['{"a":1,"a":2}', { a: 2 }],
  ["[1]", null],
  ['{"path":"a"}}', null],
  ['{"path":"a",}', null],
  ['{"a":"\\u00"}', null],
  ['{"path":"a.txt","content":"line1\nli', null],
  ['{"command":"rm -rf build/tmp', null],
]

test.each(argumentTexts)(
  "arguments %j are whole or an error that keeps the text (field reports 61, 64)",
  (raw, value) => {
    const piece = { index: 0, id: "c", function: { name: "write", arguments: raw } }
    const { response } = decodeChunks([chunk({ tool_calls: [piece] }), chunk({}, "tool_calls")])
    const [call] = callsOf(assistant(model(), ...response.content))
    expect(call?.arguments).toEqual(value === null ? {} : (value as { path: string }))
    expect(call?.argumentsError).toBe(value === null ? raw : undefined)
  },
)
