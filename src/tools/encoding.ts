/**
 * Bytes to text and back, so that what is not changed comes back byte for byte.
 *
 * - UTF-8, UTF-16 of either order (by its mark, or by its zero bytes) and, for bytes that are no UTF-8 at all, Windows-1252, of which Latin-1 is
 *   the part that matters. Nothing is guessed beyond that.
 * - UTF-8 with some broken bytes stays UTF-8: each broken byte 0xNN is the lone surrogate U+DCNN, which no valid text has.
 * - A byte order mark is not part of the text; whether there was one is remembered.
 * - Text holds no NUL: what does is binary, and is named by its first bytes.
 */
import { assert } from "../std/assert.ts"

export type Encoding = "UTF-8" | "UTF-16 LE" | "UTF-16 BE" | "Latin-1"
export type TextForm = { readonly encoding: Encoding; readonly bom: boolean }

export type Content =
  | { readonly kind: "text"; readonly form: TextForm }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary"; readonly name: string }

/** Bytes at the start of a file that say what it is. */
export const sniffBytes = 64 * 1024

export const utf8: TextForm = { encoding: "UTF-8", bom: false }

type Magic = { readonly at?: number; readonly bytes: string; readonly name: string }

/** First bytes, as Latin-1. Images that models take have a MIME type for a name. */
const magics: readonly Magic[] = [
  { bytes: "\x89PNG\r\n\x1a\n", name: "image/png" },
  { bytes: "\xff\xd8\xff", name: "image/jpeg" },
  { bytes: "GIF87a", name: "image/gif" },
  { bytes: "GIF89a", name: "image/gif" },
  { at: 8, bytes: "WEBP", name: "image/webp" },
  { bytes: "\xff\xfe\0\0", name: "UTF-32 text" },
  { bytes: "\x7fELF", name: "an ELF program" },
  { bytes: "\xcf\xfa\xed\xfe", name: "a Mach-O program" },
  { bytes: "\xca\xfe\xba\xbe", name: "a Java class or a Mach-O program" },
  { bytes: "\0asm", name: "WebAssembly" },
  { bytes: "%PDF-", name: "a PDF" },
  { bytes: "PK\x03\x04", name: "a ZIP archive or an office document" },
  { bytes: "\x1f\x8b", name: "gzip data" },
  { bytes: "BZh", name: "bzip2 data" },
  { bytes: "\xfd7zXZ\0", name: "xz data" },
  { bytes: "\x28\xb5\x2f\xfd", name: "Zstandard data" },
  { bytes: "7z\xbc\xaf\x27\x1c", name: "a 7z archive" },
  { at: 257, bytes: "ustar", name: "a tar archive" },
  { bytes: "SQLite format 3\0", name: "a SQLite database" },
  { at: 4, bytes: "ftyp", name: "an MP4 or HEIF file" },
  { bytes: "OggS", name: "Ogg media" },
  { bytes: "fLaC", name: "FLAC audio" },
  { bytes: "ID3", name: "MP3 audio" },
  { bytes: "RIFF", name: "RIFF media" },
  { bytes: "wOFF", name: "a font" },
  { bytes: "wOF2", name: "a font" },
  { bytes: "\0\0\x01\0", name: "an icon" },
]

function magicOf(head: Uint8Array): string | null {
  const start = Buffer.from(head.subarray(0, 300)).toString("latin1")
  const found = magics.find(({ at = 0, bytes }) => start.startsWith(bytes, at))
  // A bitmap has only two letters to know it by, so its zeros count too.
  if (found === undefined) return start.startsWith("BM") && start.slice(6, 10) === "\0\0\0\0" ? "a BMP image" : null
  return found.name
}

/** UTF-16 without a mark: Latin text has a zero in every second byte. */
function zeroPattern(head: Uint8Array): Encoding | null {
  const pairs = Math.min(256, Math.floor(head.length / 2))
  let even = 0
  let odd = 0
  for (let pair = 0; pair < pairs; pair++) {
    if (head[2 * pair] === 0) even++
    if (head[2 * pair + 1] === 0) odd++
  }
  if (pairs < 2) return null
  if (even === 0 && odd >= 0.7 * pairs) return "UTF-16 LE"
  return odd === 0 && even >= 0.7 * pairs ? "UTF-16 BE" : null
}

function controls(head: Uint8Array): number {
  let count = 0
  for (const byte of head) if (byte < 32 && (byte < 8 || byte > 13) && byte !== 27) count++
  return count
}

/** Length of the valid UTF-8 character at `at`; 0 where there is none; -1 where the bytes end inside one. */
function utf8Length(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4) return 0
  for (let place = 1; place < length; place++) {
    const byte = bytes[at + place]
    if (byte === undefined) return -1
    if ((byte & 0xc0) !== 0x80) return 0
  }
  const second = bytes[at + 1] ?? 0
  const overlong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90)
  const outside = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f)
  return overlong || outside ? 0 : length
}

