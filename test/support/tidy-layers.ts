/** Who may import what: the table of the house, and the rules that read it. */
import { posix } from "node:path"
import type { Facts } from "./tidy-facts.ts"
import type { Finding } from "./tidy-rules.ts"

const everything = [
  "cli",
  "tui",
  "wire",
  "engine",
  "extension",
  "home",
  "protocol",
  "providers",
  "tools",
  "ledger",
  "message",
  "std",
]

/** A folder of `src/` and the folders below it that it knows. Those of one tier do not know each other. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  cli: everything,
  tui: ["protocol", "home", "message", "std"],
  wire: ["protocol", "std"],
  engine: ["protocol", "ledger", "providers", "tools", "message", "std"],
  extension: ["protocol", "providers", "tools", "message", "std"],
  home: ["message", "std"],
  protocol: ["message", "std"],
  providers: ["message", "std"],
  tools: ["message", "std"],
  ledger: ["std"],
  message: ["std"],
  std: [],
}

/** Files beside the folders: the program starts at `main.ts`, and the others make and check it. */
const roots: Readonly<Record<string, readonly string[]>> = {
  "src/main.ts": ["cli"],
  "src/build.ts": [],
  "src/build-catalog.ts": ["providers", "message", "std"],
  "src/build-lists.ts": ["home"],
  "src/check.ts": [],
  "src/check-count.ts": [],
  "src/ambient.d.ts": [],
}

/** A package and the only places in `src/` that may import it: a folder ends in a slash. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  "@anthropic-ai/sdk": ["src/providers/"],
  "@google/genai": ["src/providers/"],
  "@opentui/core": ["src/tui/"],
  "@opentui/core-linux-x64": ["src/tui/native.ts"],
  "@sinclair/typebox": ["src/tools/", "src/protocol/", "src/home/", "src/extension/", "src/std/schema.ts"],
  "@vscode/ripgrep": ["src/tools/ripgrep.ts"],
  ajv: ["src/std/schema.ts"],
  "beautiful-mermaid": ["src/tui/markdown/"],
  "bun:sqlite": ["src/ledger/"],
  diff: ["src/tools/", "src/tui/"],
  fuzzysort: ["src/std/fuzzy.ts"],
  ignore: ["src/tools/"],
  "jsonc-parser": ["src/home/"],
  marked: ["src/tui/", "src/cli/export-html.ts"],
  openai: ["src/providers/"],
  re2js: ["src/std/finder.ts"],
  "web-tree-sitter": ["src/tui/"],
}

/** Packages of one kind by how their names begin: grammars. */
const families: Readonly<Record<string, readonly string[]>> = {
  "tree-sitter-": ["src/tui/highlight/"],
  "@tree-sitter-grammars/": ["src/tui/highlight/"],
}

function placesFor(name: string): readonly string[] | undefined {
  const family = Object.keys(families).find((start) => name.startsWith(start))
  return packages[name] ?? (family === undefined ? undefined : families[family])
}

/** Where the environment is read: everything else gets values. */
const environmentReaders = ["src/cli/", "src/home/"]

/** What an import by path may name: code, and data that the bundler embeds. */
const endings = /\.(ts|sql|json|jsonc|scm|wasm|txt|md)$/

const within = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place))

/** The folder of `src/` that `path` is in; undefined for a file beside the folders, and outside. */
export function layerOf(path: string): string | undefined {
  const [top, folder, ...rest] = path.split("/")
  return top === "src" && rest.length > 0 ? folder : undefined
}

/** `@scope/name` or `name` of an import that is no path. */
function packageOf(specifier: string): string {
  const parts = specifier.split("/")
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "")
}

function pathRule(path: string, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier)
  if (!endings.test(specifier)) return `an import by path names its file with its ending: ${specifier}`
  if (!path.startsWith("src/")) return undefined
  // The program knows its own version; data files of the top level are embedded by who reads them.
  if (!target.startsWith("src/")) {
    return /^(themes|keymaps)\/|^package\.json$/.test(target) ? undefined : `src/ does not import ${target}`
  }
  const from = layerOf(path)
  const to = layerOf(target)
  if (from !== undefined && from === to) return undefined
  const allowed = from === undefined ? roots[path] : layers[from]
  if (allowed === undefined) return `${from ?? path} is in no row of the table`
  if (to !== undefined && allowed.includes(to)) return undefined
  if (to === undefined && from === undefined) return undefined
  return `${from ?? path} does not know ${to ?? target}`
}

function packageRule(path: string, specifier: string): string | undefined {
  if (!path.startsWith("src/") || specifier.startsWith("node:") || specifier === "bun") return undefined
  const name = packageOf(specifier)
  if (name.startsWith("bun:") && packages[name] === undefined) return undefined
  const places = placesFor(name)
  if (places === undefined) return `the package ${name} is in no row of the table`
  return within(path, places) ? undefined : `${name} is imported in ${places.join(", ")} alone`
}

/** Findings of the import table and of the fence around the environment. */
export function layerFindings(path: string, facts: Facts): readonly Finding[] {
  const imports = facts.imports.flatMap(({ specifier, line }): Finding[] => {
    const byPath = specifier.startsWith(".")
    const message = byPath ? pathRule(path, specifier) : packageRule(path, specifier)
    return message === undefined ? [] : [{ path, line, rule: byPath ? "layers" : "packages", message }]
  })
  if (!path.startsWith("src/") || within(path, environmentReaders)) return imports
  const readings = facts.members
    .filter(({ name }) => ["process.env", "Bun.env", "import.meta.env"].includes(name))
    .map(({ name, line }) => ({ path, line, rule: "environment", message: `${name} is read in cli and home alone` }))
  return [...imports, ...readings]
}
