/**
 * The person at this machine, as values: environment, folders, settings, keys and the models that these give.
 *
 * - Everything is read once, here; what libraries would read for themselves is taken out of the process's environment.
 * - A broken config stops a headless run with file, line and column (exit 2); a screen goes on with what is left, and says so.
 * - A project's settings count as far as the folder is trusted.
 */
import { homedir } from "node:os"
import { realpathSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import type { JsonObject } from "../std/json.ts"
import { makeRedact, readPatterns, type Redact } from "../std/redact.ts"
import { Credentials } from "../home/credentials.ts"
import { oauthSpec, type LoginConfig } from "../home/oauth.ts"
import { commandRunner } from "../home/key-value.ts"
import { dirsOf, type Dirs } from "../home/dirs.ts"
import { takeEnvironment, type Env } from "../home/env.ts"
import { projectOf } from "../home/folder.ts"
import { SettingsStore } from "../home/settings-store.ts"
import { TrustStore } from "../home/trust.ts"
import { keyNames } from "../providers/catalog.ts"
import type { Providers } from "../providers/config.ts"
import { readProviderHeaders } from "../home/provider-headers.ts"
import { providerProblems } from "../providers/config-problems.ts"
import { createProviders } from "../providers/registry.ts"
import type { RunFlags } from "./args.ts"
import { Stop } from "./stop.ts"

export type Person = {
  readonly env: Env
  readonly dirs: Dirs
  /** The folder that this program was started in: a real path. */
  readonly folder: string
  /** The folder whose `.cairn` counts. */
  readonly project: string
  readonly settings: SettingsStore
  readonly credentials: Credentials
  readonly providers: Providers
  readonly trusted: boolean
  /** Takes out of a text what is secret: this program's keys, and what the person's patterns match. */
  readonly redact: Redact
  /** The work is not done in the folder whose project this is. */
  readonly elsewhere?: true
  /** Sentences about what could not be used, or means nothing. */
  readonly problems: readonly string[]
}

/** The key that a screen hands to its host, since a command line is for everybody to see. */
export const apiKeyVariable = "CAIRN_API_KEY"

/** What the system says of this user; empty for one that it does not know. */
function systemHome(): string {
  try {
    return homedir()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return ""
  }
}

function foldersOf(env: Env): Dirs {
  const found = dirsOf(env, { homedir: env["HOME"] ?? systemHome(), uid: process.getuid?.() ?? 0 })
  if ("problem" in found) throw new Stop(found.problem, 1)
  return found.dirs
}

/** Where decisions about folders are kept: outside of every project. */
function trustFile(dirs: Dirs): string {
  return join(dirs.data, "trust.json")
}

function flagValues(run: RunFlags): readonly { readonly flag: string; readonly value: JsonObject }[] {
  return [
    ...(run.model === undefined ? [] : [{ flag: "--model", value: { model: run.model } }]),
    ...(run.thinking === undefined ? [] : [{ flag: "--thinking", value: { defaultThinkingLevel: run.thinking } }]),
    ...(run.tools === undefined ? [] : [{ flag: "--tools", value: { defaultTools: run.tools } }]),
  ]
}

type ProviderSettings = { readonly apiKey?: string; readonly login?: LoginConfig }

/** How one logs in at `provider`; a login in the config that says too little is named when it is used. */
export function oauthOf(
  provider: string,
  config: Readonly<Record<string, ProviderSettings>>,
): ReturnType<typeof oauthSpec> {
  return oauthSpec(provider, Object.hasOwn(config, provider) ? config[provider]?.login : undefined)
}

function credentialsOf(
  env: Env,
  dirs: Dirs,
  run: RunFlags,
  config: Readonly<Record<string, ProviderSettings>>,
): Credentials {
  const keys = Object.entries(config).flatMap(([name, { apiKey }]) => (apiKey === undefined ? [] : [[name, apiKey]]))
  return new Credentials({
    file: join(dirs.config, "auth.json"),
    env,
    clock: systemClock,
    run: commandRunner(env, systemClock),
    variables: keyNames(),
    config: Object.fromEntries(keys) as Readonly<Record<string, string>>,
    oauth(provider) {
      const spec = oauthOf(provider, config)
      return spec === undefined || "problem" in spec ? undefined : spec
    },
    flag: run.apiKey ?? env[apiKeyVariable],
  })
}

/** Providers that the person has a key for, whatever the config says. */
function withKeys(env: Env, dirs: Dirs, run: RunFlags): ReadonlySet<string> {
  const credentials = credentialsOf(env, dirs, { ...run, apiKey: undefined }, {})
  return new Set(Object.keys(keyNames()).filter((provider) => credentials.source(provider) !== undefined))
}

/** Decisions about folders, for those who ask and those who decide. */
export function trustStore(dirs: Dirs): TrustStore {
  return new TrustStore(trustFile(dirs), systemClock)
}

/** Flags rule; then what was decided; then, where nothing was, what the person wants of folders as a rule. */
async function isTrusted(dirs: Dirs, project: string, run: RunFlags, settings: SettingsStore): Promise<boolean> {
  if (run.deny) return false
  if (run.approve) return true
  const { status } = await trustStore(dirs).check(project)
  if (status === "trusted") return true
  const open = status === "unknown" || status === "changed"
  return open && settings.merged.config.defaultProjectTrust === "always"
}

/** Whether the project may do what it wants, as of now: somebody may have decided since. A session of another folder takes nothing from here. */
export async function trustedNow(person: Person, run: RunFlags): Promise<boolean> {
  return person.elsewhere !== true && (await isTrusted(person.dirs, person.project, run, person.settings))
}

/** `headless`: a broken config ends the run. Throws {@link Stop}. */
export async function readPerson(run: RunFlags, headless: boolean): Promise<Person> {
  const env = takeEnvironment(process.env)
  const dirs = foldersOf(env)
  const folder = realpathSync(process.cwd())
  const project = projectOf(folder)
  const settings = new SettingsStore({
    person: join(dirs.config, "config.json"),
    project: join(project, ".cairn", "config.json"),
    trusted: false,
    env,
    flags: flagValues(run),
    providers: withKeys(env, dirs, run),
  })
  const trusted = await isTrusted(dirs, project, run, settings)
  if (trusted) settings.trust(true)
  if (headless && settings.broken) throw new Stop(settings.problems.join("\n"), 2)
  const { config } = settings.merged
  const credentials = credentialsOf(env, dirs, run, config.providers)
  const headers = readProviderHeaders(config.providers, env)
  const providers = createProviders({
    providers: headers.providers,
    keys: (name) => credentials.keyNow(name),
    baseUrls: (name) => credentials.baseUrl(name),
    needsLogin: (name) => oauthOf(name, config.providers) !== undefined,
  })
  const wanted = readPatterns(config.redact)
  const redact = makeRedact(wanted.patterns, () => [...credentials.secrets(), ...headers.secrets])
  const broken = credentials.problem === null ? [] : [credentials.problem]
  const ofProviders = [...headers.problems, ...providerProblems(config.providers)]
  const problems = [...settings.problems, ...broken, ...wanted.problems, ...ofProviders]
  return { env, dirs, folder, project, settings, credentials, providers, trusted, redact, problems }
}
