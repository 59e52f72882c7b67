/**
 * JSON lines on a byte stream.
 *
 * - A line is one JSON object and LF, UTF-8, at most `frameBytesMax` bytes with its LF; only the byte 0x0A ends it, so a stream may be cut
 *   anywhere, also inside a character.
 * - A longer value goes in pieces: lines `{"type":"piece","text":…,"last":…}` right after one another, whose texts joined are the JSON of the value.
 * - What does not fit this is the other side's fault: the reader says so in a sentence and reads no further.
 */
import { frameBytesMax } from "../protocol/port.ts"
import { isObject, parseJson, type JsonObject } from "../std/json.ts"

/** The longest value that goes in pieces: several photographs in one input. */
export const valueBytesMax = 64 * 1024 * 1024

/** UTF-16 units of one piece; escaped as JSON each is at most 6 bytes, so that a piece always fits a line. */
const pieceUnits = 1024 * 1024

const encoder = new TextEncoder()
const lf = 0x0a

/** `value` as the bytes to send, its LF included, or null where it is over {@link valueBytesMax}. */
export function encodeLine(value: object): Uint8Array | null {
  const line = encoder.encode(JSON.stringify(value) + "\n")
  if (line.length <= frameBytesMax) return line
  return line.length > valueBytesMax ? null : encodePieces(JSON.stringify(value))
}

function encodePieces(text: string): Uint8Array {
  const lines: string[] = []
  for (let from = 0; from < text.length; from += pieceUnits) {
    const last = from + pieceUnits >= text.length
    lines.push(JSON.stringify({ type: "piece", text: text.slice(from, from + pieceUnits), last }) + "\n")
  }
  return encoder.encode(lines.join(""))
}

/** A value that has come whole, or why nothing more can be read. */
export type Read = { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly reason: string }

export class LineReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  /** The line that has not ended, as it came. */
  #parts: Uint8Array[] = []
  #size = 0
  /** Texts of the pieces of a value that has not ended. */
  #pieces: string[] = []
  #piecesUnits = 0
  #broken = false

  /** The values that `bytes` complete, in order; after a fault there are no more. */
  push(bytes: Uint8Array): Read[] {
    const out: Read[] = []
    let from = 0
    while (!this.#broken && from < bytes.length) {
      const end = bytes.indexOf(lf, from)
      const part = bytes.subarray(from, end === -1 ? bytes.length : end + 1)
      this.#parts.push(part)
      this.#size += part.length
      from += part.length
      const read = this.#size > frameBytesMax ? this.#fault(tooLong) : end === -1 ? null : this.#line()
      if (read !== null) out.push(read)
    }
    return out
  }

  #line(): Read | null {
    const bytes = Buffer.concat(this.#parts)
    this.#parts = []
    this.#size = 0
    const text = this.#decode(bytes)
    if (text === undefined) return this.#fault("A line was not UTF-8.")
    const value = parseJson(text)
    if (!isObject(value)) return this.#fault("A line was not a JSON object.")
    if (value["type"] === "piece") return this.#piece(value)
    if (this.#pieces.length > 0) return this.#fault("A line came between the pieces of a long one.")
    return { ok: true, value }
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes)
    } catch {
      return undefined
    }
  }

  #piece(piece: JsonObject): Read | null {
    const { text, last } = piece
    if (typeof text !== "string" || typeof last !== "boolean") return this.#fault("A piece had no text.")
    this.#pieces.push(text)
    this.#piecesUnits += text.length
    if (this.#piecesUnits > valueBytesMax) return this.#fault(tooLarge)
    if (!last) return null
    const value = parseJson(this.#pieces.join(""))
    this.#pieces = []
    this.#piecesUnits = 0
    if (!isObject(value) || value["type"] === "piece")
      return this.#fault("The pieces of a line were not a JSON object.")
    return { ok: true, value }
  }

  #fault(reason: string): Read {
    this.#broken = true
    this.#parts = []
    this.#pieces = []
    return { ok: false, reason }
  }
}

const tooLong = `A line was longer than ${frameBytesMax / 1024 / 1024} MiB.`
const tooLarge = `A value was larger than ${valueBytesMax / 1024 / 1024} MiB.`
