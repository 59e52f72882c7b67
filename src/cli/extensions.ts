/**
 * Extensions of the person, and of a project that is trusted: found, loaded, checked, in the order of their names.
 *
 * - `import { defineTool, Type } from "cairn"` works in them: the module is this program's own, whatever lies in the folder.
 * - One that cannot be loaded is named with what is wrong; the others and the program go on. `-name` in the settings leaves one out.
 */
import { readdirSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { checkExtension, type Extension } from "../extension/extension.ts"
import { extensionModule } from "../extension/module.ts"
import type { Hooks } from "../protocol/hooks.ts"
import { errorCode } from "../std/files.ts"
import type { Tool } from "../tools/tool.ts"
import type { Person } from "./person.ts"

export type Loaded = { readonly extensions: readonly Extension[]; readonly problems: readonly string[] }

const endings = [".ts", ".js", ".mjs"]

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => endings.includes(extname(name)))
      .sort()
      .map((name) => join(folder, name))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

let offered = false

/** The module `cairn`, as extensions import it. */
function offerModule(): void {
  if (offered) return
  offered = true
  Bun.plugin({
    name: "cairn",
    setup(build) {
      build.module("cairn", () => ({ exports: extensionModule, loader: "object" }))
    },
  })
}

async function load(file: string): Promise<{ readonly extension: Extension } | { readonly problem: string }> {
  try {
    offerModule()
    const module = (await import(file)) as { readonly extension?: unknown }
    const checked = checkExtension(module.extension)
    return "problem" in checked ? { problem: `${file}: ${checked.problem}` } : checked
  } catch (error) {
    return { problem: `${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** All extensions that count here; `taken` are names of tools that are there already. */
export async function loadExtensions(person: Person, taken: readonly string[]): Promise<Loaded> {
  const settings = person.settings.merged.config.extensions
  const off = new Set(settings.filter((entry) => entry.startsWith("-")).map((entry) => entry.slice(1)))
  const folders = [
    join(person.dirs.config, "extensions"),
    ...(person.trusted ? [join(person.project, ".cairn", "extensions")] : []),
  ]
  const files = [...folders.flatMap(filesIn), ...settings.filter((entry) => !entry.startsWith("-"))]
  const names = new Set(taken)
  const extensions: Extension[] = []
  const problems: string[] = []
  for (const file of files.filter((path) => !off.has(basename(path, extname(path))))) {
    const loaded = await load(file)
    if ("problem" in loaded) {
      problems.push(loaded.problem)
      continue
    }
    const { extension } = loaded
    if (off.has(extension.name)) continue
    const clash = toolsOf(extension).find((tool) => names.has(tool.name))
    if (clash !== undefined) {
      problems.push(`${file}: there is a tool named ${clash.name} already`)
      continue
    }
    for (const tool of toolsOf(extension)) names.add(tool.name)
    extensions.push(extension)
  }
  return { extensions, problems }
}

export function hooksOf({ name, hooks }: Extension): readonly Hooks[] {
  return hooks === undefined ? [] : [{ ...hooks, name }]
}

export function toolsOf(extension: Extension): readonly Tool[] {
  return extension.tools ?? []
}
