import { describe, expect, test } from "bun:test"
import { builtInThemes } from "../../src/home/built-in.ts"
import { contrast, rgbOf, type Color } from "../../src/home/color.ts"
import { printProblem } from "../../src/home/problem.ts"
import { isRole, roleInfo, roleNames, roles } from "../../src/home/roles.ts"
import { resolveTheme, unreadable, type Appearance, type Theme } from "../../src/home/theme.ts"

const every = Object.keys(builtInThemes).flatMap((name): [string, Appearance][] => [
  [name, "dark"],
  [name, "light"],
])

function load(name: string, appearance: Appearance): Theme {
  const result = resolveTheme(name, appearance, builtInThemes)
  if ("problem" in result) throw new Error(printProblem(result.problem))
  expect(result.notices).toEqual([])
  return result.theme
}

const isColor = (color: Color): boolean =>
  color === "none" || (typeof color === "number" ? color >= 0 && color <= 255 : /^#[0-9a-f]{6}$/.test(color))

test("seven themes are built in", () => {
  expect(Object.keys(builtInThemes).toSorted()).toEqual([
    "dark",
    "harbor",
    "high-contrast",
    "kiln",
    "lichen",
    "light",
    "moor",
  ])
})

describe.each(every)("%s on %s", (name, appearance) => {
  test("has a colour for every role", () => {
    const { colors } = load(name, appearance)
    expect(roleNames.filter((role) => !isColor(colors[role]))).toEqual([])
  })

  test("has text that can be read wherever it stands", () => expect(unreadable(load(name, appearance))).toEqual([]))

  test("tells its surfaces apart", () => {
    const { colors } = load(name, appearance)
    const surfaces = [colors.background, colors.backgroundPanel, colors.backgroundElement, colors.backgroundMenu]
    expect(new Set(surfaces).size).toBe(surfaces.length)
    expect(colors.selection).not.toBe(colors.background)
    expect(colors.searchMatch).not.toBe(colors.selection)
  })
})

test("the high-contrast theme has 7:1 everywhere", () => {
  for (const appearance of ["dark", "light"] as const) {
    const { colors } = load("high-contrast", appearance)
    const low = roleNames.flatMap((text) =>
      roleInfo(text).on.flatMap((on) => {
        const [over, under] = [rgbOf(colors[text]), isRole(on) ? rgbOf(colors[on]) : undefined]
        return over && under && contrast(over, under) < 7 ? [`${text} on ${on}`] : []
      }),
    )
    expect(low).toEqual([])
  }
})

describe("the table of roles", () => {
  test("begins with the 52 of theme files of version 1", () => {
    expect(roleNames.indexOf("searchMatch")).toBe(52)
    expect(roleNames.slice(52)).toEqual([
      "searchMatch",
      "searchCurrent",
      "selection",
      "cursor",
      "thinking",
      "userMessage",
      "toolPending",
      "toolDone",
      "toolFailed",
      "notice",
      "scrollbar",
      "scrollbarThumb",
      "tabActive",
      "focus",
      "badge",
    ])
  })

  test("refers to roles only, and every fallback ends at a colour", () => {
    for (const [name, info] of Object.entries(roles)) {
      const seen = [name]
      let fallback: unknown = info.fallback
      while (typeof fallback === "string") {
        expect(seen).not.toContain(fallback)
        seen.push(fallback)
        expect(isRole(fallback)).toBe(true)
        fallback = isRole(fallback) ? roleInfo(fallback).fallback : undefined
      }
      expect(Object.keys(fallback ?? {})).toEqual(["dark", "light"])
      const { on, tint, help } = roleInfo(isRole(name) ? name : "text")
      expect([...on, ...(tint === undefined ? [] : [tint.role])].filter((other) => !isRole(other))).toEqual([])
      expect(help).toEndWith(".")
    }
  })

  test("is readable by itself, where a file says nothing at all", () => {
    for (const appearance of ["dark", "light"] as const) {
      const result = resolveTheme("empty", appearance, { empty: { file: "empty", text: "" } })
      expect("theme" in result ? unreadable(result.theme) : result.problem).toEqual([])
    }
  })
})
