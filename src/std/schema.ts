/**
 * A schema as a function: checks a value and says in words what does not fit. The only door to AJV.
 *
 * - A decoder compiles at its first use, not when it is made, and AJV itself is loaded with the first of them: both cost tens of milliseconds.
 * - A schema that is none (others write them too) fits no value, and the problem says so.
 * - With `coerce`, what models and people write for a value is taken as that value where nothing is lost ("5" for 5, one item for a list);
 *   the given value is never changed, the answer is a copy.
 */
import type { Ajv, ErrorObject, ValidateFunction } from "ajv"
import { isObject, type Json, type JsonObject } from "./json.ts"

export type Decoded<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string; readonly path: string }

export type Decoder<T> = (value: Json) => Decoded<T>

const engines = new Map<boolean, Ajv>()

function engineFor(coerce: boolean): Ajv {
  const known = engines.get(coerce)
  if (known !== undefined) return known
  // A call of `require` is what the bundler leaves for the moment at which it is made.
  const { Ajv: Engine } = require("ajv") as typeof import("ajv")
  const made = new Engine({
    allErrors: true,
    strict: false,
    coerceTypes: coerce ? "array" : false,
    useDefaults: false,
    validateFormats: false,
    verbose: true,
    logger: false,
  })
  engines.set(coerce, made)
  return made
}

/** The names of a draft and of the schema itself are left out: they would have to be known here, and known only once. */
function compile(schema: object, coerce: boolean): ValidateFunction | string {
  const { $schema: _draft, $id: _id, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject
  try {
    return engineFor(coerce).compile(rest)
  } catch (error) {
    return `this is no schema that can be checked: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** `/edits/0/oldText` as `edits[0].oldText`; empty for the value itself. */
function readable(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "")
}

function sentence(error: ErrorObject): string {
  const place = readable(error.instancePath)
  const where = place === "" ? "" : `${place} `
  const { params } = error
  if (error.keyword === "required")
    return `${where === "" ? "" : `${place}: `}${String(params.missingProperty)} is missing`
  if (error.keyword === "additionalProperties") return `${where}has no field ${String(params.additionalProperty)}`
  if (error.keyword === "enum")
    return `${where}must be one of ${(params.allowedValues as unknown[]).map(String).join(", ")}`
  if (error.keyword === "anyOf") return `${where}must be ${alternatives(error)}`
  if (error.keyword === "const") return `${where}must be ${JSON.stringify(params.allowedValue)}`
  return `${where}${error.message ?? "does not fit"}`
}

/** What a union takes, in words. */
function alternatives(error: ErrorObject): string {
  const schemas = (Array.isArray(error.schema) ? error.schema : []).filter(isObject)
  const values = schemas.flatMap((schema) => (schema["const"] === undefined ? [] : [JSON.stringify(schema["const"])]))
  if (values.length === schemas.length) return `one of ${values.join(", ")}`
  return schemas.map((schema) => (typeof schema["type"] === "string" ? schema["type"] : "another shape")).join(" or ")
}

/** The errors of a union's members say nothing beside the union's own. */
function telling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === "anyOf").map(({ schemaPath }) => `${schemaPath}/`)
  return errors.filter(({ schemaPath }) => !unions.some((union) => schemaPath.startsWith(union)))
}

/** Fields that are null although the schema does not know null count as left out: models send them for "none". */
function withoutNulls(value: Json): Json {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}

/** A checking decoder of `schema`, a JSON schema (TypeBox makes such). */
export function decoder<T>(schema: object, options: { readonly coerce?: boolean } = {}): Decoder<T> {
  const coerce = options.coerce === true
  let check: ValidateFunction | string | undefined
  return (value) => {
    check ??= compile(schema, coerce)
    if (typeof check === "string") return { ok: false, problem: check, path: "" }
    const copy = structuredClone(coerce ? withoutNulls(value) : value)
    if (check(copy)) return { ok: true, value: copy as T }
    const errors = telling(check.errors ?? [])
    const problem = [...new Set(errors.map(sentence))].slice(0, 5).join("; ")
    return { ok: false, problem, path: readable(errors[0]?.instancePath ?? "") }
  }
}
