/**
 * A schema as a function: checks a value and says in words what does not fit. The only door to AJV.
 *
 * - A decoder compiles at its first use, not when it is made: the first compilation costs tens of milliseconds.
 * - With `coerce`, what models and people write for a value is taken as that value where nothing is lost ("5" for 5, one item for a list);
 *   the given value is never changed, the answer is a copy.
 */
import Ajv, { type ErrorObject, type ValidateFunction } from "ajv"
import { isObject, type Json } from "./json.ts"

export type Decoded<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string; readonly path: string }

export type Decoder<T> = (value: Json) => Decoded<T>

const engines = new Map<boolean, Ajv>()

function engineFor(coerce: boolean): Ajv {
  const known = engines.get(coerce)
  if (known !== undefined) return known
  const made = new Ajv({ allErrors: true, strict: false, coerceTypes: coerce ? "array" : false, useDefaults: false })
  engines.set(coerce, made)
  return made
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
  if (error.keyword === "const") return `${where}must be ${JSON.stringify(params.allowedValue)}`
  return `${where}${error.message ?? "does not fit"}`
}

/** Fields that are null although the schema does not know null count as left out: models send them for "none". */
function withoutNulls(value: Json): Json {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}

/** A checking decoder of `schema`, a JSON schema (TypeBox makes such). */
export function decoder<T>(schema: object, options: { readonly coerce?: boolean } = {}): Decoder<T> {
  const coerce = options.coerce === true
  let check: ValidateFunction | undefined
  return (value) => {
    check ??= engineFor(coerce).compile(JSON.parse(JSON.stringify(schema)) as object)
    const copy = structuredClone(coerce ? withoutNulls(value) : value)
    if (check(copy)) return { ok: true, value: copy as T }
    const errors = check.errors ?? []
    const problem = [...new Set(errors.map(sentence))].slice(0, 5).join("; ")
    return { ok: false, problem, path: readable(errors[0]?.instancePath ?? "") }
  }
}
