/** The themes and keymaps of the binary, as a screen is given them. */
import { builtInKeymaps, builtInThemes } from "../../src/home/built-in.ts"
import { commandList } from "../../src/home/command-names.ts"
import { resolveKeymap } from "../../src/home/keymap.ts"
import { printProblem } from "../../src/home/problem.ts"
import { resolveTheme, type Appearance, type Theme } from "../../src/home/theme.ts"
import type { KeymapShelf, ThemeShelf } from "../../src/tui/options.ts"

export const builtInThemeShelf: ThemeShelf = {
  names: () => Object.keys(builtInThemes),
  load(name, appearance) {
    const found = builtInThemes[name] === undefined ? undefined : resolveTheme(name, appearance, builtInThemes)
    return found !== undefined && "theme" in found ? { theme: found.theme, problems: [] } : undefined
  },
  watch: () => () => {},
}

export const builtInKeymapShelf: KeymapShelf = {
  names: () => Object.keys(builtInKeymaps),
  load(name) {
    const found = builtInKeymaps[name] === undefined ? undefined : resolveKeymap(name, builtInKeymaps, commandList)
    if (found === undefined || "problem" in found) return undefined
    return { keymap: found.keymap, problems: found.notices.map(printProblem) }
  },
  watch: () => () => {},
}

function builtIn(name: string, appearance: Appearance): Theme {
  const found = resolveTheme(name, appearance, builtInThemes)
  if (!("theme" in found)) throw new Error(`the built-in theme ${name} is broken: ${printProblem(found.problem)}`)
  return found.theme
}

export const darkTheme: Theme = builtIn("dark", "dark")
export const lightTheme: Theme = builtIn("light", "light")
