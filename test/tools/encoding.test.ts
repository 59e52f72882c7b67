import { describe, expect, test } from "bun:test"
import { decodeText, encodeText, sniff, unencodable, utf8 } from "../../src/tools/encoding.ts"
import { seeded } from "../support/seeded.ts"

const bytesOf = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Uint8Array.from(part))))

function named(bytes: Uint8Array, whole = true): string {
  const content = sniff(bytes, whole)
  if (content.kind === "text") return `${content.form.encoding}${content.form.bom ? " with BOM" : ""}`
  return content.kind === "image" ? content.mimeType : content.name
}

const kinds: readonly (readonly [Uint8Array, string])[] = [
  [bytesOf(""), "UTF-8"],
  [bytesOf("plain"), "UTF-8"],
  [bytesOf("阴😀é"), "UTF-8"],
  [bytesOf([0xef, 0xbb, 0xbf], "x"), "UTF-8 with BOM"],
  [bytesOf([0xff, 0xfe, 0x41, 0x00]), "UTF-16 LE with BOM"],
  [bytesOf([0xfe, 0xff, 0x00, 0x41]), "UTF-16 BE with BOM"],
  [Buffer.from("no mark here", "utf16le"), "UTF-16 LE"],
  [Buffer.from("no mark here", "utf16le").swap16(), "UTF-16 BE"],
  [bytesOf("caf", [0xe9], " cr", [0xe8], "me"), "Latin-1"],
  [bytesOf("é and one broken ", [0xff]), "UTF-8"],
  [bytesOf("ends inside ", [0xe4, 0xb8]), "Latin-1"],
  [bytesOf("text\n".repeat(800), [0]), "binary data"],
  [bytesOf([1, 2, 3, 4, 5, 6]), "binary data"],
  [bytesOf("\x1b[31mred\x1b[0m\n"), "UTF-8"],
  [bytesOf([0x7f], "ELF", [2, 1, 1, 0]), "an ELF program"],
  [bytesOf("%PDF-1.7\n"), "a PDF"],
  [bytesOf("PK", [3, 4]), "a ZIP archive or an office document"],
  [bytesOf([0x89], "PNG\r\n", [0x1a, 0x0a]), "image/png"],
  [bytesOf([0xff, 0xd8, 0xff, 0xe0]), "image/jpeg"],
  [bytesOf("GIF89a"), "image/gif"],
  [bytesOf("RIFF", [1, 2, 3, 4], "WEBPVP8 "), "image/webp"],
  [bytesOf("RIFF", [1, 2, 3, 4], "WAVE"), "RIFF media"],
  [bytesOf("BM", [1, 0, 0, 0, 0, 0, 0, 0]), "a BMP image"],
  [bytesOf("BMW is a car"), "UTF-8"],
  [bytesOf("SQLite format 3", [0]), "a SQLite database"],
]

describe("bytes are known by what they are", () => {
  for (const [bytes, name] of kinds) {
    test(`${JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 24))} is ${name}`, () =>
      expect(named(bytes)).toBe(name))
  }
})

describe("text that was decoded comes back byte for byte", () => {
  const texts: readonly Uint8Array[] = [
    bytesOf(""),
    bytesOf("阴😀 e\u0301\r\n\n\r"),
    bytesOf([0xef, 0xbb, 0xbf], "x\ufeffy"),
    bytesOf([0xff, 0xfe], Buffer.from("a阴😀\r\n", "utf16le").toJSON().data),
    bytesOf([0xfe, 0xff], Buffer.from("a阴😀\r\n", "utf16le").swap16().toJSON().data),
    bytesOf("\u00e9", [0xff, 0x80, 0xc3], "(", [0xed, 0xa0, 0x80], "\u{1f600}", [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]),
    bytesOf([0x80, 0x81, 0x9f, 0xe9, 0xff], "latin"),
  ]
  for (const bytes of texts) {
    test(JSON.stringify(Buffer.from(bytes).toString("latin1")), () => {
      const decoded = decodeText(bytes)
      if (!("text" in decoded)) throw new Error("this is text")
      expect(Buffer.from(encodeText(decoded.text, decoded.form)).toString("hex")).toBe(
        Buffer.from(bytes).toString("hex"),
      )
    })
  }

  test("whatever bytes a text is made of", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = seeded(seed)
      const bytes = Uint8Array.from({ length: 40 }, () => (random() < 0.6 ? 32 + random() * 90 : 128 + random() * 128))
      const decoded = decodeText(bytes)
      if (!("text" in decoded)) continue
      expect(Buffer.from(encodeText(decoded.text, decoded.form)).equals(bytes)).toBe(true)
    }
  })
})

test("a character that goes on behind the first bytes of a file is not broken", () => {
  expect(named(bytesOf("goes on ", [0xe4, 0xb8]), false)).toBe("UTF-8")
})

test("half a character of UTF-16 makes a file binary", () => {
  expect(decodeText(bytesOf([0xff, 0xfe, 0x41, 0x00, 0x42]))).toEqual({ kind: "binary", name: "binary data" })
})

test("Latin-1 holds what Windows-1252 holds, and says what it does not", () => {
  const latin = { encoding: "Latin-1", bom: false } as const
  expect(unencodable("café “€”", latin)).toBeNull()
  expect(unencodable("a → b", latin)).toBe("→")
  expect(unencodable("a → b", utf8)).toBeNull()
})
