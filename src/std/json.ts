/** JSON as values: what may be stored, sent and compared. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json | undefined }

/** True for `{…}`, false for arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** `text` as JSON, or undefined where it is none. For text that others wrote; our own is parsed with `JSON.parse`. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The same value with U+FFFD in place of halves of surrogate pairs, in keys as well: many servers refuse a text that has one. */
export function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item ?? null)]))
}

/** The same value always gives the same text: keys in code-unit order at every depth, `undefined` left out. */
export function stableText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => stableText(item)).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stableText(value[key])}`)
  return `{${fields.join(",")}}`
}
