import { expect, test } from "bun:test"
import { parseArguments } from "../../src/providers/parts.ts"

test("arguments that a model nests without end are none, and what is told back is its text", () => {
  const nested = (depth: number): string => `{"command":${"[".repeat(depth)}1${"]".repeat(depth)}}`
  expect(parseArguments(nested(3))).toEqual({ command: [[[1]]] })
  expect(parseArguments(nested(62))).toBeDefined()
  expect(parseArguments(nested(100))).toBeUndefined()
  expect(parseArguments(nested(100_000))).toBeUndefined()
  expect(parseArguments(`{"a":`.repeat(100_000) + "1" + "}".repeat(100_000))).toBeUndefined()
})
