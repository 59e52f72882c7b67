/**
 * How reasoning goes back in chat completions, kept as its signature: the name of the field that it came in, or what must go back with it.
 *
 * `reasoning_details`: reasoning as a list of typed pieces that must go back as they came, in order (OpenRouter). They are kept as the signature
 * of the reasoning; pieces of one item that the stream cut are joined again.
 */
import { isObject, parseJson, wellFormed, type Json, type JsonObject } from "../../std/json.ts"

/** The fields that reasoning comes in, the first that has any. */
export const reasoningFields = ["reasoning_content", "reasoning", "reasoning_text"] as const
export type ReasoningField = (typeof reasoningFields)[number]

const mark = "reasoning_details:"
const opaqueMark = "reasoning_opaque:"
const grownFields = ["text", "summary", "data"] as const

function sameItem(a: JsonObject, b: JsonObject): boolean {
  return a.type === b.type && a.index === b.index && (a.id ?? null) === (b.id ?? null)
}

function grow(a: JsonObject, b: JsonObject): JsonObject {
  const grown = Object.fromEntries(
    grownFields.flatMap((name) => {
      const [before, more] = [a[name], b[name]]
      return typeof before === "string" && typeof more === "string" ? [[name, before + more]] : []
    }),
  )
  const rest = Object.fromEntries(Object.entries(b).filter(([, value]) => value !== null && value !== undefined))
  return { ...a, ...rest, ...grown }
}

export function addDetails(details: readonly JsonObject[], more: readonly JsonObject[]): readonly JsonObject[] {
  return more.reduce((all, piece) => {
    const last = all.at(-1)
    return last !== undefined && sameItem(last, piece) ? [...all.slice(0, -1), grow(last, piece)] : [...all, piece]
  }, details)
}

export function detailsSignature(details: readonly JsonObject[]): string {
  return mark + JSON.stringify(details)
}

/** The details in a signature, or undefined where it is only the name of a field. */
export function readDetails(signature: string): readonly JsonObject[] | undefined {
  if (!signature.startsWith(mark)) return undefined
  const value = parseJson(signature.slice(mark.length))
  return Array.isArray(value) ? (wellFormed(value) as readonly Json[]).filter(isObject) : undefined
}

/** What GitHub wants back beside the text of the reasoning. */
export function opaqueSignature(field: ReasoningField, opaque: string): string {
  return opaqueMark + JSON.stringify({ field, opaque })
}

export function readOpaque(signature: string): { readonly field: ReasoningField; readonly opaque: string } | undefined {
  if (!signature.startsWith(opaqueMark)) return undefined
  const value = parseJson(signature.slice(opaqueMark.length))
  const field = reasoningFields.find((name) => isObject(value) && value.field === name)
  return field !== undefined && isObject(value) && typeof value.opaque === "string"
    ? { field, opaque: value.opaque.toWellFormed() }
    : undefined
}
