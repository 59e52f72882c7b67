/**
 * Which projects may do more than be read: run extensions, change where requests go, run commands for keys.
 *
 * - A decision is of a real path and holds below it; the nearest one counts. It is kept outside of the project, with a digest of every file
 *   that it let in. A file that is new or differs asks again and is named; a project below a trusted folder is taken as it is first seen.
 * - Digests are of content, through links, so a link that is turned elsewhere asks again as well.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import type { Clock } from "../std/clock.ts"
import { errorCode, hashBytes, writeFileAtomic } from "../std/files.ts"
import { isObject, parseJson, type Json, type JsonObject } from "../std/json.ts"
import { withFileLock } from "./file-lock.ts"
import { agentFolders, upwards } from "./folder.ts"

export type Decision = "always" | "never"

/** `nothing`: the project has no files that would need trust. Names are relative to the project. */
export type Trust =
  | { readonly status: "nothing" }
  | { readonly status: "trusted" }
  | { readonly status: "denied" }
  | { readonly status: "unknown"; readonly files: readonly string[] }
  | {
      readonly status: "changed"
      readonly added: readonly string[]
      readonly changed: readonly string[]
      readonly removed: readonly string[]
    }

type Digests = Readonly<Record<string, string>>
type Stored = { readonly decision: Decision; readonly at: number; readonly projects: Readonly<Record<string, Digests>> }

/** What waits for trust. */
function guardedOf(project: string): readonly string[] {
  return [join(project, ".cairn"), ...agentFolders(project).map((folder) => join(folder, ".agents", "skills"))]
}

/** A project with more files than this in those folders is not a person's work, and is not trusted. */
const filesMax = 10_000

/** The guarded files of a project with the digest of each; undefined where there are too many to look at. */
export function digestsOf(project: string): Digests | undefined {
  const digests: Record<string, string> = {}
  const waiting = [...guardedOf(project)]
  const entered = new Set<string>()
  let count = 0
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (++count > filesMax) return undefined
    const stat = statSync(path, { throwIfNoEntry: false })
    const name = relative(project, path)
    if (stat?.isDirectory()) {
      const real = realpathSync(path)
      if (entered.has(real)) continue
      entered.add(real)
      waiting.push(...readdirSync(path).map((child) => join(path ?? "", child)))
    } else if (stat?.isFile()) digests[name] = hashBytes(readFileSync(path))
    else if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) digests[name] = "not a file"
  }
  return digests
}

function compare(before: Digests, now: Digests): Trust {
  const names = Object.keys(now)
  const added = names.filter((name) => !Object.hasOwn(before, name)).toSorted()
  const changed = names.filter((name) => Object.hasOwn(before, name) && before[name] !== now[name]).toSorted()
  const removed = Object.keys(before)
    .filter((name) => !Object.hasOwn(now, name))
    .toSorted()
  // What is gone can do nothing: it alone does not ask.
  return added.length + changed.length === 0 ? { status: "trusted" } : { status: "changed", added, changed, removed }
}

export class TrustStore {
  readonly #file: string
  readonly #clock: Clock

  constructor(file: string, clock: Clock) {
    this.#file = file
    this.#clock = clock
  }

  /** How much the project at `folder` (a real path) may do now. */
  async check(folder: string): Promise<Trust> {
    const now = digestsOf(folder)
    if (now === undefined) return { status: "denied" }
    if (Object.keys(now).length === 0) return { status: "nothing" }
    const all = this.#read()
    const place = upwards(folder).find((candidate) => all.has(candidate))
    const stored = place === undefined ? undefined : all.get(place)
    if (place === undefined || stored === undefined) return { status: "unknown", files: Object.keys(now).toSorted() }
    if (stored.decision === "never") return { status: "denied" }
    const before = Object.hasOwn(stored.projects, folder) ? stored.projects[folder] : undefined
    if (before !== undefined) return compare(before, now)
    await this.#change((entries) => entries.set(place, { ...stored, projects: { ...stored.projects, [folder]: now } }))
    return { status: "trusted" }
  }

  /** Decide for `folder` and all below it, with its files as they are now. */
  async decide(folder: string, decision: Decision): Promise<void> {
    const digests = digestsOf(folder)
    const projects = digests === undefined ? {} : { [folder]: digests }
    await this.#change((entries) => entries.set(folder, { decision, at: this.#clock.now(), projects }))
  }

  /** Ask again next time. */
  async forget(folder: string): Promise<void> {
    await this.#change((entries) => entries.delete(folder))
  }

  #read(): Map<string, Stored> {
    let text: string
    try {
      text = readFileSync(this.#file, "utf8")
    } catch (error) {
      if (errorCode(error) === "ENOENT") return new Map()
      throw error
    }
    // A damaged file trusts nobody; it is asked again.
    const value = parseJson(text)
    return new Map(Object.entries(isObject(value) ? value : {}).flatMap(([path, entry]) => storedOf(path, entry)))
  }

  async #change(change: (entries: Map<string, Stored>) => void): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    await withFileLock(this.#file, this.#clock, async () => {
      const entries = this.#read()
      change(entries)
      await writeFileAtomic(this.#file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`, { mode: 0o600 })
    })
  }
}

function storedOf(path: string, entry: Json | undefined): readonly [string, Stored][] {
  if (!isObject(entry)) return []
  const { decision, at, projects } = entry
  if (decision !== "always" && decision !== "never") return []
  const known = Object.entries(isObject(projects) ? projects : {}).map(([project, digests]): [string, Digests] => [
    project,
    digestsFrom(digests),
  ])
  return [[path, { decision, at: typeof at === "number" ? at : 0, projects: Object.fromEntries(known) }]]
}

function digestsFrom(value: Json | undefined): Digests {
  const fields: JsonObject = isObject(value) ? value : {}
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === "string"),
  )
}
