import { expect, test } from "bun:test"
import { cleanPaste, expand, fold, isLong, usedPastes, wholeMarks } from "../../../src/tui/editor/paste.ts"

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")

test("ten lines or a thousand characters are shown, more is folded", () => {
  expect(isLong(lines(10))).toBe(false)
  expect(isLong(lines(11))).toBe(true)
  expect(isLong("x".repeat(1_000))).toBe(false)
  expect(isLong("x".repeat(1_001))).toBe(true)
})

test("a mark says how much it stands for and is sent as that", () => {
  const first = fold(new Map(), lines(20))
  const second = fold(first.pastes, "y".repeat(2_000))
  expect(first.mark).toBe("[paste #1 +20 lines]")
  expect(second.mark).toBe("[paste #2 2000 chars]")
  const sent = expand(`see ${first.mark} and ${second.mark}`, second.pastes)
  expect(sent).toBe(`see ${lines(20)} and ${"y".repeat(2_000)}`)
})

test("a paste that holds what looks like a mark is sent as it is", () => {
  const { pastes, mark } = fold(new Map(), `${lines(12)}\n[paste #1 +99 lines]`)
  expect(expand(mark, pastes)).toBe(`${lines(12)}\n[paste #1 +99 lines]`)
})

test("a mark whose number is nobody's stays as it was typed", () => {
  expect(expand("[paste #3 +20 lines]", new Map())).toBe("[paste #3 +20 lines]")
})

test("what is pasted cannot drive the terminal, and its line breaks are line breaks (117)", () => {
  expect(cleanPaste("\x1b[31mred\x1b[0m a\r\nb\rc\td")).toBe("red a\nb\nc\td")
  expect(cleanPaste("x\x00y\x07")).toBe("x␀y␇")
  expect(cleanPaste('@word" {`')).toBe('@word" {`')
  expect(cleanPaste("👩‍👩‍👧")).toBe("👩‍👩‍👧")
})

test("a range that touches a mark holds all of it", () => {
  const { pastes, mark } = fold(new Map(), lines(20))
  const text = `a ${mark} b`
  expect(wholeMarks(text, pastes, { from: 5, to: 6 })).toEqual({ from: 2, to: 2 + mark.length })
  expect(wholeMarks(text, pastes, { from: 0, to: 1 })).toEqual({ from: 0, to: 1 })
})

test("pastes whose mark is gone are forgotten", () => {
  const first = fold(new Map(), lines(20))
  const second = fold(first.pastes, lines(30))
  expect([...usedPastes(second.mark, second.pastes).keys()]).toEqual([2])
})
