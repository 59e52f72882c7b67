/**
 * The theme and the keymap that are in use: chosen by name, loaded again when a file changes, fitted to the terminal.
 *
 * - A broken file keeps the last good version, and its sentences are told once. A name that is nobody's changes nothing.
 * - `system` is made of the terminal's own colours, of which nobody waits to hear: it begins with the sixteen names and gets better.
 */
import type { Keymap } from "../home/keymap.ts"
import { themeNameFor, type Appearance, type Theme } from "../home/theme.ts"
import { assert } from "../std/assert.ts"
import type { ColorDepth, KeymapShelf, ThemeShelf } from "./options.ts"
import { fitTheme, systemTheme, terminalAppearance, type TerminalColors } from "./roles.ts"

export type LooksOptions = {
  readonly themes: ThemeShelf
  readonly keymaps: KeymapShelf
  readonly theme: string
  readonly appearance: Appearance | "auto"
  readonly keymap: string
  readonly depth: ColorDepth
  themeChanged(theme: Theme): void
  keymapChanged(keymap: Keymap): void
  /** What is wrong in a file, in sentences. */
  problems(sentences: readonly string[]): void
}

export const systemName = "system"
const fallbackThemes = { dark: "dark", light: "light" } as const
const fallbackKeymap = "default"

const unknownColors: TerminalColors = { palette: [], defaultForeground: null, defaultBackground: null }

export class Looks {
  readonly #options: LooksOptions
  readonly #undo: (() => void)[]
  #themeName: string
  #keymapName: string
  #appearance: Appearance
  #colors: TerminalColors = unknownColors
  #theme: Theme
  #keymap: Keymap
  #told = ""

  constructor(options: LooksOptions) {
    this.#options = options
    this.#themeName = options.theme
    this.#keymapName = options.keymap
    this.#appearance = options.appearance === "auto" ? "dark" : options.appearance
    this.#theme = this.#load(options.theme) ?? this.#fallback()
    this.#keymap = this.#loadKeymap(options.keymap) ?? this.#fallbackKeymap()
    this.#undo = [options.themes.watch(() => this.reload()), options.keymaps.watch(() => this.reload())]
  }

  get theme(): Theme {
    return this.#theme
  }

  get keymap(): Keymap {
    return this.#keymap
  }

  /** What was chosen, which may be a pair. */
  get themeName(): string {
    return this.#themeName
  }

  get keymapName(): string {
    return this.#keymapName
  }

  themeNames(): readonly string[] {
    return [systemName, ...this.#options.themes.names()]
  }

  keymapNames(): readonly string[] {
    return this.#options.keymaps.names()
  }

  /** False where there is no such theme. */
  choose(name: string): boolean {
    const theme = this.#load(name)
    if (theme === undefined) return false
    this.#themeName = name
    this.#take(theme)
    return true
  }

  chooseKeymap(name: string): boolean {
    const keymap = this.#loadKeymap(name)
    if (keymap === undefined) return false
    this.#keymapName = name
    this.#takeKeymap(keymap)
    return true
  }

  /** The terminal told its colours. */
  terminalColors(colors: TerminalColors): void {
    this.#colors = colors
    const told = terminalAppearance(colors)
    if (told !== undefined) this.#follow(told)
    this.#take(this.#load(this.#themeName) ?? this.#theme)
  }

  /** The terminal says that it is dark or light now. */
  appearance(appearance: Appearance): void {
    this.#follow(appearance)
    this.#take(this.#load(this.#themeName) ?? this.#theme)
  }

  /** Files changed. */
  reload(): void {
    this.#take(this.#load(this.#themeName) ?? this.#theme)
    this.#takeKeymap(this.#loadKeymap(this.#keymapName) ?? this.#keymap)
  }

  close(): void {
    for (const undo of this.#undo) undo()
  }

  #follow(appearance: Appearance): void {
    if (this.#options.appearance === "auto") this.#appearance = appearance
  }

  #take(theme: Theme): void {
    if (sameTheme(theme, this.#theme)) return
    this.#theme = theme
    this.#options.themeChanged(theme)
  }

  #takeKeymap(keymap: Keymap): void {
    if (keymap === this.#keymap) return
    this.#keymap = keymap
    this.#options.keymapChanged(keymap)
  }

  #load(name: string): Theme | undefined {
    const one = themeNameFor(name, this.#appearance)
    const { themes, depth } = this.#options
    if (one === systemName) return fitTheme(systemTheme(this.#base(), this.#colors), depth)
    const found = themes.load(one, this.#appearance)
    if (found === undefined) return undefined
    this.#tell(found.problems)
    return fitTheme(found.theme, depth)
  }

  #base(): Theme {
    const base = this.#options.themes.load(fallbackThemes[this.#appearance], this.#appearance)
    assert(base !== undefined, "the built-in themes are missing")
    return base.theme
  }

  #fallback(): Theme {
    this.#tell([`There is no theme ${this.#themeName}; the built-in one is used`])
    this.#themeName = systemName
    return fitTheme(systemTheme(this.#base(), this.#colors), this.#options.depth)
  }

  #loadKeymap(name: string): Keymap | undefined {
    const found = this.#options.keymaps.load(name)
    if (found !== undefined) this.#tell(found.problems)
    return found?.keymap
  }

  #fallbackKeymap(): Keymap {
    this.#tell([`There is no keymap ${this.#keymapName}; the default one is used`])
    this.#keymapName = fallbackKeymap
    const found = this.#options.keymaps.load(fallbackKeymap)
    assert(found !== undefined, "the built-in keymap is missing")
    return found.keymap
  }

  #tell(sentences: readonly string[]): void {
    const text = sentences.join("\n")
    if (sentences.length === 0 || text === this.#told) return
    this.#told = text
    this.#options.problems(sentences)
  }
}

function sameTheme(a: Theme, b: Theme): boolean {
  const named = a.name === b.name && a.appearance === b.appearance
  return a === b || (named && JSON.stringify(a.colors) === JSON.stringify(b.colors))
}
