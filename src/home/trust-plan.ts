/**
 * What a project's folder would make this program do, once it is trusted: read from its files, said in sentences for the person who decides.
 *
 * - Everything that waits for trust is named; a file that does nothing known is named as such. Nothing is run and nothing is followed.
 * - No value of a key is told, but that one is set, and a command that prints one is told whole, since it would be run.
 */
import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { errorCode } from "../std/files.ts"
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import { headChars } from "../std/lines.ts"
import { secretNames } from "./config-check.ts"
import { leaves, readConfig, untrusted, valueAt } from "./config.ts"

export type Effect = { readonly what: string; readonly files: readonly string[] }

const valueMax = 120

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

function shown(value: Json): string {
  return headChars(JSON.stringify(value), valueMax)
}

/** What a provider's settings change, one sentence each. */
function providerEffects(name: string, provider: JsonObject): readonly string[] {
  return Object.entries(provider).map(([field, value]) => {
    if (field === "baseUrl" && typeof value === "string") return `send what you say to ${name} to ${value}`
    if (field === "apiKey" && typeof value === "string" && value.startsWith("!"))
      return `run a command for the key of ${name}: ${value.slice(1)}`
    if (field === "apiKey" && typeof value === "string" && value.startsWith("$"))
      return `send ${value} as the key of ${name}`
    if (secretNames.has(field)) return `set ${field} of ${name}`
    return `set ${field} of ${name} to ${shown(value ?? null)}`
  })
}

function settingEffects(value: JsonObject): readonly string[] {
  const { providers, ...rest } = value
  const ofProviders = isObject(providers)
    ? Object.entries(providers).flatMap(([name, provider]) =>
        isObject(provider) ? providerEffects(name, provider) : [],
      )
    : []
  const others = leaves.flatMap(({ path }) => {
    const set = valueAt(rest, path)
    return set === undefined ? [] : [`set ${path} to ${shown(set)}`]
  })
  return [...ofProviders, ...others]
}

function configEffects(project: string, file: string, providers: ReadonlySet<string>): readonly Effect[] {
  const read = readConfig({ file, text: textOf(join(project, file)) })
  if (!read.ok) return [{ what: "give settings, from a file that cannot be read now", files: [file] }]
  const { refused } = untrusted(read.value, providers)
  const waits = Object.fromEntries(refused.map((name): [string, Json | undefined] => [name, read.value[name]]))
  return settingEffects(waits).map((what) => ({ what, files: [file] }))
}

const single: Readonly<Record<string, string>> = {
  ".cairn/SYSTEM.md": "replace what the agent is told first",
  ".cairn/APPEND_SYSTEM.md": "add to what the agent is told first",
}

/** Kinds of files by the folder that they lie in; of some the names say enough together. */
function groupOf(file: string): string {
  if (/(^|\/)\.agents\/skills\//.test(file) || file.startsWith(".cairn/skills/")) {
    return basename(file) === "SKILL.md" ? "tell the agent of skills" : "bring files of skills"
  }
  if (file.startsWith(".cairn/extensions/")) return "run code inside of this program"
  if (file.startsWith(".cairn/prompts/")) return "add commands that send prompts"
  if (file.startsWith(".cairn/themes/") || file.startsWith(".cairn/keymaps/")) return "add themes and keymaps"
  return "bring files that do nothing known"
}

/** What `files` of a project would do; `providers` are those that the person has already. Code first. */
export function trustPlan(
  project: string,
  files: readonly string[],
  providers: ReadonlySet<string>,
): readonly Effect[] {
  const config: readonly string[] = files.filter((file) => file === ".cairn/config.json")
  const known = files.filter((file) => single[file] !== undefined)
  const groups = new Map<string, string[]>()
  for (const file of files) {
    if (config.includes(file) || known.includes(file)) continue
    const group = groupOf(file)
    groups.set(group, [...(groups.get(group) ?? []), file])
  }
  const effects = [
    ...[...groups].map(([what, own]) => ({ what, files: own })),
    ...config.flatMap((file) => configEffects(project, file, providers)),
    ...known.map((file) => ({ what: single[file] ?? "", files: [file] })),
  ]
  return effects.toSorted((a, b) => rank(a.what) - rank(b.what))
}

/** What runs something comes first, then what sends something elsewhere; the rest in its order. */
function rank(what: string): number {
  if (what.startsWith("run ")) return 0
  return what.startsWith("send ") ? 1 : 2
}

/** The name of a skill or a template, as a person knows it. */
export function effectName(file: string): string {
  return basename(file) === "SKILL.md" ? basename(dirname(file)) : basename(file)
}
