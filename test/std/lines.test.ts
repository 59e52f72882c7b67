import { describe, expect, test } from "bun:test"
import {
  boundaryAfter,
  boundaryBefore,
  byteLength,
  head,
  headBytes,
  headChars,
  lineCount,
  tail,
  tailBytes,
} from "../../src/std/lines.ts"

const wide = { lines: 100, bytes: 1_000 }

describe("lines are counted", () => {
  const rows = [
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["\n", 1],
    ["\n\n", 2],
    ["a\r\nb\rc", 2],
  ] as const
  for (const [text, count] of rows) {
    test(`${JSON.stringify(text)} has ${count}`, () => expect(lineCount(text)).toBe(count))
  }
})

describe("a text within its limits comes back as it is", () => {
  for (const text of ["", "a", "a\nb\n", "a\nb", "阴😀\n"]) {
    test(JSON.stringify(text), () => {
      expect(head(text, wide)).toEqual({ text, lines: 0, bytes: 0 })
      expect(tail(text, wide)).toEqual({ text, lines: 0, bytes: 0 })
    })
  }
})

test("a head ends after a whole line, and says what it left out", () => {
  expect(head("a\nb\nc\n", { lines: 2, bytes: 100 })).toEqual({ text: "a\nb\n", lines: 1, bytes: 2 })
  expect(head("a\nbbb\nc", { lines: 9, bytes: 5 })).toEqual({ text: "a\n", lines: 2, bytes: 5 })
})

test("a tail begins with a whole line, and says what it left out", () => {
  expect(tail("a\nb\nc\n", { lines: 2, bytes: 100 })).toEqual({ text: "b\nc\n", lines: 1, bytes: 2 })
  expect(tail("a\nbbb\nc", { lines: 9, bytes: 4 })).toEqual({ text: "c", lines: 2, bytes: 6 })
})

test("a single line over the limit is cut between characters", () => {
  expect(head("阴阴阴", { lines: 9, bytes: 7 }).text).toBe("阴阴")
  expect(tail("阴阴阴", { lines: 9, bytes: 7 }).text).toBe("阴阴")
  expect(head("x\n阴阴阴", { lines: 9, bytes: 1 }).text).toBe("x")
})

test("a cut at any byte gives whole characters, and at most as many bytes", () => {
  const text = "aé阴😀e\u0301b"
  for (let limit = 0; limit <= byteLength(text) + 1; limit++) {
    const start = headBytes(text, limit)
    const end = tailBytes(text, limit)
    expect(text.startsWith(start) && text.endsWith(end)).toBe(true)
    expect(byteLength(start) <= limit && byteLength(end) <= limit).toBe(true)
    expect(byteLength(text) - byteLength(start) < 4 || limit - byteLength(start) < 4).toBe(true)
  }
})

test("a cut in code units falls between surrogates too", () => {
  expect(headChars("a😀b", 2)).toBe("a")
  expect(headChars("a😀b", 3)).toBe("a😀")
  expect(headChars("ab", 5)).toBe("ab")
})

test("bytes that are no UTF-8 may be cut anywhere", () => {
  const bytes = Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80)
  expect(boundaryBefore(bytes, 4)).toBe(4)
  expect(boundaryAfter(bytes, 1)).toBe(1)
})
