/**
 * The person at this machine, as values: environment, folders, settings, keys and the models that these give.
 *
 * - Everything is read once, here; what libraries would read for themselves is taken out of the process's environment.
 * - A broken config stops a headless run with file, line and column (exit 2); a screen goes on with what is left, and says so.
 * - A project's settings count as far as the folder is trusted.
 */
import { homedir } from "node:os"
import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../std/clock.ts"
import { Credentials } from "../home/credentials.ts"
import { environmentLayers, mergeLayers, readConfig, untrusted, type Layer, type Merged } from "../home/config.ts"
import { commandRunner } from "../home/key-value.ts"
import { dirsOf, type Dirs } from "../home/dirs.ts"
import { takeEnvironment, type Env } from "../home/env.ts"
import { printProblem, type Problem } from "../home/problem.ts"
import { TrustStore } from "../home/trust.ts"
import { keyNames } from "../providers/catalog.ts"
import type { Providers } from "../providers/config.ts"
import { createProviders } from "../providers/registry.ts"
import type { RunFlags } from "./args.ts"
import { Stop } from "./stop.ts"

export type Person = {
  readonly env: Env
  readonly dirs: Dirs
  /** The folder that this program was started in: a real path. */
  readonly folder: string
  readonly settings: Merged
  readonly credentials: Credentials
  readonly providers: Providers
  readonly trusted: boolean
  /** Sentences about files that could not be used. */
  readonly problems: readonly string[]
  /** Sentences that change nothing. */
  readonly notices: readonly string[]
}

/** The key that a screen hands to its host, since a command line is for everybody to see. */
export const apiKeyVariable = "CAIRN_API_KEY"

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined
    throw new Stop(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, 2)
  }
}

type Read = {
  readonly layers: readonly Layer[]
  readonly problems: readonly Problem[]
  readonly notices: readonly Problem[]
}

function readLayer(origin: "project" | "person", file: string): Read {
  const read = readConfig({ file, text: readText(file) })
  if (!read.ok) return { layers: [], problems: read.problems, notices: [] }
  return { layers: [{ origin, file, value: read.value }], problems: [], notices: read.notices }
}

function projectLayer(file: string, trusted: boolean, providers: ReadonlySet<string>): Read {
  const read = readLayer("project", file)
  if (trusted) return read
  const notices = [...read.notices]
  const layers = read.layers.map((layer) => {
    const { value, refused } = untrusted(layer.value, providers)
    if (refused.length > 0) {
      const message = `${refused.join(", ")} ${refused.length === 1 ? "does" : "do"} not count until you trust this folder (--approve).`
      notices.push({ file, line: 0, column: 0, message })
    }
    return { ...layer, value }
  })
  return { ...read, layers, notices }
}

function flagLayer(run: RunFlags): Layer {
  const value = {
    ...(run.model === undefined ? {} : { model: run.model }),
    ...(run.thinking === undefined ? {} : { defaultThinkingLevel: run.thinking }),
    ...(run.tools === undefined ? {} : { defaultTools: run.tools }),
  }
  return { origin: "flag", file: "the command line", value }
}

function foldersOf(env: Env): Dirs {
  const found = dirsOf(env, { homedir: homedir(), uid: process.getuid?.() ?? 0 })
  if ("problem" in found) throw new Stop(found.problem, 1)
  return found.dirs
}

/** Where decisions about folders are kept: outside of every project. */
export function trustFile(dirs: Dirs): string {
  return join(dirs.data, "trust.json")
}

/** `headless`: a broken config ends the run. */
export async function readPerson(run: RunFlags, headless: boolean): Promise<Person> {
  const env = takeEnvironment(process.env)
  const dirs = foldersOf(env)
  const folder = realpathSync(process.cwd())
  const trusted = run.approve || (await new TrustStore(trustFile(dirs), systemClock).check(folder)).status === "trusted"
  const person = readLayer("person", join(dirs.config, "config.json"))
  const known = new Set(Object.keys((person.layers[0]?.value.providers as object | undefined) ?? {}))
  const project = projectLayer(join(folder, ".cairn", "config.json"), trusted, known)
  const fromEnv = environmentLayers(env)
  const problems = [...fromEnv.problems, ...project.problems, ...person.problems]
  if (headless && problems.length > 0) throw new Stop(problems.map(printProblem).join("\n"), 2)
  const settings = mergeLayers([flagLayer(run), ...fromEnv.layers, ...project.layers, ...person.layers])
  const { config } = settings
  const credentials = new Credentials({
    file: join(dirs.config, "auth.json"),
    env,
    clock: systemClock,
    run: commandRunner(env, systemClock),
    variables: keyNames(),
    config: Object.fromEntries(
      Object.entries(config.providers).flatMap(([name, { apiKey }]) => (apiKey === undefined ? [] : [[name, apiKey]])),
    ),
    flag: run.apiKey ?? env[apiKeyVariable],
  })
  const providers = createProviders({ providers: config.providers, keys: (name) => credentials.keyNow(name) })
  const auth = credentials.problem === null ? [] : [credentials.problem]
  return {
    env,
    dirs,
    folder,
    settings,
    credentials,
    providers,
    trusted,
    problems: [...problems.map(printProblem), ...auth],
    notices: [...person.notices, ...project.notices].map(printProblem),
  }
}
