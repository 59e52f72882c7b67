/**
 * Themes and keymaps by name: those in the binary and those of the person's folders, read when asked for, with the last good version of each.
 *
 * - A broken file gives what it last was; before it ever was good, the built-in of its name, else the built-in default; always with what is wrong.
 * - `load` is undefined only for a name that nothing has and nothing had.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import type { Clock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import { builtInKeymaps, builtInThemes } from "./built-in.ts"
import { layerSources, type Source, type Sources } from "./chain.ts"
import { resolveKeymap, type Keymap } from "./keymap.ts"
import { printProblem, type Problem } from "./problem.ts"
import { resolveTheme, type Appearance, type Theme } from "./theme.ts"
import { watchFolder } from "./watch.ts"

export type ShelfOptions = {
  /** Folders of files, the one that counts most first. They need not exist. */
  readonly folders: readonly string[]
  readonly clock: Clock
}

/** A theme or keymap is a few kilobytes; what is larger is something else. */
const fileBytesMax = 1024 * 1024

const isJson = (name: string): boolean => /^[^.].*\.jsonc?$/.test(name)

/** The files of one folder by their names without the ending. */
export function sourcesIn(folder: string): Sources {
  let names: readonly string[]
  try {
    names = readdirSync(folder).filter(isJson)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return {}
  }
  const found = names.flatMap((name): [string, Source][] => {
    const file = join(folder, name)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat === undefined || !stat.isFile() || stat.size > fileBytesMax) return []
    return [[basename(name).replace(/\.jsonc?$/, ""), { file, text: readFileSync(file, "utf8") }]]
  })
  return Object.fromEntries(found)
}

function allSources(builtIn: Sources, folders: readonly string[]): Sources {
  return folders.toReversed().map(sourcesIn).reduce(layerSources, builtIn)
}

type Loaded<T> = { readonly value: T; readonly problems: readonly Problem[] } | { readonly problem: Problem }

class Shelf<T> {
  readonly #options: ShelfOptions
  readonly #builtIn: Sources
  readonly #good = new Map<string, T>()

  constructor(builtIn: Sources, options: ShelfOptions) {
    this.#builtIn = builtIn
    this.#options = options
  }

  names(): readonly string[] {
    return Object.keys(allSources(this.#builtIn, this.#options.folders)).toSorted()
  }

  /** `key` tells versions of the same name apart; `fallback` is the built-in for a file that never was good. */
  load(
    name: string,
    key: string,
    fallback: string,
    resolve: (name: string, sources: Sources) => Loaded<T>,
  ): { readonly value: T; readonly problems: readonly string[] } | undefined {
    const sources = allSources(this.#builtIn, this.#options.folders)
    const good = this.#good.get(key)
    if (!Object.hasOwn(sources, name)) {
      return good && { value: good, problems: [`${name}: the file is gone; its last version is still in use.`] }
    }
    const loaded = resolve(name, sources)
    if ("value" in loaded) {
      this.#good.set(key, loaded.value)
      return { value: loaded.value, problems: loaded.problems.map(printProblem) }
    }
    const problem = printProblem(loaded.problem)
    if (good !== undefined) return { value: good, problems: [`${problem}; its last good version is still in use.`] }
    const instead = Object.hasOwn(this.#builtIn, name) ? name : fallback
    const safe = resolve(instead, this.#builtIn)
    return "value" in safe ? { value: safe.value, problems: [`${problem}; ${instead} is used instead.`] } : undefined
  }

  watch(listener: () => void): () => void {
    const { clock, folders } = this.#options
    const ends = folders.map((folder) => watchFolder(folder, { clock, accept: isJson }, listener))
    return () => ends.forEach((end) => end())
  }
}

export type ThemeShelf = {
  names(): readonly string[]
  load(
    name: string,
    appearance: Appearance,
  ): { readonly theme: Theme; readonly problems: readonly string[] } | undefined
  watch(listener: () => void): () => void
}

export function themeShelf(options: ShelfOptions): ThemeShelf {
  const shelf = new Shelf<Theme>(builtInThemes, options)
  return {
    names: () => shelf.names(),
    watch: (listener) => shelf.watch(listener),
    load(name, appearance) {
      const loaded = shelf.load(name, `${name} ${appearance}`, appearance, (wanted, sources) => {
        const result = resolveTheme(wanted, appearance, sources)
        return "theme" in result ? { value: result.theme, problems: result.notices } : result
      })
      return loaded && { theme: loaded.value, problems: loaded.problems }
    },
  }
}

export type KeymapShelf = {
  names(): readonly string[]
  load(name: string): { readonly keymap: Keymap; readonly problems: readonly string[] } | undefined
  watch(listener: () => void): () => void
}

/** `commands` are all names there are now, those of extensions included. */
export function keymapShelf(options: ShelfOptions, commands: () => Iterable<string>): KeymapShelf {
  const shelf = new Shelf<Keymap>(builtInKeymaps, options)
  return {
    names: () => shelf.names(),
    watch: (listener) => shelf.watch(listener),
    load(name) {
      const loaded = shelf.load(name, name, "default", (wanted, sources) => {
        const result = resolveKeymap(wanted, sources, commands())
        return "keymap" in result ? { value: result.keymap, problems: result.notices } : result
      })
      return loaded && { keymap: loaded.value, problems: loaded.problems }
    },
  }
}
