/**
 * Arguments of a call that are still being written: JSON cut anywhere, read as far as it goes.
 *
 * - A string that is not closed is what it holds so far; a key without a value, and a number or word that may go on, are left out.
 * - Never throws, and reads each character once.
 */
import type { Json, JsonObject } from "../../std/json.ts"
import { isObject } from "../../std/json.ts"

/** Arrays and objects inside each other beyond which nobody's arguments go. */
const depthMax = 64

class Reader {
  readonly #text: string
  #at = 0
  /** The text ended inside the value that was read. */
  cut = false

  constructor(text: string) {
    this.#text = text
  }

  value(depth: number): Json | undefined {
    this.#space()
    const char = this.#text[this.#at]
    if (char === undefined || depth > depthMax) return this.#ended()
    if (char === "{") return this.#object(depth)
    if (char === "[") return this.#array(depth)
    if (char === '"') return this.#string()
    return this.#word()
  }

  #ended(): undefined {
    this.cut = true
    return undefined
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1
  }

  #object(depth: number): JsonObject {
    const out: Record<string, Json> = {}
    this.#at += 1
    while (!this.cut) {
      this.#space()
      const char = this.#text[this.#at]
      if (char === "}") {
        this.#at += 1
        return out
      }
      if (char === ",") {
        this.#at += 1
        continue
      }
      if (char !== '"') break
      const key = this.#string()
      this.#space()
      if (this.cut || this.#text[this.#at] !== ":") break
      this.#at += 1
      const value = this.value(depth + 1)
      if (value !== undefined) out[key] = value
    }
    this.cut = true
    return out
  }

  #array(depth: number): readonly Json[] {
    const out: Json[] = []
    this.#at += 1
    while (!this.cut) {
      this.#space()
      const char = this.#text[this.#at]
      if (char === "]") {
        this.#at += 1
        return out
      }
      if (char === ",") {
        this.#at += 1
        continue
      }
      const value = this.value(depth + 1)
      if (value !== undefined) out.push(value)
    }
    return out
  }

  #string(): string {
    let end = this.#at + 1
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1
    const closed = end < this.#text.length
    const raw = this.#text.slice(this.#at + 1, closed ? end : undefined)
    this.#at = closed ? end + 1 : this.#text.length
    if (!closed) this.cut = true
    return unescape(closed ? raw : raw.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, ""))
  }

  #word(): Json | undefined {
    const word = /^[^\s,\]}]+/.exec(this.#text.slice(this.#at, this.#at + 64))?.[0] ?? ""
    this.#at += Math.max(1, word.length)
    if (this.#at >= this.#text.length) return this.#ended()
    if (word === "true" || word === "false") return word === "true"
    if (word === "null") return null
    const number = Number(word)
    return Number.isNaN(number) ? undefined : number
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }

function unescape(raw: string): string {
  if (!raw.includes("\\")) return raw
  return raw.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, char: string | undefined) =>
    hex !== undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : (escapes[char ?? ""] ?? char ?? ""),
  )
}

/** What `text` says so far; an empty object where it says nothing yet. */
export function partialArguments(text: string): JsonObject {
  const value = new Reader(text).value(0)
  return isObject(value) ? value : {}
}
