/**
 * What goes into the ledger is JSON and nobody else's: copied, checked and frozen, so that what memory shows is what
 * the disk will say.
 *
 * - A value that JSON would change on its way (a date, NaN, a function, -0) is a bug of the caller, except `undefined`
 *   fields, which are left out.
 * - A value that came from here is taken as it is, so carrying a field over from one record to the next costs nothing
 *   and keeps its identity.
 */
import { assert, Bug } from "../std/assert.ts"
import type { Json, JsonObject } from "../std/json.ts"

const known = new WeakSet<object>()

/** A frozen copy of `value`; throws a Bug that names the place of what is not JSON. */
export function strict<T extends Json>(value: T, place = "value"): T {
  return copy(value, place) as T
}

/** The value of a text that this layer wrote. */
export function strictParse(text: string): Json {
  return own(JSON.parse(text) as Json)
}

/** As {@link strictParse}, where only an object was ever written. */
export function strictObject(text: string): JsonObject {
  const value = strictParse(text)
  assert(typeof value === "object" && value !== null && !Array.isArray(value), "the ledger holds an object here")
  return value as JsonObject
}

/** A short text that is looked up by: what SQLite would not give back as it was is refused. */
export function word(text: string, place: string): string {
  assert(
    typeof text === "string" && text.isWellFormed(),
    `${place} is text without lone surrogates: ${JSON.stringify(text)}`,
  )
  assert(!text.includes("\0"), `${place} is text without NUL: ${JSON.stringify(text)}`)
  return text
}

function copy(value: unknown, place: string): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value
  if (typeof value === "number") {
    assert(Number.isFinite(value), `${place} is a number that JSON knows: ${value}`)
    return value === 0 ? 0 : value
  }
  if (typeof value !== "object") throw new Bug(`${place} is JSON, not ${typeof value}`)
  if (known.has(value)) return value as Json
  const copied = Array.isArray(value)
    ? value.map((item, at) => copy(item, `${place}[${at}]`))
    : copyObject(value, place)
  known.add(copied)
  return Object.freeze(copied)
}

function copyObject(value: object, place: string): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value)
  assert(prototype === Object.prototype || prototype === null, `${place} is a plain object`)
  const fields: Record<string, Json> = {}
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue
    const copied = copy(field, `${place}.${key}`)
    if (key === "__proto__") Object.defineProperty(fields, key, { value: copied, enumerable: true })
    else fields[key] = copied
  }
  return fields
}

/** Freezes what was just parsed, in place. */
function own(value: Json): Json {
  if (typeof value !== "object" || value === null) return value
  for (const field of Object.values(value)) if (field !== undefined) own(field)
  known.add(value)
  return Object.freeze(value)
}
