/** Times as people type them. */
import { expect, test } from "bun:test"
import { parseWhen } from "../../../src/tui/when.ts"

/** A Monday, at noon. */
const noon = new Date(2026, 10, 30, 12, 0).getTime()
const at = (year: number, month: number, day: number, hour = 0, minute = 0): number =>
  new Date(year, month - 1, day, hour, minute).getTime()

test.each<[string, number | null]>([
  ["9:30", at(2026, 11, 30, 9, 30)],
  ["14:30", at(2026, 11, 29, 14, 30)],
  ["today 14:30", at(2026, 11, 30, 14, 30)],
  ["yesterday 9.05", at(2026, 11, 29, 9, 5)],
  ["yesterday", at(2026, 11, 29)],
  ["fri 10:00", at(2026, 11, 27, 10, 0)],
  ["Monday", at(2026, 11, 30)],
  ["2026-11-03", at(2026, 11, 3)],
  ["2026-11-03T08:15", at(2026, 11, 3, 8, 15)],
  ["11-03 08:15", at(2026, 11, 3, 8, 15)],
  ["20m", noon - 20 * 60_000],
  ["3 hours ago", noon - 3 * 3_600_000],
  ["2d", noon - 2 * 86_400_000],
  ["25:00", null],
  ["2026-02-30", null],
  ["soon", null],
  ["", null],
])("%p is a time, or it is none", (typed, wanted) => {
  expect(parseWhen(typed, noon)).toBe(wanted)
})
