import { expect, test } from "bun:test"
import { countdown, elapsed, money, shortCount, ago } from "../../../src/tui/status/numbers.ts"
import { strip, type Part, type Strip } from "../../../src/tui/status/strip.ts"
import { inkOf } from "../../../src/tui/roles.ts"
import { darkTheme } from "../../support/screen-shelves.ts"

const ink = inkOf(darkTheme)
const part = (text: string, drop = 0): Part => ({ text, role: "text", drop })
const draw = (row: Strip, width: number): string =>
  strip(row, width, ink, "unicode")
    .chunks.map(({ text }) => text)
    .join("")

const row: Strip = { left: [part("model"), part("high", 3), part("12%", 1)], right: [part("~/project", 2)], gap: " " }

test("a row is as wide as it should be, its right part at the right edge", () => {
  expect(draw(row, 40)).toBe("model  high  12%               ~/project")
})

test("what does not fit gives way, least important first", () => {
  expect(draw(row, 24)).toBe("model  12%     ~/project")
  expect(draw(row, 16)).toBe("model  12%      ")
  expect(draw(row, 8)).toBe("model   ")
})

test("what may not go is cut with an ellipsis", () => {
  expect(draw(row, 4)).toBe("mod…")
})

test("wide characters are cut whole", () => {
  expect(draw({ left: [part("日本語")], right: [], gap: " " }, 4)).toBe("日… ")
})

test("a line fills the gap with a blank to what stands beside it", () => {
  expect(draw({ left: [part("a")], right: [part("b")], gap: "─" }, 9)).toBe("a ───── b")
  expect(draw({ left: [], right: [], gap: "─" }, 5)).toBe("─────")
})

test.each([
  [940, "940"],
  [1_234, "1.2k"],
  [123_456, "123k"],
  [999_600, "1.0M"],
])("%d tokens read as %s", (count, text) => expect(shortCount(count)).toBe(text))

test.each([
  [0.0041, "$0.004"],
  [0.5, "$0.50"],
  [12.345, "$12.35"],
])("%d dollars read as %s", (dollars, text) => expect(money(dollars)).toBe(text))

test("times read at a glance, and a countdown ends at one", () => {
  expect(elapsed(59_999)).toBe("59s")
  expect(elapsed(185_000)).toBe("3m 05s")
  expect(elapsed(7_800_000)).toBe("2h 10m")
  expect(countdown(1)).toBe("1s")
  expect(ago(90_000)).toBe("1 min")
  expect(ago(50 * 3_600_000)).toBe("2 d")
})
