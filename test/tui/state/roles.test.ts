import { expect, test } from "bun:test"
import { contrast, parseHex } from "../../../src/home/color.ts"
import { roleNames } from "../../../src/home/roles.ts"
import { fitTheme, inkOf, isMono, systemTheme, terminalAppearance } from "../../../src/tui/roles.ts"
import { darkTheme, lightTheme } from "../../support/screen-shelves.ts"

const unknown = { palette: [], defaultForeground: null, defaultBackground: null }
const solarized = { palette: [], defaultForeground: "#657b83", defaultBackground: "#fdf6e3" }

test("a theme is fitted to what the terminal can show, and left alone where it shows all", () => {
  expect(fitTheme(darkTheme, "truecolor")).toBe(darkTheme)
  const numbers = roleNames.map((role) => fitTheme(darkTheme, "256").colors[role])
  expect(numbers.every((color) => color === "none" || (typeof color === "number" && color >= 16 && color < 256))).toBe(
    true,
  )
  const few = roleNames.map((role) => fitTheme(darkTheme, "16").colors[role])
  expect(few.every((color) => color === "none" || (typeof color === "number" && color < 16))).toBe(true)
})

test("without colours every role is the terminal's own, and that can be told", () => {
  const mono = fitTheme(darkTheme, "none")
  expect(roleNames.every((role) => mono.colors[role] === "none")).toBe(true)
  expect(isMono(mono)).toBe(true)
  expect(isMono(darkTheme)).toBe(false)
})

test("every role has a colour for the renderer", () => {
  const ink = inkOf(darkTheme)
  expect(roleNames.filter((role) => ink[role] === undefined)).toEqual([])
})

test("the background that a terminal told decides between dark and light", () => {
  expect(terminalAppearance(solarized)).toBe("light")
  expect(terminalAppearance({ ...unknown, defaultBackground: "#000000" })).toBe("dark")
  expect(terminalAppearance(unknown)).toBeUndefined()
})

test("where the terminal told nothing, text is never one of its sixteen greys (131)", () => {
  const system = systemTheme(darkTheme, unknown)
  expect([system.colors.text, system.colors.textMuted, system.colors.background]).toEqual(["none", "none", "none"])
})

test("where it told its colours, muted text is mixed of them and can be read (131)", () => {
  const { colors } = systemTheme(lightTheme, { ...solarized, defaultForeground: "#000000" })
  const muted = typeof colors.textMuted === "string" ? parseHex(colors.textMuted)?.rgb : undefined
  const paper = parseHex(solarized.defaultBackground)?.rgb
  if (muted === undefined || paper === undefined) throw new Error("no colour was mixed")
  expect(contrast(muted, paper)).toBeGreaterThan(4.5)
})
