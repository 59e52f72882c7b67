/**
 * The very first start: no model can be asked yet, so the person chooses a provider and its key, a local server, or the tour.
 *
 * - Nothing is started before the choice is made; it is put into effect and then stays (key in `auth.json`, model in `config.json`).
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "../std/json.ts"
import { modelName } from "../providers/model.ts"
import { tourModel } from "../providers/tour/model.ts"
import { knownProviders } from "../providers/catalog.ts"
import { findLocalModels } from "../providers/discover.ts"
import type { FirstStart, FirstStartAnswer, LoginWay, Outcome, ProviderChoice } from "../tui/options.ts"
import { oauthOf, type Person } from "./person.ts"

/** A local server answers at once or is not there. */
const localMs = 300

/** How one logs in at `provider` without a key; undefined where that is not known. */
function loginWay(provider: string, person: Person): LoginWay | undefined {
  const spec = oauthOf(provider, person.settings.merged.config.providers)
  if (spec === undefined || "problem" in spec) return undefined
  const { notice } = spec
  const kind = spec.flow.kind === "pkce" ? "browser" : "code"
  return { kind, key: spec.gives === "key", ...(notice === undefined ? {} : { notice }) }
}

export function providerChoices(person: Person): readonly ProviderChoice[] {
  const { providers } = person.settings.merged.config
  // A provider of the config that nobody else knows is offered where one can log in there.
  const own = Object.entries(providers).filter(([, { login }]) => login !== undefined)
  const hosted = knownProviders().filter(({ local }) => !local)
  const known = new Set(hosted.map(({ id }) => id))
  const named = own.flatMap(([id, { name = id }]) => (known.has(id) ? [] : [{ id, name }]))
  return [...named, ...hosted].map(({ id, name }): ProviderChoice => {
    const ready = person.credentials.source(id) !== undefined
    const login = loginWay(id, person)
    return { id, label: name, ready, ...(login === undefined ? {} : { login }) }
  })
}

/** True where no model can be asked: none is named, and no provider has a key. */
export function needsFirstStart(person: Person): boolean {
  return person.settings.merged.config.model === undefined && person.providers.defaultModel() === undefined
}

export async function offerOf(person: Person): Promise<FirstStart> {
  const local = await findLocalModels(localMs)
  return {
    providers: providerChoices(person),
    local: local.map(({ provider, id, label }) => ({ model: `${provider}/${id}`, label })),
  }
}

/** Write one setting into the person's config, keeping its comments. */
export async function saveInConfig(person: Person, path: string, value: Json): Promise<Outcome> {
  try {
    await person.settings.save(path, value)
    return { ok: true, text: `${path} is saved in ${join(person.dirs.config, "config.json")}.` }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

export async function saveKey(person: Person, provider: string, key: string): Promise<Outcome> {
  try {
    await person.credentials.store(provider, key.trim())
    return { ok: true, text: `The key of ${provider} is stored.` }
  } catch (error) {
    return {
      ok: false,
      reason: `The key could not be stored: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

export async function removeKey(person: Person, provider: string): Promise<Outcome> {
  try {
    const had = await person.credentials.remove(provider)
    const text = had ? `The key of ${provider} is forgotten.` : `There was no stored key of ${provider}.`
    return { ok: true, text }
  } catch (error) {
    return {
      ok: false,
      reason: `The key could not be removed: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

const tourFiles: Readonly<Record<string, string>> = {
  "README.md": "# A scratch folder\n\nThe tour of Cairn works here. Delete it whenever you like.\n",
}

/** A folder for the tour, with something in it to look at. */
export function tourFolder(person: Person): string {
  mkdirSync(person.dirs.cache, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(person.dirs.cache, "tour-"))
  for (const [name, text] of Object.entries(tourFiles)) writeFileSync(join(folder, name), text)
  return folder
}

export type Begin = { readonly model: string | undefined; readonly folder: string }

/** Put a choice into effect: what the host is then started with. */
export async function takeAnswer(
  person: Person,
  answer: FirstStartAnswer,
): Promise<{ readonly outcome: Outcome; readonly begin: Begin | null }> {
  const here = person.folder
  if (answer.kind === "tour") {
    const begin = { model: modelName(tourModel), folder: tourFolder(person) }
    return { outcome: { ok: true, text: "This is the tour: a script, not an AI." }, begin }
  }
  if (answer.kind === "local") {
    const outcome = await saveInConfig(person, "model", answer.model)
    return { outcome, begin: outcome.ok ? { model: answer.model, folder: here } : null }
  }
  const outcome =
    answer.kind === "login"
      ? { ok: true as const, text: `You are logged in at ${answer.provider}.` }
      : await saveKey(person, answer.provider, answer.key)
  if (!outcome.ok) return { outcome, begin: null }
  const model = person.providers.defaultModel()
  return { outcome, begin: { model: model === undefined ? undefined : modelName(model), folder: here } }
}
