/** What is left of a line of pi's session format when an entry of ours has said what it can: a difference, and a line with it put back. Pure. */
import { isObject, stableText, type Json, type JsonObject } from "../std/json.ts"
import type { ImportedLine, LineRest } from "./records.ts"

/** A line's place in its tree, which is said by its entry's place. */
const placeFields: ReadonlySet<string> = new Set(["id", "parentId", "timestamp"])

function same(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return stableText(one) === stableText(other)
}

function difference(wanted: JsonObject, made: JsonObject, passed: (name: string) => boolean): LineRest | undefined {
  const set = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !passed(name) && !same(value, made[name])),
  )
  const without = Object.keys(made).filter((name) => !passed(name) && !(name in wanted))
  return Object.keys(set).length + without.length === 0 ? undefined : { set, without }
}

/** What has to be said of `original` beside `made`, the line that is made of its entry. */
export function restOf(original: JsonObject, made: JsonObject): ImportedLine {
  const [wanted, own] = [original["message"], made["message"]]
  const both = isObject(wanted) && isObject(own)
  const line = difference(original, made, (name) => placeFields.has(name) || (both && name === "message"))
  const message = both ? difference(wanted, own, () => false) : undefined
  const { id } = original
  return {
    ...(typeof id === "string" ? { id } : {}),
    ...(line === undefined ? {} : { line }),
    ...(message === undefined ? {} : { message }),
  }
}

function put(made: JsonObject, rest: LineRest | undefined): JsonObject {
  if (rest === undefined) return made
  const kept = Object.entries(made).filter(([name]) => !rest.without.includes(name))
  return { ...Object.fromEntries(kept), ...rest.set }
}

/** The line that was, of the one that is made of its entry. */
export function withRest(made: JsonObject, { line, message }: ImportedLine): JsonObject {
  const own = made["message"]
  const inside = isObject(own) && message !== undefined ? { message: put(own, message) } : {}
  return put({ ...made, ...inside }, line)
}
