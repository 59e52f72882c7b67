/**
 * A file against a schema, without compiling anything: this runs before the first frame, where AJV would cost more than all the rest.
 *
 * - It knows the words that the settings use: type, enum, pattern, minimum, maximum, items, properties, patternProperties, required,
 *   additionalProperties. A word that it does not know is a bug, found by a test over the whole schema.
 * - `null` is right wherever a name of an object stands: it unsets. What it finds is either wrong (the file cannot be used) or unknown (a name
 *   that means nothing).
 */
import { problemAt, propertiesOf, suggestion, valueOf, type Document, type Node } from "./jsonc.ts"
import type { Problem } from "./problem.ts"

/** The JSON Schema words that are checked or only say something. */
export const knownWords: ReadonlySet<string> = new Set([
  ..."type enum pattern minimum maximum items properties patternProperties required additionalProperties".split(" "),
  ..."default description".split(" "),
])

export type Checked = { readonly wrong: readonly Problem[]; readonly unknown: readonly Problem[] }

const nothing: Checked = { wrong: [], unknown: [] }

type Schema = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

/** The longest value that a message quotes. */
const quotedMax = 40

/** Names whose values are secrets: never quoted, hidden where settings are shown. */
export const secretNames: ReadonlySet<string> = new Set(["apiKey", "headers"])

function quoted(node: Node, path: readonly string[]): string {
  if (path.some((name) => secretNames.has(name))) return "this"
  const json = JSON.stringify(valueOf(node))
  return json.length <= quotedMax ? json : `${json.slice(0, quotedMax)}…`
}

/** What the schema asks for, in words; null when the value is that. */
function expected(schema: Schema, node: Node): string | null {
  const value: unknown = node.value
  if (schema.enum !== undefined) {
    const fits = typeof value === "string" && schema.enum.includes(value)
    return fits ? null : `one of ${schema.enum.map((choice) => JSON.stringify(choice)).join(", ")}`
  }
  switch (schema.type) {
    case "string":
      if (typeof value !== "string") return "text in double quotes"
      return schema.pattern === undefined || new RegExp(schema.pattern).test(value)
        ? null
        : 'a length of time such as "30s", "10m" or "24h"'
    case "boolean":
      return typeof value === "boolean" ? null : "true or false"
    case "integer":
    case "number":
      return numberExpected(schema, value)
    case "array":
      return node.type === "array" ? null : "a list, [ … ]"
    case "object":
      return node.type === "object" ? null : "an object, { … }"
    default:
      return null
  }
}

function numberExpected({ type, minimum, maximum }: Schema, value: unknown): string | null {
  const whole = type === "integer"
  const kind = whole ? "a whole number" : "a number"
  const range =
    minimum === undefined ? "" : maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`
  const fits =
    typeof value === "number" &&
    (!whole || Number.isInteger(value)) &&
    value >= (minimum ?? -Infinity) &&
    value <= (maximum ?? Infinity)
  return fits ? null : kind + range
}

function dotted(path: readonly string[]): string {
  return path.length === 0 ? "the file" : `\`${path.join(".").replaceAll(".[", "[")}\``
}

type Context = { readonly document: Document; readonly otherNames: Readonly<Record<string, string>> }

function checkObject(schema: Schema, node: Node, path: readonly string[], context: Context, strict: boolean): Checked {
  const known = schema.properties ?? {}
  const rest = Object.values(schema.patternProperties ?? {})[0]
  const found = propertiesOf(node)
  const inner = found.map(({ name, key, value }): Checked => {
    const own = Object.hasOwn(known, name) ? known[name] : rest
    const inside = [...path, name]
    // A list is replaced as a whole, so nothing in it can be unset.
    if (value.type === "null" && own !== undefined && !strict) return nothing
    if (own !== undefined) return check(own, value, inside, context, strict)
    if (schema.additionalProperties !== false) return nothing
    const other = path.length === 0 && Object.hasOwn(context.otherNames, name) ? context.otherNames[name] : undefined
    const hint = other === undefined ? suggestion(name, Object.keys(known)) : `; ${other}`
    return { wrong: [], unknown: [problemAt(context.document, key, `${dotted(inside)} means nothing here${hint}`)] }
  })
  const missing = strict
    ? (schema.required ?? []).filter((name) => !found.some((property) => property.name === name))
    : []
  const wrong = missing.map((name) => problemAt(context.document, node, `${dotted([...path, name])} is missing`))
  return join([...inner, { wrong, unknown: [] }])
}

function join(parts: readonly Checked[]): Checked {
  return { wrong: parts.flatMap((part) => part.wrong), unknown: parts.flatMap((part) => part.unknown) }
}

function check(schema: Schema, node: Node, path: readonly string[], context: Context, strict: boolean): Checked {
  const wanted = expected(schema, node)
  if (wanted !== null) {
    const message = `${dotted(path)} has to be ${wanted}, not ${quoted(node, path)}`
    return { wrong: [problemAt(context.document, node, message)], unknown: [] }
  }
  if (node.type === "object") return checkObject(schema, node, path, context, strict)
  const { items } = schema
  if (node.type !== "array" || items === undefined) return nothing
  return join((node.children ?? []).map((child, place) => check(items, child, [...path, `[${place}]`], context, true)))
}

/** All that is wrong or unknown in a file. `otherNames`: what to say of names that people bring along from elsewhere. */
export function checkDocument(
  document: Document,
  schema: object,
  otherNames: Readonly<Record<string, string>> = {},
): Checked {
  return check(schema, document.root, [], { document, otherNames }, false)
}
