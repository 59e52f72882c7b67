/**
 * The person's settings while the program runs: read at the start, read again when a file is saved, written when a choice is kept.
 *
 * - A file that cannot be used leaves what its last good version said in force; before there was one, it says nothing. `broken` tells of it.
 * - Writing changes one setting in the person's own file and leaves comments, order and everything else as they are.
 */
import { readFileSync } from "node:fs"
import { mkdir, readFile, realpath } from "node:fs/promises"
import { dirname } from "node:path"
import { applyEdits, modify } from "jsonc-parser"
import { systemClock, type Clock } from "../std/clock.ts"
import { errorCode, writeFileAtomic } from "../std/files.ts"
import { isObject, stableText, type Json, type JsonObject } from "../std/json.ts"
import { environmentLayers, mergeLayers, readConfig, untrusted, valueAt, type Layer, type Merged } from "./config.ts"
import type { Env } from "./env.ts"
import { withFileLock } from "./file-lock.ts"
import { printProblem } from "./problem.ts"

export type SettingsInput = {
  /** The person's `config.json`. */
  readonly person: string
  /** The project's, or null where there is none to be read. */
  readonly project: string | null
  readonly trusted: boolean
  readonly env: Env
  /** Settings that flags give, with the name of the flag. */
  readonly flags: readonly { readonly flag: string; readonly value: JsonObject }[]
  /** Providers for which the person has a key, whatever the config says. */
  readonly providers: ReadonlySet<string>
  readonly clock?: Clock
}

type Good = { readonly value: JsonObject; readonly problems: readonly string[]; readonly broken: boolean }

const empty: Good = { value: {}, problems: [], broken: false }

export class SettingsStore {
  readonly #input: SettingsInput
  #trusted: boolean
  #person: Good = empty
  #project: Good = empty
  #merged: Merged
  #problems: readonly string[] = []

  constructor(input: SettingsInput) {
    this.#input = input
    this.#trusted = input.trusted
    this.#merged = this.#read()
  }

  get merged(): Merged {
    return this.#merged
  }

  /** Sentences with file, line and column. */
  get problems(): readonly string[] {
    return this.#problems
  }

  /** A file is there and cannot be used: modes without a screen end with status 2. */
  get broken(): boolean {
    return this.#person.broken || this.#project.broken
  }

  /** Read the files again. True when a setting has another value than before. */
  reload(): boolean {
    const before = stableText(this.#merged.config as unknown as JsonObject)
    this.#merged = this.#read()
    return before !== stableText(this.#merged.config as unknown as JsonObject)
  }

  /** The person has decided about the project. */
  trust(trusted: boolean): boolean {
    this.#trusted = trusted
    return this.reload()
  }

  /** Write one setting, by its dotted path, to the person's file; null takes it out. Throws an Error with a sentence. */
  async save(path: string, value: Json): Promise<void> {
    const { person, clock = systemClock } = this.#input
    await mkdir(dirname(person), { recursive: true, mode: 0o700 })
    const target = await whereItLeads(person)
    await withFileLock(target, clock, async () => {
      const before = (await textIfThere(target)) ?? "{}\n"
      const old = readConfig({ file: target, text: before })
      if (!old.ok) throw new Error(`${old.problems.map(printProblem).join("\n")}\nNothing was written.`)
      const formattingOptions = { insertSpaces: true, tabSize: 2, insertFinalNewline: true }
      const edits = modify(before, path.split("."), value ?? undefined, { formattingOptions })
      const text = applyEdits(before, edits)
      const checked = readConfig({ file: target, text })
      if (!checked.ok) throw new Error(checked.problems.map((problem) => problem.message).join("; "))
      await writeFileAtomic(target, text, { mode: 0o600 })
    })
    this.reload()
  }

  #read(): Merged {
    const { person, project, env, flags, providers } = this.#input
    this.#person = readGood(person, this.#person)
    this.#project = project === null ? empty : readGood(project, this.#project)
    const own = valueAt(this.#person.value, "providers")
    const known = new Set([...providers, ...Object.keys(isObject(own) ? own : {})])
    const allowed = this.#trusted ? { value: this.#project.value, refused: [] } : untrusted(this.#project.value, known)
    const variables = environmentLayers(env)
    const layers: readonly Layer[] = [
      ...flags.map(({ flag, value }): Layer => ({ origin: "flag", file: flag, value })),
      ...variables.layers,
      { origin: "project", file: project ?? "", value: allowed.value },
      { origin: "person", file: person, value: this.#person.value },
    ]
    const waiting = allowed.refused.map((name) => `\`${name}\``).join(", ")
    this.#problems = [
      ...this.#person.problems,
      ...this.#project.problems,
      ...variables.problems.map(printProblem),
      ...(waiting === "" ? [] : [`${project}: ${waiting} wait until you trust this folder.`]),
    ]
    return mergeLayers(layers)
  }
}

function readGood(path: string, before: Good): Good {
  const kept = Object.keys(before.value).length === 0 ? "the file is left out" : "what it said before still counts"
  const broken = (problems: readonly string[]): Good => ({
    value: before.value,
    problems: problems.map((problem) => `${problem}; ${kept}.`),
    broken: true,
  })
  let text: string | undefined
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (code !== "ENOENT" && code !== "ENOTDIR") return broken([`${path} cannot be read (${code})`])
  }
  const read = readConfig({ file: path, text })
  if (!read.ok) return broken(read.problems.map(printProblem))
  return { value: read.value, problems: read.notices.map(printProblem), broken: false }
}

async function textIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined
    throw error
  }
}

/** A link stays a link: what it leads to is written. */
async function whereItLeads(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) === "ENOENT") return path
    throw error
  }
}
