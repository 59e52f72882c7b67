/**
 * JSON that is still being written, for showing a call while its arguments stream. Never for executing one.
 *
 * - What has come is kept, what is open is closed: a cut string ends where it was cut, a cut number, word or key is left out.
 * - The answer for a longer prefix never loses a field that a shorter one had.
 * - Text that cannot be the beginning of an object gives `{}`.
 */
import type { Json, JsonObject } from "../std/json.ts"
import { isObject } from "../std/json.ts"

/** Deeper than any tool's arguments; a model that goes on opening brackets is cut there. */
const depthMax = 64

type Reader = { readonly text: string; at: number }

/** A value that is `whole` ended before the text did. Undefined: nothing of it can be shown. */
type Read = { readonly value: Json | undefined; readonly whole: boolean }

const nothing: Read = { value: undefined, whole: false }

function skip(reader: Reader): string | undefined {
  while (/\s/.test(reader.text[reader.at] ?? "")) reader.at += 1
  return reader.text[reader.at]
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }

/** A run without quote and backslash: arguments hold whole files, and are read again at each frame. */
const plain = /[^"\\]*/y

function readString(reader: Reader): { readonly value: string; readonly whole: boolean } {
  reader.at += 1
  let value = ""
  while (reader.at < reader.text.length) {
    plain.lastIndex = reader.at
    const run = plain.exec(reader.text)?.[0] ?? ""
    value += run
    reader.at += run.length
    if (reader.text[reader.at] === '"') {
      reader.at += 1
      return { value, whole: true }
    }
    const escape = reader.text[reader.at + 1]
    if (escape === undefined) break
    if (escape !== "u") {
      value += escapes[escape] ?? escape
      reader.at += 2
      continue
    }
    const digits = reader.text.slice(reader.at + 2, reader.at + 6)
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) break
    value += String.fromCharCode(Number.parseInt(digits, 16))
    reader.at += 6
  }
  reader.at = reader.text.length
  // Half of a pair would be drawn as a replacement character and then change.
  return { value: value.replace(/[\uD800-\uDBFF]$/, ""), whole: false }
}

function readWord(reader: Reader): Read {
  const word = /^[^\s,}\]:"{[]*/.exec(reader.text.slice(reader.at))?.[0] ?? ""
  reader.at += word.length
  if (reader.at >= reader.text.length || word === "") return nothing
  if (word === "true" || word === "false") return { value: word === "true", whole: true }
  if (word === "null") return { value: null, whole: true }
  const number = Number(word)
  return Number.isFinite(number) ? { value: number, whole: true } : nothing
}

function readArray(reader: Reader, depth: number): Read {
  const items: Json[] = []
  reader.at += 1
  for (;;) {
    const letter = skip(reader)
    if (letter === undefined) return { value: items, whole: false }
    if (letter === "]") {
      reader.at += 1
      return { value: items, whole: true }
    }
    if (letter === ",") {
      reader.at += 1
      continue
    }
    const item = readValue(reader, depth + 1)
    if (item.value !== undefined) items.push(item.value)
    if (!item.whole) return { value: items, whole: false }
  }
}

function readObject(reader: Reader, depth: number): Read {
  const fields: { [key: string]: Json } = {}
  const cut = (): Read => ({ value: fields, whole: false })
  reader.at += 1
  for (;;) {
    const letter = skip(reader)
    if (letter === "}") {
      reader.at += 1
      return { value: fields, whole: true }
    }
    if (letter === ",") {
      reader.at += 1
      continue
    }
    if (letter !== '"') return cut()
    const key = readString(reader)
    if (!key.whole || skip(reader) !== ":") return cut()
    reader.at += 1
    const field = readValue(reader, depth + 1)
    if (field.value !== undefined)
      Object.defineProperty(fields, key.value, {
        value: field.value,
        enumerable: true,
        writable: true,
        configurable: true,
      })
    if (!field.whole) return cut()
  }
}

function readValue(reader: Reader, depth: number): Read {
  if (depth > depthMax) return nothing
  switch (skip(reader)) {
    case undefined:
      return nothing
    case "{":
      return readObject(reader, depth)
    case "[":
      return readArray(reader, depth)
    case '"':
      return readString(reader)
    default:
      return readWord(reader)
  }
}

/** What can be shown of the arguments in `text` so far. */
export function partialObject(text: string): JsonObject {
  const { value } = readValue({ text, at: 0 }, 0)
  return isObject(value) ? value : {}
}
