/**
 * What the person wants: settings from flags, environment, the project's file and their own, laid over each other.
 *
 * - Precedence: flag > `CAIRN_*` > project > person > built-in. Objects merge, lists replace, `null` unsets what lies below.
 * - A file that cannot be used is left out as a whole and reported with line and column; what its last good version said goes on to count
 *   where there was one. Names that mean nothing are reported and change nothing else.
 * - A project that is not trusted says no more than `untrustedSettings`; what it said beyond that is reported.
 * - No value of a key is ever in a message.
 */
import type { TSchema } from "@sinclair/typebox"
import { isObject, parseJson, type Json, type JsonObject } from "../std/json.ts"
import { checkDocument, secretNames } from "./config-check.ts"
import { otherNames, settings, untrustedSettings, type Config } from "./config-schema.ts"
import { objectOf, parseDocument } from "./jsonc.ts"
import type { Problem } from "./problem.ts"

export type Origin = "flag" | "environment" | "project" | "person" | "built-in"

/** A file as it was read: `text` undefined means that there is none. */
export type ConfigFile = { readonly file: string; readonly text: string | undefined }

/** One source of settings. `file` is the path, or the name of the flag or variable. */
export type Layer = { readonly origin: Origin; readonly file: string; readonly value: JsonObject }

export type ReadFile =
  | { readonly ok: true; readonly value: JsonObject; readonly notices: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** A config file's settings, or all that is wrong with it. An absent file says nothing. */
export function readConfig({ file, text }: ConfigFile): ReadFile {
  if (text === undefined) return { ok: true, value: {}, notices: [] }
  const parsed = parseDocument(file, text)
  if ("problem" in parsed) return { ok: false, problems: [parsed.problem] }
  const { wrong, unknown } = checkDocument(parsed.document, settings, otherNames)
  if (wrong.length > 0) return { ok: false, problems: wrong }
  return { ok: true, value: objectOf(parsed.document), notices: unknown }
}

/** A setting that can be named by itself: its dotted path and its schema. */
export type Leaf = { readonly path: string; readonly schema: TSchema }

function leavesUnder(schema: TSchema, path: readonly string[]): readonly Leaf[] {
  const properties: unknown = schema.properties
  if (!isObject(properties)) return [{ path: path.join("."), schema }]
  return Object.entries(properties as unknown as Record<string, TSchema>).flatMap(([name, inner]) =>
    leavesUnder(inner, [...path, name]),
  )
}

/** Every setting, in the order in which they are explained. */
export const leaves: readonly Leaf[] = leavesUnder(settings, []).filter(({ path }) => path !== "$schema")

/** `value` with what `path` names set to `leaf`. */
function withValue(value: JsonObject, path: readonly string[], leaf: Json): JsonObject {
  const [name = "", ...rest] = path
  if (rest.length === 0) return { ...value, [name]: leaf }
  const inner = value[name]
  return { ...value, [name]: withValue(isObject(inner) ? inner : {}, rest, leaf) }
}

/** What stands at a dotted path; undefined where nothing does. */
export function valueAt(value: JsonObject, path: string): Json | undefined {
  let here: Json | undefined = value
  for (const name of path.split(".")) here = isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined
  return here
}

/** The default of a setting; of a group, those of all in it: a group is always there, empty where all in it may be left out. */
function defaultOf(schema: TSchema): Json | undefined {
  const properties: unknown = schema.properties
  if (!isObject(properties)) return schema.default as Json | undefined
  const inner = Object.entries(properties as unknown as Record<string, TSchema>)
  return Object.fromEntries(
    inner.flatMap(([name, value]): [string, Json][] => {
      const found = defaultOf(value)
      return found === undefined ? [] : [[name, found]]
    }),
  )
}

const builtIn = defaultOf(settings) as JsonObject

/** `CAIRN_RETRY_MAX_RETRIES` for `retry.maxRetries`. */
export function variableOf(path: string): string {
  return `CAIRN_${path
    .replaceAll(".", "_")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()}`
}

/** What a text says, as the setting's type takes it: lists with commas, maps as JSON. What does not fit is left for the check to refuse. */
export function parseSetting(schema: TSchema, text: string): Json {
  const type: unknown = schema.type
  if (type === "array")
    return text
      .split(",")
      .map((item) => item.trim())
      .filter(Boolean)
  if (type === "boolean")
    return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text
  if (type === "integer" || type === "number")
    return text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text
  return type === "object" ? (parseJson(text) ?? text) : text
}

/** The settings of `CAIRN_*` variables, one layer each; a value that does not fit is a problem and left out. */
export function environmentLayers(env: Readonly<Record<string, string | undefined>>): {
  readonly layers: readonly Layer[]
  readonly problems: readonly Problem[]
} {
  const read = leaves.flatMap(({ path, schema }) => {
    const name = variableOf(path)
    const text = env[name]
    const value = text === undefined || text === "" ? undefined : parseSetting(schema, text)
    if (value === undefined) return []
    const checked = readConfig({ file: name, text: JSON.stringify(withValue({}, path.split("."), value)) })
    return [{ name, checked }]
  })
  return {
    layers: read.flatMap(({ name, checked }) =>
      checked.ok ? [{ origin: "environment" as const, file: name, value: checked.value }] : [],
    ),
    problems: read.flatMap(({ name, checked }) =>
      checked.ok ? [] : checked.problems.map(({ message }) => ({ file: name, line: 0, column: 0, message })),
    ),
  }
}

/**
 * What an untrusted project may say. `providers` are those that the person already has (of their config and with a key); plan files that
 * lead out of the project are left out. `refused` names what was not taken.
 */
export function untrusted(
  value: JsonObject,
  providers: ReadonlySet<string>,
): { readonly value: JsonObject; readonly refused: readonly string[] } {
  const refused: string[] = []
  const kept: Record<string, Json | undefined> = {}
  for (const [name, setting] of Object.entries(value)) {
    const model = name === "model" && typeof setting === "string" ? setting.split("/")[0] : undefined
    const files = name === "plan" ? valueAt({ plan: setting }, "plan.files") : undefined
    const outside = Array.isArray(files) && files.some((file) => typeof file === "string" && leadsOut(file))
    const allowed = untrustedSettings.includes(name) && !outside && (model === undefined || providers.has(model))
    if (allowed) kept[name] = setting
    else refused.push(name)
  }
  return { value: kept, refused }
}

/** True for a path that does not stay in the folder it is read in. */
function leadsOut(path: string): boolean {
  return path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:/.test(path) || path.split(/[\\/]/).includes("..")
}

/** `over` on `under`: objects merge, everything else replaces, null takes away. */
export function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, Json | undefined> = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const below = merged[name]
    if (value === null || value === undefined) delete merged[name]
    else merged[name] = isObject(value) ? merge(isObject(below) ? below : {}, value) : value
  }
  return merged
}

