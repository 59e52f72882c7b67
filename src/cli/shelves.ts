/**
 * Themes and keymaps of the person over the built-in ones, read again when a file is saved.
 *
 * - A broken file keeps its last good version, beside the sentences that say where it is broken and what is wrong.
 * - Nothing is parsed before it is asked for.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Clock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import { builtInKeymaps, builtInThemes } from "../home/built-in.ts"
import { layerSources, type Source, type Sources } from "../home/chain.ts"
import { commandList } from "../home/command-names.ts"
import { resolveKeymap, type Keymap } from "../home/keymap.ts"
import { printProblem, type Problem } from "../home/problem.ts"
import { resolveTheme, type Appearance, type Theme } from "../home/theme.ts"
import { watchFolder } from "../home/watch.ts"
import type { KeymapShelf, ThemeShelf } from "../tui/options.ts"

const extension = ".json"
const accept = (name: string): boolean => name.endsWith(extension)

function readSources(folder: string): Sources {
  const own: Record<string, Source> = {}
  let names: string[]
  try {
    names = readdirSync(folder).filter(accept)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return own
  }
  for (const name of names) {
    const file = join(folder, name)
    try {
      own[basename(name, extension)] = { file, text: readFileSync(file, "utf8") }
    } catch (error) {
      // Removed between the two looks, or not readable: then it is as if it were not there.
      if (errorCode(error) === undefined) throw error
    }
  }
  return own
}

type Resolved<T> = { readonly value: T; readonly notices: readonly Problem[] } | { readonly problem: Problem }

/** One folder of data files over the built-in ones, with the last good version of each name. */
class Shelf<T> {
  readonly #folder: string
  readonly #builtIn: Sources
  readonly #clock: Clock
  readonly #good = new Map<string, T>()
  #sources: Sources | undefined

  constructor(folder: string, builtIn: Sources, clock: Clock) {
    this.#folder = folder
    this.#builtIn = builtIn
    this.#clock = clock
  }

  sources(): Sources {
    this.#sources ??= layerSources(this.#builtIn, readSources(this.#folder))
    return this.#sources
  }

  /** `key` tells apart what one name can be resolved to. */
  take(
    name: string,
    key: string,
    resolve: (sources: Sources) => Resolved<T>,
  ): { value: T; problems: readonly string[] } | undefined {
    const sources = this.sources()
    if (!Object.hasOwn(sources, name) && !this.#good.has(key)) return undefined
    const resolved = resolve(sources)
    if ("value" in resolved) {
      this.#good.set(key, resolved.value)
      return { value: resolved.value, problems: resolved.notices.map(printProblem) }
    }
    const problems = [printProblem(resolved.problem)]
    const good = this.#good.get(key)
    if (good !== undefined) return { value: good, problems }
    // The person's file never was good: the built-in one of that name, if there is one, else nothing.
    const under = Object.hasOwn(this.#builtIn, name) ? resolve(this.#builtIn) : undefined
    return under !== undefined && "value" in under ? { value: under.value, problems } : undefined
  }

  watch(listener: () => void): () => void {
    return watchFolder(this.#folder, { clock: this.#clock, accept }, () => {
      this.#sources = undefined
      listener()
    })
  }
}

export function themeShelf(config: string, clock: Clock): ThemeShelf {
  const shelf = new Shelf<Theme>(join(config, "themes"), builtInThemes, clock)
  return {
    names: () => Object.keys(shelf.sources()),
    load(name, appearance: Appearance) {
      const taken = shelf.take(name, `${name}/${appearance}`, (sources) => {
        const result = resolveTheme(name, appearance, sources)
        return "theme" in result ? { value: result.theme, notices: result.notices } : result
      })
      return taken === undefined ? undefined : { theme: taken.value, problems: taken.problems }
    },
    watch: (listener) => shelf.watch(listener),
  }
}

export function keymapShelf(config: string, clock: Clock): KeymapShelf {
  const shelf = new Shelf<Keymap>(join(config, "keymaps"), builtInKeymaps, clock)
  return {
    names: () => Object.keys(shelf.sources()),
    load(name) {
      const taken = shelf.take(name, name, (sources) => {
        const result = resolveKeymap(name, sources, commandList)
        return "keymap" in result ? { value: result.keymap, notices: result.notices } : result
      })
      return taken === undefined ? undefined : { keymap: taken.value, problems: taken.problems }
    },
    watch: (listener) => shelf.watch(listener),
  }
}
