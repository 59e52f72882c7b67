/**
 * The models that this program knows without being told, from `catalog.json` (made by `src/build-catalog.ts`).
 *
 * - The file is read on first use and not before: a start that needs no model does not pay for it.
 * - `getModel("anthropic", "…")` completes in an editor; what is not in the file does not compile.
 * - Local servers are known by address alone: their models are asked from them, or named by the person.
 */
import text from "./catalog.json" with { type: "text" }
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import { thinkingLevels, type ThinkingLevel } from "../message/message.ts"
import type { Model, Price } from "./model.ts"
import { apiNames, type ApiName } from "./provider.ts"
import type { ThinkingMap } from "./thinking.ts"

type CatalogFile = typeof import("./catalog.json")
export type CatalogProvider = keyof CatalogFile["providers"]
export type CatalogModel<P extends CatalogProvider> = keyof CatalogFile["providers"][P]["models"] & string

type Entry = readonly [
  name: string,
  window: number,
  output: number,
  pictures: number,
  thinking: number,
  more: number,
  price: number | readonly (number | readonly number[])[],
]

type ProviderFile = {
  readonly name: string
  readonly keys: readonly string[]
  readonly api: string
  readonly url: string
  readonly models: Readonly<Record<string, Entry>>
}

type File = {
  readonly about: { readonly source: string; readonly version: string; readonly license: string; readonly date: string }
  readonly thinking: readonly string[]
  readonly more: readonly JsonObject[]
  readonly providers: Readonly<Record<string, ProviderFile>>
}

/** A provider as it is known: `keys` are the environment variables that hold its key, first one first; none for a local server. */
export type KnownProvider = {
  readonly id: string
  readonly name: string
  readonly keys: readonly string[]
  readonly api: ApiName
  readonly baseUrl: string
  readonly local: boolean
}

/** Servers that people run themselves, at their usual ports. */
export const localServers: readonly KnownProvider[] = [
  ["ollama", "Ollama", 11434],
  ["lmstudio", "LM Studio", 1234],
  ["llamacpp", "llama.cpp", 8080],
  ["vllm", "vLLM", 8000],
].map(([id, name, port]) => ({
  id: String(id),
  name: String(name),
  keys: [],
  api: "openai-completions",
  baseUrl: `http://127.0.0.1:${port}/v1`,
  local: true,
}))

let parsed: File | undefined

function file(): File {
  // Types know the file as JSON, the bundler gives its text.
  parsed ??= JSON.parse(text as unknown as string) as File
  return parsed
}

/** Where the data comes from, for `--version` and licence notices. */
export function catalogSource(): File["about"] {
  return file().about
}

function apiOf(name: string): ApiName {
  const api = apiNames.find((known) => known === name)
  if (api === undefined) throw new RangeError(`the catalog names a wire format that is not known: ${name}`)
  return api
}

/** Every provider of the catalog in the order of the picker, then the local servers. */
export function knownProviders(): readonly KnownProvider[] {
  const listed = Object.entries(file().providers).map(([id, { name, keys, api, url }]) => ({
    id,
    name,
    keys,
    api: apiOf(api),
    baseUrl: url,
    local: false,
  }))
  return [...listed, ...localServers]
}

/** Names of environment variables by provider. */
export function keyNames(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(knownProviders().map(({ id, keys }) => [id, keys]))
}

function priceOf(price: Entry[6]): Price | undefined {
  if (typeof price === "number") return undefined
  const four = ([input = 0, output = 0, cacheRead = 0, cacheWrite = 0]: readonly number[]): Omit<Price, "tiers"> => ({
    input,
    output,
    cacheRead,
    cacheWrite,
  })
  const base = four(price.filter((part) => typeof part === "number"))
  const tiers = price
    .filter((part) => typeof part !== "number")
    .map(([above = 0, ...rest]) => ({ above, ...four(rest) }))
  return tiers.length === 0 ? base : { ...base, tiers }
}

function isLevel(name: string): name is ThinkingLevel {
  return (thinkingLevels as readonly string[]).includes(name)
}

/** "off=none low high": a level that is its own word, but for `off`, which has none. */
function thinkingOf(levels: string): ThinkingMap {
  const pairs = levels.split(" ").flatMap((item) => {
    const [level = "", word] = item.split("=")
    return isLevel(level) ? [[level, word ?? (level === "off" ? "" : level)]] : []
  })
  return Object.fromEntries(pairs) as ThinkingMap
}

function stringOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

const thinkingMaps = new Map<number, ThinkingMap>()

/** The levels at a place of the file's table, which many models share. */
function thinkingAt(place: number): ThinkingMap {
  const known = thinkingMaps.get(place) ?? thinkingOf(file().thinking[place] ?? "")
  thinkingMaps.set(place, known)
  return known
}

function modelOf(provider: string, known: ProviderFile, id: string, entry: Entry): Model {
  const [name, window, output, pictures, thinking, more, price] = entry
  const own = file().more[more] ?? {}
  const model: Model = {
    provider,
    id,
    name,
    api: apiOf(stringOf(own.api) ?? known.api),
    baseUrl: stringOf(own.url) ?? known.url,
    thinking: thinkingAt(thinking),
    input: pictures === 1 ? ["text", "image"] : ["text"],
    quirks: isObject(own.quirks) ? own.quirks : {},
    headers: isObject(own.headers) ? (own.headers as Readonly<Record<string, string>>) : {},
    edits: "replace",
  }
  const cost = priceOf(price)
  return {
    ...model,
    ...(window > 0 ? { contextWindow: window } : {}),
    ...(output > 0 ? { maxTokens: output } : {}),
    ...(cost === undefined ? {} : { cost }),
  }
}

/** A model of the catalog by names that may not exist. */
export function findModel(provider: string, id: string): Model | undefined {
  const known = Object.hasOwn(file().providers, provider) ? file().providers[provider] : undefined
  if (known === undefined || !Object.hasOwn(known.models, id)) return undefined
  const entry = known.models[id]
  return entry === undefined ? undefined : modelOf(provider, known, id, entry)
}

/** A model of the catalog by names that do. */
export function getModel<P extends CatalogProvider>(provider: P, id: CatalogModel<P>): Model {
  const model = findModel(provider, id)
  if (model === undefined) throw new RangeError(`the catalog has no model ${provider}/${id}`)
  return model
}

/** Every model of a provider, in the catalog's order. */
export function modelsOf(provider: string): readonly Model[] {
  const known = Object.hasOwn(file().providers, provider) ? file().providers[provider] : undefined
  if (known === undefined) return []
  return Object.entries(known.models).map(([id, entry]) => modelOf(provider, known, id, entry))
}