/** Where each setting's value comes from, by dotted path; what is not in it is built in. */
export type Origins = ReadonlyMap<string, { readonly origin: Origin; readonly file: string }>

export type Merged = { readonly config: Config; readonly origins: Origins }

/** The layers over the built-in values; the first of them counts most. */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const origins = new Map<string, { origin: Origin; file: string }>()
  const upward = layers.toReversed()
  let value: JsonObject = {}
  for (const layer of upward) {
    value = merge(value, layer.value)
    for (const { path } of leaves) {
      if (valueAt(value, path) === undefined) origins.delete(path)
      else if (valueAt(layer.value, path) !== undefined) origins.set(path, { origin: layer.origin, file: layer.file })
    }
  }
  // Every layer was checked against the schema, and what no layer says is built in: the result fits the type.
  return { config: merge(builtIn, value) as unknown as Config, origins }
}

export type Explained = {
  readonly path: string
  readonly value: Json
  readonly fallback: Json
  readonly help: string
  readonly variable: string
  readonly origin: Origin
  readonly file: string
}

/** The same value with keys and headers hidden: fit to be shown. */
export function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => masked(item))
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, field]): [string, Json] => [
    name,
    secretNames.has(name) ? "(hidden)" : masked(field ?? null),
  ])
  return Object.fromEntries(fields)
}

/** Every setting with its value, where that comes from, and what it is for: fit to be shown. */
export function explain({ config, origins }: Merged): readonly Explained[] {
  return leaves.map(({ path, schema }) => {
    const origin = origins.get(path) ?? { origin: "built-in" as const, file: "" }
    const value = valueAt(config as unknown as JsonObject, path) ?? null
    const help: unknown = schema.description
    return {
      path,
      value: masked(value),
      fallback: (schema.default as Json | undefined) ?? null,
      help: typeof help === "string" ? help : "",
      variable: variableOf(path),
      ...origin,
    }
  })
}

/** Groups of settings require nothing; lists and maps keep what they require. */
function published(schema: JsonObject): JsonObject {
  const { required: _, properties, ...rest } = schema
  if (!isObject(properties)) return schema
  const inner = Object.entries(properties).map(([name, value]): [string, Json] => [
    name,
    isObject(value) ? published(value) : (value ?? null),
  ])
  return { ...rest, properties: Object.fromEntries(inner) }
}

/** The JSON schema of `config.json`, for editors. */
export function configSchema(): JsonObject {
  const plain = JSON.parse(JSON.stringify(settings)) as JsonObject
  return { $schema: "http://json-schema.org/draft-07/schema#", title: "Cairn settings", ...published(plain) }
}
