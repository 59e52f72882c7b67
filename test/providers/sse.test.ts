import { expect, test } from "bun:test"
import { EventParser, eventMax, type ServerEvent } from "../../src/providers/sse.ts"

const encoder = new TextEncoder()

function parse(text: string, size: number): readonly ServerEvent[] {
  const bytes = encoder.encode(text)
  const parser = new EventParser()
  const events: ServerEvent[] = []
  for (let at = 0; at < bytes.length; at += size) events.push(...parser.push(bytes.subarray(at, at + size)))
  return [...events, ...parser.end()]
}

const streams: readonly [string, string, readonly ServerEvent[]][] = [
  [
    "line feeds",
    "data: a\n\ndata: b\n\n",
    [
      { event: "", data: "a" },
      { event: "", data: "b" },
    ],
  ],
  [
    "both line ends",
    "event: x\r\ndata: a\r\n\r\ndata: b\n\n",
    [
      { event: "x", data: "a" },
      { event: "", data: "b" },
    ],
  ],
  [
    "carriage returns",
    "data: a\r\rdata: b\r\r",
    [
      { event: "", data: "a" },
      { event: "", data: "b" },
    ],
  ],
  ["several data lines", "data: a\ndata:b\ndata: \n\n", [{ event: "", data: "a\nb\n" }]],
  ["comments and unknown fields", ": PROCESSING\n\nid: 1\nretry: 5\ndata: a\n\n: x\n", [{ event: "", data: "a" }]],
  [
    "no blank line at the end",
    "data: a\n\ndata: b",
    [
      { event: "", data: "a" },
      { event: "", data: "b" },
    ],
  ],
  [
    "a byte order mark and letters of several bytes",
    "\ufeffdata: größe 😀 日本\n\n",
    [{ event: "", data: "größe 😀 日本" }],
  ],
  ["nothing", "\n\n\n", []],
]

test.each(streams)("%s: the same events whatever the cuts", (_, text, events) => {
  const length = encoder.encode(text).length
  for (let size = 1; size <= length; size++) expect(parse(text, size)).toEqual([...events])
})

test.each([["\n"], ["\r\n"]])("an event is given when its blank line has come, not one byte later", (end) => {
  expect(new EventParser().push(encoder.encode(`data: a${end}${end}`))).toEqual([{ event: "", data: "a" }])
})

test("an event without end is refused before it fills the memory", () => {
  const parser = new EventParser()
  const bytes = encoder.encode(`data: ${"x".repeat(1024 * 1024)}`)
  expect(() => {
    for (let at = 0; at <= eventMax; at += bytes.length) parser.push(bytes)
  }).toThrow(RangeError)
})
