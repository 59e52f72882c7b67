/**
 * Keys: which provider has one, where it is, and what it is for as long as a request needs it.
 *
 * - Order: flag, `auth.json`, the provider's `apiKey` in the config, the provider's usual variables.
 * - `auth.json` is `{"<provider>": {"type": "api_key", "key": "…"}}`, or the key's text alone, or a login (`oauth.ts`); mode 0600 whatever it
 *   was, written whole and under a lock, through a link to where it leads. Entries of other types are left as they are.
 * - A login whose token has ended is renewed once, by one process, under a lock of its own; the others take what that one got.
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
import { readLogin, writeLogin, type Login, type OAuthSpec } from "./oauth.ts"
import { Renewals } from "./oauth-renew.ts"
import type { Fetch } from "./oauth-tokens.ts"
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
  /** How one logs in at a provider; undefined where it takes keys alone. */
  readonly oauth?: (provider: string) => OAuthSpec | undefined
  readonly fetch?: Fetch
}

type Stored = { readonly text: string } | { readonly login: Login }
type Found = Stored & { readonly source: KeySource }

export class Credentials {
  readonly #options: CredentialOptions
  readonly #read = new Map<string, Promise<KeyResult>>()
  readonly #renewals: Renewals
  /** Keys that were asked for, wherever they came from. */
  readonly #had = new Set<string>()
  #stored: Readonly<Record<string, Stored>> = {}
  /** What is wrong with `auth.json`, as a sentence; null when nothing is. */
  #problem: string | null = null

  constructor(options: CredentialOptions) {
    this.#options = options
    const { clock, file } = options
    this.#renewals = new Renewals({
      net: { fetch: options.fetch ?? fetch, clock },
      oauth: (provider) => options.oauth?.(provider),
      lock: async () => `${await whereItLeads(file)}.renew`,
      load: (provider) => {
        this.reload()
        return this.#loginOf(provider)
      },
      store: (provider, login) => this.storeLogin(provider, login),
    })
    this.reload()
  }

  /** Read `auth.json` again. A broken one keeps what was read before. */
  reload(): void {
    this.#read.clear()
    try {
      const parsed = parseAuth(this.#options.file, readFileSync(this.#options.file, "utf8"))
      this.#problem = "problem" in parsed ? parsed.problem : null
      if ("stored" in parsed) this.#stored = parsed.stored
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
    const reading = this.#keyOf(provider, found, "")
    this.#read.set(provider, reading)
    const isLogin = "login" in found || this.#isExchanged(provider, found)
    // A locked password manager is asked again, and a token that ends looked at again; a key that was had is kept.
    void reading.then((result) => {
      if ("key" in result) this.#had.add(result.key)
      if ("problem" in result || isLogin) this.#read.delete(provider)
    })
    return reading
  }

  /** After `used` was refused: true where there is another token now, so that asking again is worth it. */
  async renew(provider: string, used: string): Promise<boolean> {
    const found = this.#find(provider)
    if (found === undefined) return false
    if (!("login" in found) && !this.#isExchanged(provider, found)) return false
    const result = await this.#keyOf(provider, found, used)
    return "key" in result && result.key !== used
  }

  /** Where this person's requests to `provider` go, if its login says so. */
  baseUrl(provider: string): string | undefined {
    const found = this.#find(provider)
    return found !== undefined && "login" in found ? found.login.baseUrl : undefined
  }

  /** The key when it needs no command, now; for lists that only ask whether there is one. */
  keyNow(provider: string): string | undefined {
    const found = this.#find(provider)
    if (found === undefined) return undefined
    if ("login" in found) return found.login.access
    const value = parseKey(found.text)
    if (value.kind === "literal") return value.key
    return value.kind === "variable" ? this.#options.env[value.name] : undefined
  }

  /** What to do about a provider without a key. */
  hint(provider: string): string {
    const names = this.#options.variables[provider] ?? []
    const variable = names[0] === undefined ? "" : `set ${names[0]}, or `
    return `There is no key for ${provider}: ${variable}store one with \`cairn login ${provider}\` or /login ${provider}.`
  }

  /** Every key that is known without running a command, and those that commands gave: what must not be in anything that is stored or shown. */
  secrets(): readonly string[] {
    const { env, flag, config, variables } = this.#options
    const stored = Object.values(this.#stored).flatMap((one) =>
      "login" in one ? [one.login.access, one.login.refresh] : [one.text],
    )
    const written = [...stored, ...Object.values(config), ...(flag === undefined ? [] : [flag])]
    const named = written.map(parseKey).flatMap((value) => {
      if (value.kind === "literal") return [value.key]
      return value.kind === "variable" ? (env[value.name] ?? []) : []
    })
    const ambient = Object.values(variables).flatMap((names) => names.flatMap((name) => env[name] ?? []))
    return [...new Set([...named, ...ambient, ...this.#had])]
  }

  /** Providers with a key in `auth.json`. */
  stored(): readonly string[] {
    return Object.keys(this.#stored)
  }

  /** Store a key, as it is or as `$NAME` or `!command`. */
  async store(provider: string, text: string): Promise<void> {
    await this.#change((auth) => ({ ...auth, [provider]: { type: "api_key", key: text } }))
  }

  async storeLogin(provider: string, login: Login): Promise<void> {
    await this.#change((auth) => ({ ...auth, [provider]: writeLogin(login) }))
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
    if (stored !== undefined) return { ...stored, source: "auth.json" }
    const configured = Object.hasOwn(config, provider) ? config[provider] : undefined
    if (configured !== undefined) return { text: configured, source: "config" }
    const usual = (Object.hasOwn(variables, provider) ? variables[provider] : undefined) ?? []
    const name = usual.find((variable) => (env[variable] ?? "") !== "")
    return name === undefined ? undefined : { text: `$${name}`, source: "environment" }
  }

  #loginOf(provider: string): Login | undefined {
    const stored = Object.hasOwn(this.#stored, provider) ? this.#stored[provider] : undefined
    return stored !== undefined && "login" in stored ? stored.login : undefined
  }

  /** Whether what the person has is a long-lived token that is exchanged for the one that requests bear. */
  #isExchanged(provider: string, found: Found): boolean {
    return "text" in found && found.source !== "flag" && this.#options.oauth?.(provider)?.exchange !== undefined
  }

  /** `used` is a token that was refused, or empty. */
  async #keyOf(provider: string, found: Found, used: string): Promise<KeyResult> {
    if ("login" in found) return this.#renewals.stored(provider, found.login, used)
    const read = await readKey(found.text, provider, this.#options.env, this.#options.run)
    return "problem" in read || !this.#isExchanged(provider, found)
      ? read
      : this.#renewals.passing(provider, read.key, used)
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

function storedIn(entry: Json | undefined): Stored | undefined {
  if (typeof entry === "string") return { text: entry }
  const key = isObject(entry) ? entry["key"] : undefined
  if (typeof key === "string") return { text: key }
  const login = readLogin(entry)
  return login === undefined ? undefined : { login }
}

function parseAuth(
  file: string,
  text: string,
): { readonly stored: Readonly<Record<string, Stored>> } | { readonly problem: string } {
  const parsed = parseDocument(file, text)
  if ("problem" in parsed) return { problem: printProblem(parsed.problem) }
  const entries = Object.entries(objectOf(parsed.document)).flatMap(([provider, entry]): [string, Stored][] => {
    const stored = storedIn(entry)
    return stored === undefined ? [] : [[provider, stored]]
  })
  return { stored: Object.fromEntries(entries) }
}
