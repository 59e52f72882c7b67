import { expect, test } from "bun:test"
import { frameBytesMax } from "../../src/protocol/port.ts"
import { encodeLine, LineReader, valueBytesMax, type Read } from "../../src/wire/frame.ts"

function encoded(value: object): Uint8Array {
  const bytes = encodeLine(value)
  if (bytes === null) throw new Error("too large")
  return bytes
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const values = [
  { a: 1 },
  { text: "zwölf Boxkämpfer 🥊 \u2028 漢字\r\n\t\u0000\u007f" },
  { nested: [null, true, { z: "" }] },
]
const all = Buffer.concat(values.map(encoded))
const good = (value: object): Read => ({ ok: true, value: value as never })

test("a stream cut at any byte, also inside a character, reads as the same values", () => {
  for (let cut = 0; cut <= all.length; cut++) {
    const reader = new LineReader()
    const read = [...reader.push(all.subarray(0, cut)), ...reader.push(all.subarray(cut))]
    expect(read).toEqual(values.map(good))
  }
})

test("a stream that comes byte by byte reads as the same values", () => {
  const reader = new LineReader()
  expect([...all].flatMap((byte) => reader.push(Uint8Array.of(byte)))).toEqual(values.map(good))
})

test("only LF ends a line: a carriage return, a line separator and a form feed do not", () => {
  const reader = new LineReader()
  expect(reader.push(bytesOf('{"a":"\u2028\u2029\u0085"}\r\n{\r"b":1}\n'))).toEqual([
    good({ a: "\u2028\u2029\u0085" }),
    good({ b: 1 }),
  ])
})

test("a line of exactly the limit is read, and one byte more is a fault", () => {
  const filler = "x".repeat(frameBytesMax - '{"t":""}\n'.length)
  expect(new LineReader().push(bytesOf(`{"t":"${filler}"}\n`))).toEqual([good({ t: filler })])
  expect(new LineReader().push(bytesOf(`{"t":"${filler}x"}\n`))).toEqual([
    { ok: false, reason: "A line was longer than 8 MiB." },
  ])
})

test("a line without an end is given up at the limit, not collected for ever", () => {
  const reader = new LineReader()
  const chunk = new Uint8Array(1024 * 1024).fill(0x20)
  for (let sent = 0; sent < frameBytesMax; sent += chunk.length) expect(reader.push(chunk)).toEqual([])
  expect(reader.push(chunk)).toEqual([{ ok: false, reason: "A line was longer than 8 MiB." }])
  expect(reader.push(bytesOf('{"a":1}\n'))).toEqual([])
})

test.each([
  ["not JSON", bytesOf("hello\n"), "A line was not a JSON object."],
  ["a list", bytesOf("[1]\n"), "A line was not a JSON object."],
  ["a blank line", bytesOf("\n"), "A line was not a JSON object."],
  ["bytes that are no UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a), "A line was not UTF-8."],
  ["a byte order mark", bytesOf('\ufeff{"a":1}\n'), "A line was not a JSON object."],
  ["a piece without a text", bytesOf('{"type":"piece","last":true}\n'), "A piece had no text."],
  [
    "pieces that make no object",
    bytesOf('{"type":"piece","text":"[1]","last":true}\n'),
    "The pieces of a line were not a JSON object.",
  ],
  [
    "a line between two pieces",
    bytesOf('{"type":"piece","text":"{","last":false}\n{"a":1}\n'),
    "A line came between the pieces of a long one.",
  ],
])("%s is a fault, and nothing after it is read", (_, bytes, reason) => {
  const reader = new LineReader()
  expect(reader.push(Buffer.concat([encoded({ before: 1 }), bytes, encoded({ after: 1 })]))).toEqual([
    good({ before: 1 }),
    { ok: false, reason },
  ])
})

test("a value over the limit of a line goes in pieces, each of which is a line within the limit, and arrives whole", () => {
  // Escapes and surrogate pairs, at odd places, so that a piece may end inside either.
  const value = { odd: "\u0000", text: '🥊"\\'.repeat(frameBytesMax / 4) }
  const bytes = Buffer.from(encoded(value))
  const lines: number[] = []
  for (let from = 0; from < bytes.length; from = bytes.indexOf(0x0a, from) + 1)
    lines.push(bytes.indexOf(0x0a, from) + 1 - from)
  expect(lines.length).toBeGreaterThan(2)
  expect(Math.max(...lines)).toBeLessThanOrEqual(frameBytesMax)
  const reader = new LineReader()
  expect(reader.push(bytes)).toEqual([good(value)])
  expect(reader.push(encoded({ after: 1 }))).toEqual([good({ after: 1 })])
})

test("a value over the limit of all pieces is not sent, and not collected", () => {
  expect(encodeLine({ text: "x".repeat(valueBytesMax) })).toBeNull()
  const reader = new LineReader()
  const piece = bytesOf(JSON.stringify({ type: "piece", text: "x".repeat(4 * 1024 * 1024), last: false }) + "\n")
  const reads = Array.from({ length: 17 }, () => reader.push(piece)).flat()
  expect(reads).toEqual([{ ok: false, reason: "A value was larger than 64 MiB." }])
})
