import { describe, expect, test } from "bun:test"
import { captureTailBytes, EndsKeeper, plainText, showOutput, type Capture } from "../../src/tools/output.ts"
import { seeded } from "../support/seeded.ts"

function kept(...pieces: readonly (string | Uint8Array)[]): Capture {
  const keeper = new EndsKeeper()
  for (const piece of pieces) keeper.push(Buffer.from(piece))
  return keeper.capture()
}

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("")

describe("output as a screen would show it", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["plain\ntext", "plain\ntext"],
    ["\x1b[1;31mred\x1b[0m", "red"],
    ["10%\r20%\r100%", "100%"],
    ["100%\r5%", "5%0%"],
    ["a\r\nb\r\n", "a\nb\n"],
    ["ab\bc", "ac"],
    ["\x1b]0;title\x07shown", "shown"],
    ["a\0b", "a␀b"],
  ]
  for (const [raw, text] of rows) {
    test(JSON.stringify(raw), () => expect(plainText(raw)).toBe(text))
  }

  test("a line that was painted over 40,000 times is its last state (49)", () => {
    const bar = Array.from({ length: 40_000 }, (_, at) => `${at + 1}%|####|\r`).join("")
    expect(plainText(bar)).toBe("40000%|####|")
  })
})

describe("output within the limits is all there", () => {
  test("once, however it came (52)", () => {
    expect(showOutput(kept("one\n", "two"))).toEqual({ cut: false, text: "one\ntwo" })
    expect(showOutput(kept(""))).toEqual({ cut: false, text: "" })
    const text = numbered(1_999)
    expect(showOutput(kept(text))).toEqual({ cut: false, text })
  })

  test("a character in two pieces is one (51)", () => {
    expect(showOutput(kept(Uint8Array.of(0xe4, 0xb8), Uint8Array.of(0xad, 0x0a)))).toEqual({ cut: false, text: "中\n" })
    expect(showOutput(kept(Uint8Array.of(0xff, 0xfe, 0x41)))).toEqual({ cut: false, text: "\ufffd\ufffdA" })
  })
})

describe("output beyond the limits", () => {
  test("has its head, its tail, and how much is missing (48)", () => {
    const shown = showOutput(kept(numbered(3_000_000)))
    if (!shown.cut) throw new Error("this is too much")
    expect(shown.head.startsWith("1\n2\n")).toBe(true)
    expect(shown.head.endsWith("\n100\n")).toBe(true)
    expect(shown.tail.endsWith("\n2999999\n3000000\n")).toBe(true)
    expect(shown.tail.split("\n").length).toBe(1_901)
    expect(shown.bytesLeft).toBe(22_888_896 - shown.head.length - shown.tail.length)
  })

  test("is cut by bytes where lines are long, between characters", () => {
    const shown = showOutput(kept("阴".repeat(100_000)))
    if (!shown.cut) throw new Error("this is too much")
    expect(Buffer.byteLength(shown.head) + Buffer.byteLength(shown.tail)).toBeLessThanOrEqual(50 * 1024)
    expect(shown.head).toMatch(/^阴+$/)
    expect(shown.tail).toMatch(/^\ufffd?阴+$/)
  })

  test("a progress bar does not begin with a state that was painted over (49)", () => {
    const bar = Array.from({ length: 80_000 }, (_, at) => `${at + 1}%|####|\r`).join("")
    expect(showOutput(kept(bar))).toMatchObject({ cut: true, head: "", tail: "80000%|####|" })
  })
})

test("both ends are kept of any pieces", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seeded(seed)
    const pieces: Uint8Array[] = []
    for (let size = 0; size < 900_000 * random();) {
      const piece = new Uint8Array(Math.floor(random() ** 4 * 600_000)).map((_, at) => (at * 7 + seed) % 251)
      pieces.push(piece)
      size += piece.length
    }
    const whole = Buffer.concat(pieces)
    const { head, tail, size } = kept(...pieces)
    expect(size).toBe(whole.length)
    expect(Buffer.from(head).equals(whole.subarray(0, head.length))).toBe(true)
    expect(Buffer.from(tail).equals(whole.subarray(whole.length - tail.length))).toBe(true)
    expect(head.length + tail.length).toBe(Math.min(size, head.length + captureTailBytes))
  }
})
