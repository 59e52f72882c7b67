/**
 * The head, the tail, or both ends of a text, by lines and by bytes.
 *
 * - Bytes are those of UTF-8, and a cut never falls inside a character.
 * - Whole lines are kept as far as they go; a line is cut only where it alone is over the limit.
 * - A text within its limits comes back as it is. Only LF ends a line; a last line without one counts.
 */
export type Limits = { readonly lines: number; readonly bytes: number }

/** `text` is what is left; `lines` and `bytes` are what was left out. */
export type Cut = { readonly text: string; readonly lines: number; readonly bytes: number }

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Bytes of `text` as UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

/** Lines of `text`: none in an empty one. */
export function lineCount(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; count++) {
    const end = text.indexOf("\n", at)
    if (end < 0) return count + 1
    at = end + 1
  }
  return count
}

/** True for a byte that goes on a UTF-8 character begun before it. */
function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Where a cut at or before `at` falls between characters. */
export function boundaryBefore(bytes: Uint8Array, at: number): number {
  let place = Math.min(at, bytes.length)
  // A character is at most four bytes: what goes on for longer is not UTF-8, and may be cut anywhere.
  for (let back = 0; back < 3 && continues(bytes[place]); back++) place--
  return continues(bytes[place]) ? Math.min(at, bytes.length) : place
}

/** Where a cut at or after `at` falls between characters. */
export function boundaryAfter(bytes: Uint8Array, at: number): number {
  let place = Math.min(at, bytes.length)
  for (let on = 0; on < 3 && continues(bytes[place]); on++) place++
  return continues(bytes[place]) ? Math.min(at, bytes.length) : place
}

/** At most `limit` bytes from the start of `text`. */
export function headBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text
  const bytes = encoder.encode(text.slice(0, limit + 1))
  return bytes.length <= limit ? text : decoder.decode(bytes.subarray(0, boundaryBefore(bytes, limit)))
}

/** At most `limit` bytes from the end of `text`. */
export function tailBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text
  const bytes = encoder.encode(text.slice(-limit - 1))
  return bytes.length <= limit ? text : decoder.decode(bytes.subarray(boundaryAfter(bytes, bytes.length - limit)))
}

/** Text up to `limit` code units that ends between characters. */
export function headChars(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit)
}

/** The first lines of `text`. */
export function head(text: string, limits: Limits): Cut {
  let end = 0
  let bytes = 0
  for (let lines = 0; lines < limits.lines && end < text.length; lines++) {
    const newline = text.indexOf("\n", end)
    const next = newline < 0 ? text.length : newline + 1
    const size = byteLength(text.slice(end, next))
    if (bytes + size > limits.bytes) {
      if (end === 0) return left(text, headBytes(text, limits.bytes))
      break
    }
    bytes += size
    end = next
  }
  return left(text, text.slice(0, end))
}

/** The last lines of `text`. */
export function tail(text: string, limits: Limits): Cut {
  let start = text.length
  let bytes = 0
  for (let lines = 0; lines < limits.lines && start > 0; lines++) {
    // The line before `start` ends with the newline at `start - 1`, which is its own.
    const newline = start >= 2 ? text.lastIndexOf("\n", start - 2) : -1
    const next = newline + 1
    const size = byteLength(text.slice(next, start))
    if (bytes + size > limits.bytes) {
      if (start === text.length) return left(text, tailBytes(text, limits.bytes))
      break
    }
    bytes += size
    start = next
  }
  return left(text, text.slice(start))
}

function left(whole: string, kept: string): Cut {
  if (kept.length === whole.length) return { text: whole, lines: 0, bytes: 0 }
  return { text: kept, lines: lineCount(whole) - lineCount(kept), bytes: byteLength(whole) - byteLength(kept) }
}
