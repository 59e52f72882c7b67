/**
 * Writes the lists in README.md that are made from tables of the program: commands with their keys, contexts, settings. `bun run lists`; a test
 * tells when they are not what the tables say.
 *
 * - A list stands between two marks, `<!-- name -->` and `<!-- /name -->`; what is between them is replaced, everything else is left alone.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { printKeys } from "./home/chord.ts"
import { builtInKeymaps } from "./home/built-in.ts"
import { commandInfo, commandList, contextNames } from "./home/command-names.ts"
import { leaves, variableOf } from "./home/config.ts"
import { resolveKeymap, type Keymap } from "./home/keymap.ts"

const readme = join(dirname(import.meta.dir), "README.md")

/** A table with columns as wide as their widest cell, as the formatter writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`
  const [first = [], ...others] = cells
  return [line(first), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...others.map(line)].join("\n")
}

/** All keys of a command in the default keymap, each with its context where that is not everywhere. */
function keysOf(keymap: Keymap, command: string): string {
  const found = keymap.bindings
    .filter(({ run }) => run.some((one) => one.command === command))
    .map(({ context, keys }) => `\`${printKeys(keys)}\`${context === "global" ? "" : ` (${context})`}`)
  return [...new Set(found)].join(", ")
}

function defaultKeymap(): Keymap {
  const result = resolveKeymap("default", builtInKeymaps, commandList)
  if ("problem" in result) throw new Error(result.problem.message)
  return result.keymap
}

function commandTable(): string {
  const keymap = defaultKeymap()
  const rows = commandList
    .filter((name) => commandInfo(name).hidden !== true)
    .map((name) => [`\`${name}\``, keysOf(keymap, name), commandInfo(name).title])
  return table(["command", "keys", "what it does"], rows)
}

function contextTable(): string {
  return table(
    ["context", "it holds while"],
    Object.entries(contextNames).map(([name, when]) => [`\`${name}\``, when]),
  )
}

function settingTable(): string {
  const rows = leaves.map(({ path, schema }) => {
    const fallback: unknown = schema.default
    const help: unknown = schema.description
    const shown = fallback === undefined ? "" : `\`${JSON.stringify(fallback)}\``
    return [`\`${path}\``, shown, typeof help === "string" ? help : "", `\`${variableOf(path)}\``]
  })
  return table(["setting", "built in", "what it is for", "variable"], rows)
}

const lists = { commands: commandTable, contexts: contextTable, settings: settingTable } as const

/** `text` with every list that it has marks for as the tables say now. Throws where a list has none. */
export function withLists(text: string): string {
  return Object.entries(lists).reduce((before, [name, make]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const from = before.indexOf(open)
    const to = before.indexOf(close)
    if (from === -1 || to < from) throw new Error(`README.md has no marks for the list of ${name}: ${open} … ${close}`)
    return `${before.slice(0, from + open.length)}\n\n${make()}\n\n${before.slice(to)}`
  }, text)
}

if (import.meta.main) writeFileSync(readme, withLists(readFileSync(readme, "utf8")))