/** UTF-8 when at least one character beyond ASCII is whole, or none is broken. The end of `bytes` breaks none unless they are `whole`. */
function eightBit(bytes: Uint8Array, whole: boolean): "UTF-8" | "Latin-1" {
  let broken = false
  for (let at = 0; at < bytes.length;) {
    const length = utf8Length(bytes, at)
    if (length > 1) return "UTF-8"
    if (length === 0 || (length < 0 && whole)) broken = true
    if (length < 0) break
    at++
  }
  return broken ? "Latin-1" : "UTF-8"
}

/** What a file that begins with `head`, or with `whole` is it, holds. */
export function sniff(head: Uint8Array, whole: boolean): Content {
  const magic = magicOf(head)
  if (magic?.startsWith("image/")) return { kind: "image", mimeType: magic }
  if (magic !== null) return { kind: "binary", name: magic }
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: "text", form: { encoding: "UTF-16 LE", bom: true } }
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: "text", form: { encoding: "UTF-16 BE", bom: true } }
  const wide = zeroPattern(head)
  if (wide !== null) return { kind: "text", form: { encoding: wide, bom: false } }
  if (head.includes(0) || controls(head) > head.length / 10) return { kind: "binary", name: "binary data" }
  const bom = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf
  return { kind: "text", form: { encoding: bom ? "UTF-8" : eightBit(head, whole), bom } }
}

/** Bytes that the byte order mark takes. */
export function bomLength({ encoding, bom }: TextForm): number {
  if (!bom) return 0
  return encoding === "UTF-8" ? 3 : 2
}

const labels = {
  "UTF-8": "utf-8",
  "UTF-16 LE": "utf-16le",
  "UTF-16 BE": "utf-16be",
  "Latin-1": "windows-1252",
} satisfies Record<Encoding, "utf-8" | "utf-16le" | "utf-16be" | "windows-1252">

/** A decoder for showing: broken bytes are U+FFFD, and pieces may end inside a character. */
export function showingDecoder(encoding: Encoding): TextDecoder {
  return new TextDecoder(labels[encoding], { ignoreBOM: true })
}

/** The text of a whole file, or what it is instead. */
export function decodeText(bytes: Uint8Array): { readonly text: string; readonly form: TextForm } | Content {
  const content = sniff(bytes, true)
  if (content.kind !== "text") return content
  const { form } = content
  const body = bytes.subarray(bomLength(form))
  if (form.encoding === "UTF-8") return { text: decodeUtf8(body), form }
  // Half a character at the end cannot come back: such a file is no UTF-16.
  if (form.encoding !== "Latin-1" && body.length % 2 === 1) return { kind: "binary", name: "binary data" }
  if (form.encoding === "Latin-1") return { text: showingDecoder("Latin-1").decode(body), form }
  const even = Buffer.from(body)
  return { text: (form.encoding === "UTF-16 BE" ? even.swap16() : even).toString("utf16le"), form }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes)
  } catch {
    return decodeBroken(bytes)
  }
}

function decodeBroken(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let text = ""
  let whole = 0
  for (let at = 0; at < bytes.length;) {
    const length = utf8Length(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    text += decoder.decode(bytes.subarray(whole, at)) + String.fromCharCode(0xdc00 + (bytes[at] ?? 0))
    at++
    whole = at
  }
  return text + decoder.decode(bytes.subarray(whole))
}

const latinPlaces: ReadonlyMap<string, number> = new Map(
  Array.from(showingDecoder("Latin-1").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)), (char, byte) => [
    char,
    byte,
  ]),
)

/** The first character of `text` that `form` cannot hold, or null. */
export function unencodable(text: string, form: TextForm): string | null {
  if (form.encoding !== "Latin-1") return null
  for (const char of text) if (!latinPlaces.has(char)) return char
  return null
}

/** `text` in its form, mark included. The text holds nothing that the form cannot. */
export function encodeText(text: string, form: TextForm): Uint8Array {
  switch (form.encoding) {
    case "UTF-8":
      return encodeUtf8(form.bom ? `\ufeff${text}` : text)
    case "UTF-16 LE":
      return Buffer.from(form.bom ? `\ufeff${text}` : text, "utf16le")
    case "UTF-16 BE":
      return Buffer.from(form.bom ? `\ufeff${text}` : text, "utf16le").swap16()
    case "Latin-1":
      return Uint8Array.from(text, (char) => {
        const byte = latinPlaces.get(char)
        assert(byte !== undefined, `Latin-1 cannot hold ${char}`)
        return byte
      })
  }
}

function encodeUtf8(text: string): Uint8Array {
  const pieces = text.split(/(?<![\ud800-\udbff])([\udc80-\udcff])/)
  if (pieces.length === 1) return Buffer.from(text)
  // Every second piece is a byte that was broken when it came.
  return Buffer.concat(
    pieces.map((piece, place) => (place % 2 === 1 ? Buffer.of(piece.charCodeAt(0) - 0xdc00) : Buffer.from(piece))),
  )
}
