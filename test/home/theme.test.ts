import { describe, expect, test } from "bun:test"
import { layerSources, type Sources } from "../../src/home/chain.ts"
import { contrast, rgbOf, type Color } from "../../src/home/color.ts"
import { printProblem } from "../../src/home/problem.ts"
import { roleNames, type Role } from "../../src/home/roles.ts"
import { resolveTheme, themeNameFor, type Appearance } from "../../src/home/theme.ts"

function files(texts: Readonly<Record<string, string>>): Sources {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { file: `${name}.json`, text }]))
}

function colors(
  text: string,
  appearance: Appearance = "dark",
  others: Readonly<Record<string, string>> = {},
): Readonly<Record<Role, Color>> {
  const result = resolveTheme("own", appearance, files({ ...others, own: text }))
  if ("problem" in result) throw new Error(printProblem(result.problem))
  expect(result.notices.map(printProblem)).toEqual([])
  return result.theme.colors
}

function wrong(text: string, others: Readonly<Record<string, string>> = {}): string {
  const result = resolveTheme("own", "dark", files({ ...others, own: text }))
  return "problem" in result ? printProblem(result.problem) : result.notices.map(printProblem).join("\n")
}

/** Written as other programs' theme files are: defs, references to roles, both appearances, terminal colours, a transparent background. */
const foreign = `{
  "$schema": "https://example.invalid/theme.json",
  "defs": { "ink": "#DDE", "deep": "#101820", "rose": "#e07a8a", "text": "#d0d0d8" },
  "theme": {
    "primary": { "dark": "rose", "light": "#902030" },
    "secondary": "primary",
    "accent": 13,
    "error": { "dark": 9, "light": 1 },
    "warning": "#e0c060",
    "success": "#80c080",
    "info": "secondary",
    "text": "text",
    "textMuted": "#80808880",
    "background": { "dark": "deep", "light": "none" },
    "backgroundPanel": "transparent",
    "backgroundElement": "background",
    "border": "textMuted",
    "syntaxKeyword": { "dark": "primary", "light": "primary" },
    "thinkingOpacity": 0.5
  }
}`

describe("a theme file of version 1", () => {
  test("loads as it is, references, numbers and both appearances", () => {
    const dark = colors(foreign)
    expect(dark).toMatchObject({ primary: "#e07a8a", secondary: "#e07a8a", info: "#e07a8a", accent: 13, error: 9 })
    expect(dark).toMatchObject({
      text: "#d0d0d8",
      background: "#101820",
      backgroundPanel: "none",
      backgroundElement: "#101820",
    })
    expect(dark).toMatchObject({ syntaxKeyword: "#e07a8a", border: dark.textMuted })
    expect(colors(foreign, "light")).toMatchObject({ primary: "#902030", background: "none", error: 1 })
  })

  test("has a colour for every role, also for those it does not know", () => {
    for (const appearance of ["dark", "light"] as const) {
      expect(Object.keys(colors(foreign, appearance)).toSorted()).toEqual(roleNames.toSorted())
    }
  })

  test("a colour with an alpha is mixed with the background, one without any is none", () => {
    expect(colors(foreign).textMuted).toBe("#484c54")
    expect(colors('{ "theme": { "border": "#ffffff00" } }').border).toBe("none")
  })

  test("its opacity of reasoning lies between background and text", () => {
    expect(colors(foreign).thinking).toBe("#70747c")
  })

  test("comments, a comma at the end and a byte order mark are no problem", () => {
    expect(colors('\ufeff{ // mine\n "theme": { "primary": "#abcdef", }, }').primary).toBe("#abcdef")
  })
})

describe("roles that a file leaves out", () => {
  test("fall back to their neighbours, and the roots to a colour of the appearance", () => {
    const own = colors('{ "theme": { "primary": "#aabbcc" } }')
    expect(own).toMatchObject({ secondary: "#aabbcc", focus: "#aabbcc", badge: "#aabbcc", tabActive: "#aabbcc" })
    expect(colors("{}", "light").background).not.toBe(colors("{}", "dark").background)
  })

  test("the text of a chosen item can be read on the primary colour, whatever that is", () => {
    for (const primary of ["#ffff00", "#000080", "#777777"]) {
      for (const background of ["none", "#101010", "#fafafa"]) {
        const own = colors(JSON.stringify({ theme: { primary, background } }))
        const [text, on] = [rgbOf(own.selectedListItemText), rgbOf(own.primary)]
        expect(contrast(text ?? [0, 0, 0], on ?? [0, 0, 0])).toBeGreaterThanOrEqual(4.47)
      }
    }
  })

  test("a search stands on the theme's own background", () => {
    const own = colors('{ "theme": { "background": "#000000", "warning": "#ffffff", "primary": "#ffffff" } }')
    expect(own).toMatchObject({ searchMatch: "#404040", selection: "#404040" })
  })
})

