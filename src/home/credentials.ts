/**
 * Keys: which provider has one, where it is, and what it is for as long as a request needs it.
 *
 * - Order: flag, `auth.json`, the provider's `apiKey` in the config, the provider's usual variables.
 * - `auth.json` is `{"<provider>": {"type": "api_key", "key": "…"}}`, or the key's text alone; mode 0600 whatever it was, written whole and
 *   under a lock, through a link to where it leads. Entries of other types are left as they are.
 * - A command is run once in a process, when its key is first needed. A key is in no message, no error and no list.
 */
import { chmod, readFile, realpath } from "node:fs/promises"
import { mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Clock } from "../std/clock.ts"
import { errorCode, writeFileAtomic } from "../std/files.ts"
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import type { Env } from "./env.ts"
import { withFileLock } from "./file-lock.ts"
import { objectOf, parseDocument } from "./jsonc.ts"
import { parseKey, readKey, type KeyResult, type RunCommand } from "./key-value.ts"
import { printProblem } from "./problem.ts"

export type KeySource = "flag" | "auth.json" | "config" | "environment"

export type CredentialOptions = {
  readonly file: string
  readonly env: Env
  readonly clock: Clock
  readonly run: RunCommand
  /** The usual variables of each provider, the preferred one first. */
  readonly variables: Readonly<Record<string, readonly string[]>>
  /** `apiKey` of the config's providers, as written. */
  readonly config: Readonly<Record<string, string>>
  /** `--api-key`, for whatever provider is asked. */
  readonly flag?: string
}

type Found = { readonly text: string; readonly source: KeySource }

export class Credentials {
  readonly #options: CredentialOptions
  readonly #read = new Map<string, Promise<KeyResult>>()
  #stored: Readonly<Record<string, string>> = {}
  /** What is wrong with `auth.json`, as a sentence; null when nothing is. */
  #problem: string | null = null

  constructor(options: CredentialOptions) {
    this.#options = options
    this.reload()
  }

  /** Read `auth.json` again. A broken one keeps what was read before. */
  reload(): void {
    this.#read.clear()
    try {
      const parsed = parseAuth(this.#options.file, readFileSync(this.#options.file, "utf8"))
      this.#problem = "problem" in parsed ? parsed.problem : null
      if ("keys" in parsed) this.#stored = parsed.keys
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      const missing = errorCode(error) === "ENOENT"
      if (missing) this.#stored = {}
      this.#problem = missing ? null : `${this.#options.file} cannot be read (${errorCode(error)}).`
    }
  }

  get problem(): string | null {
    return this.#problem
  }

  /** Where the key of `provider` would come from, without running a command; undefined where there is none. */
  source(provider: string): KeySource | undefined {
    return this.#find(provider)?.source
  }

  /** The key, or the sentence that says how to get one. Undefined key: the provider has none, which local servers do not mind. */
  key(provider: string): Promise<KeyResult | undefined> {
    const found = this.#find(provider)
    if (found === undefined) return Promise.resolve(undefined)
    const known = this.#read.get(provider)
    if (known !== undefined) return known
    const reading = readKey(found.text, provider, this.#options.env, this.#options.run)
    this.#read.set(provider, reading)
    // A locked password manager is asked again; a key that was had is kept.
    void reading.then((result) => {
      if ("problem" in result) this.#read.delete(provider)
    })
    return reading
  }

  /** The key when it needs no command, now; for lists that only ask whether there is one. */
  keyNow(provider: string): string | undefined {
    const found = this.#find(provider)
    if (found === undefined) return undefined
    const value = parseKey(found.text)
    if (value.kind === "literal") return value.key
    return value.kind === "variable" ? this.#options.env[value.name] : undefined
  }

  /** What to do about a provider without a key. */
  hint(provider: string): string {
    const names = this.#options.variables[provider] ?? []
    const variable = names[0] === undefined ? "" : `set ${names[0]}, or `
    return `There is no key for ${provider}: ${variable}store one with /login ${provider}.`
  }

  /** Providers with a key in `auth.json`. */
  stored(): readonly string[] {
    return Object.keys(this.#stored)
  }

  /** Store a key, as it is or as `$NAME` or `!command`. */
  async store(provider: string, text: string): Promise<void> {
    await this.#change((auth) => ({ ...auth, [provider]: { type: "api_key", key: text } }))
  }

  /** Forget the stored key. False where there was none. */
  async remove(provider: string): Promise<boolean> {
    const had = Object.hasOwn(this.#stored, provider)
    await this.#change((auth) => Object.fromEntries(Object.entries(auth).filter(([name]) => name !== provider)))
    return had
  }

  #find(provider: string): Found | undefined {
    const { flag, config, variables, env } = this.#options
    if (flag !== undefined) return { text: `${/^[$!]/.test(flag) ? "$" : ""}${flag}`, source: "flag" }
    const stored = Object.hasOwn(this.#stored, provider) ? this.#stored[provider] : undefined
    if (stored !== undefined) return { text: stored, source: "auth.json" }
    const configured = Object.hasOwn(config, provider) ? config[provider] : undefined
    if (configured !== undefined) return { text: configured, source: "config" }
    const usual = (Object.hasOwn(variables, provider) ? variables[provider] : undefined) ?? []
    const name = usual.find((variable) => (env[variable] ?? "") !== "")
    return name === undefined ? undefined : { text: `$${name}`, source: "environment" }
  }

  async #change(change: (auth: JsonObject) => JsonObject): Promise<void> {
    const { file, clock } = this.#options
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const target = await whereItLeads(file)
    await withFileLock(target, clock, async () => {
      const text = await readIfThere(target)
      const parsed = parseDocument(target, text ?? "{}")
      if ("problem" in parsed) throw new Error(`${printProblem(parsed.problem)}; nothing was written.`)
      // Closed before the secret is in it: a file that is replaced keeps its mode.
      if (text !== undefined) await chmod(target, 0o600)
      await writeFileAtomic(target, `${JSON.stringify(change(objectOf(parsed.document)), null, 2)}\n`, { mode: 0o600 })
    })
    this.reload()
  }
}

async function whereItLeads(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    if (errorCode(error) === "ENOENT") return file
    throw error
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined
    throw error
  }
}

function keyOf(entry: Json | undefined): string | undefined {
  if (typeof entry === "string") return entry
  const key = isObject(entry) ? entry["key"] : undefined
  return typeof key === "string" ? key : undefined
}

function parseAuth(
  file: string,
  text: string,
): { readonly keys: Readonly<Record<string, string>> } | { readonly problem: string } {
  const parsed = parseDocument(file, text)
  if ("problem" in parsed) return { problem: printProblem(parsed.problem) }
  const entries = Object.entries(objectOf(parsed.document)).flatMap(([provider, entry]): [string, string][] => {
    const key = keyOf(entry)
    return key === undefined ? [] : [[provider, key]]
  })
  return { keys: Object.fromEntries(entries) }
}