describe("extends", () => {
  test("takes over what is not said, and its defs reach into what was made of them", () => {
    const base = '{ "defs": { "red": "#ff0000" }, "theme": { "error": "red", "text": "#eeeeee" } }'
    const own = '{ "extends": "base", "defs": { "red": "#aa0000" }, "theme": { "text": "#dddddd" } }'
    expect(colors(own, "dark", { base })).toMatchObject({ error: "#aa0000", text: "#dddddd" })
  })

  test("a file of the built-in's name extends the built-in", () => {
    const builtIn = files({ dark: '{ "theme": { "text": "#eeeeee", "error": "#ee0000" } }' })
    const sources = layerSources(builtIn, files({ dark: '{ "extends": "dark", "theme": { "text": "#ffffff" } }' }))
    const result = resolveTheme("dark", "dark", sources)
    expect(result).toMatchObject({ theme: { colors: { text: "#ffffff", error: "#ee0000" } } })
  })
})

describe("what is wrong is told with its place", () => {
  test.each([
    [
      "a colour",
      '{\n "theme": {\n  "text": "#12345"\n } }',
      "own.json:3:11: `#12345` is no colour; write # and 3 or 6 hex digits",
    ],
    [
      "a number",
      '{ "theme": { "text": 256 } }',
      "own.json:1:22: 256 is no colour of a terminal; they go from 0 to 255",
    ],
    ["a number with a fraction", '{ "theme": { "text": 1.5 } }', "own.json:1:22: 1.5 is no colour"],
    ["a type", '{ "theme": { "text": true } }', "own.json:1:22: a colour is text, a number from 0 to 255"],
    ["a half pair", '{ "theme": { "text": {} } }', "own.json:1:22: a colour for two appearances is written"],
    [
      "a name",
      '{ "defs": { "rose": "#fff" }, "theme": { "text": "rosee" } }',
      "`rosee` is neither a colour nor a name in `defs` or `theme`; did you mean `rose`?",
    ],
    [
      "a circle of roles",
      '{ "theme": { "text": "primary", "primary": "text" } }',
      "own.json:1:22: colours refer to each other in a circle: primary → text → primary",
    ],
    [
      "a circle of defs",
      '{ "defs": { "a": "b", "b": "a" }, "theme": { "text": "a" } }',
      "circle: text → defs.a → defs.b → a",
    ],
    [
      "a circle through a fallback",
      '{ "theme": { "text": "markdownText" } }',
      "own.json:1:22: colours refer to each other in a circle",
    ],
    [
      "a background made of itself",
      '{ "theme": { "background": "selection" } }',
      "own.json:1:28: colours refer to each other in a circle",
    ],
    [
      "an unknown role",
      '{ "theme": { "primry": "#fff" } }',
      "own.json:1:14: `primry` is no role of a theme; did you mean `primary`?",
    ],
    ["an unknown name", '{ "extend": "dark" }', "own.json:1:3: `extend` means nothing here; did you mean `extends`?"],
    ["another version", '{ "version": 2 }', "own.json:1:14: only theme files of version 1 can be read"],
    ["defs that are a list", '{ "defs": [] }', "own.json:1:11: `defs` has to be an object"],
    ["a parent", '{ "extends": "drak" }', "own.json:1:14: `extends` names `drak`, and there is no such theme"],
    ["text that never ends", '{ "theme": { "text": "#fff } }', "own.json:1:22: this text is never closed"],
  ])("%s", (_, text, sentence) => expect(wrong(text)).toContain(sentence))

  test("in the file that it is in, not in the one that extends it", () => {
    const base = '{\n\n "theme": { "text": "nothing" } }'
    expect(wrong('{ "extends": "base" }', { base })).toStartWith("base.json:3:21: `nothing` is neither")
  })
})

test("a pair of themes follows the background", () => {
  expect([themeNameFor("day/night", "light"), themeNameFor("day/night", "dark")]).toEqual(["day", "night"])
  expect([themeNameFor("moor", "light"), themeNameFor("moor", "dark")]).toEqual(["moor", "moor"])
})
