import { expect, test } from "bun:test"
import { HeldOutput } from "../../../src/tui/panels/output-held.ts"

const megabyte = 1024 * 1024

/** An output of numbered lines, and a reader of it: what is held, what was asked for, and where the reader was put. */
class Reader {
  readonly bytes: Uint8Array
  readonly asked: [number, number][] = []
  readonly places: string[] = []
  failing = false
  /** Bytes from the beginning that are not there any more. */
  gone = 0
  readonly held: HeldOutput

  constructor(size: number) {
    const line = (number: number): string => `line ${String(number).padStart(9, "0")} 中\n`
    const count = Math.ceil(size / new TextEncoder().encode(line(0)).length)
    this.bytes = new TextEncoder().encode(Array.from({ length: count }, (_, number) => line(number)).join(""))
    this.held = new HeldOutput({
      fetch: (from, to) => {
        this.asked.push([from, to])
        if (this.failing) return Promise.reject(new Error("gone"))
        const begin = Math.max(from, this.gone)
        const note = begin > from ? "[gone]\n" : ""
        const bytes = Math.max(0, Math.min(to, this.bytes.length) - begin)
        return Promise.resolve({ text: note + this.text(begin, begin + bytes), from: begin, bytes })
      },
      changed: (to) => void this.places.push(String(to)),
      failed: (error) => void this.places.push(String(error)),
    })
  }

  text(from: number, to: number): string {
    return new TextDecoder().decode(this.bytes.subarray(from, to))
  }

  async answered(): Promise<void> {
    for (let turn = 0; turn < 12; turn++) await Promise.resolve()
  }

  /** The numbers of the first and the last line that are held, after all answers have come; fails where one between is missing. */
  async lines(): Promise<readonly [number, number]> {
    await this.answered()
    const texts = this.held.blocks.flatMap(({ lines }) => lines.map((line) => line.map(({ text }) => text).join("")))
    // A line at an edge may be there in part.
    const numbers = texts.filter((text) => /^line \d{9} 中$/.test(text)).map((text) => Number(text.slice(5, 14)))
    const first = numbers[0] ?? -1
    expect(numbers).toEqual(numbers.map((_, place) => first + place))
    return [first, numbers.at(-1) ?? -1]
  }
}

const lineBytes = 19

test("the head of a command that runs is fetched while it runs, and what comes meanwhile is held too (48)", async () => {
  const reader = new Reader(400_000)
  const last = reader.bytes.length / lineBytes - 1
  reader.held.live(reader.text(300_000, 380_000), 380_000, false)
  reader.held.older()
  expect((await reader.lines())[0]).toBeLessThan(300_000 / lineBytes - 10_000)
  reader.held.live(reader.text(350_000, reader.bytes.length), reader.bytes.length, true)
  reader.held.older()
  expect(await reader.lines()).toEqual([0, last])
  reader.held.older()
  expect(reader.asked.length).toBe(2)
})

test("who has gone up keeps what is shown, however fast the output grows, and comes back to its end (48)", async () => {
  const reader = new Reader(3 * megabyte)
  reader.held.live(reader.text(0, 38_000), 38_000, false)
  expect(await reader.lines()).toEqual([0, 1_999])
  reader.held.live(reader.text(megabyte, megabyte + 38_000), megabyte + 38_000, true)
  expect(await reader.lines()).toEqual([0, 1_999])
  reader.held.live(reader.text(2 * megabyte, 2 * megabyte + 38_000), 2 * megabyte + 38_000, false)
  expect((await reader.lines())[0]).toBeGreaterThan((2 * megabyte) / lineBytes - 1)
})

test("the start of an output of any size is gone to at once, and read on from there to its end", async () => {
  const reader = new Reader(10 * megabyte)
  const size = reader.bytes.length
  reader.held.ended(size, false)
  expect((await reader.lines())[1]).toBe(size / lineBytes - 1)
  expect(reader.held.toStart()).toBe(true)
  expect((await reader.lines())[0]).toBe(0)
  expect(reader.asked.length).toBe(2)
  for (let round = 0; round < 50; round++) {
    reader.held.newer()
    await reader.answered()
  }
  expect((await reader.lines())[1]).toBe(size / lineBytes - 1)
  expect(reader.held.toStart()).toBe(true)
  await reader.lines()
  expect(reader.held.toEnd()).toBe(true)
  expect((await reader.lines())[1]).toBe(size / lineBytes - 1)
  expect(reader.held.toEnd()).toBe(false)
})

test("a byte that is searched for is there, near or far", async () => {
  const reader = new Reader(20 * megabyte)
  reader.held.ended(reader.bytes.length, false)
  await reader.lines()
  for (const at of [5 * megabyte, 19 * megabyte, 3]) {
    reader.held.want(at)
    for (let round = 0; round < 40; round++) await reader.answered()
    const [first, last] = await reader.lines()
    expect([first * lineBytes <= at, (last + 1) * lineBytes > at]).toEqual([true, true])
  }
})

test("where a command ends while its reader is further up, nothing moves, and the rest comes when it is gone to", async () => {
  const reader = new Reader(megabyte)
  reader.held.live(reader.text(0, 38_000), 38_000, false)
  reader.held.ended(reader.bytes.length, true)
  expect(await reader.lines()).toEqual([0, 1_999])
  reader.held.newer()
  expect((await reader.lines())[1]).toBeGreaterThan(10_000)
})

test("what cannot be read is said, and not asked for again", async () => {
  const reader = new Reader(megabyte)
  reader.failing = true
  reader.held.ended(reader.bytes.length, false)
  for (let round = 0; round < 3; round++) await reader.lines().catch(() => {})
  reader.held.older()
  expect(reader.places).toContain("Error: gone")
  expect(reader.asked.length).toBe(1)
})

test("of an output whose beginning is not there any more the start is what is left, and that is said", async () => {
  const reader = new Reader(20 * megabyte)
  reader.gone = 12 * megabyte
  reader.held.live(reader.text(reader.bytes.length - 19_000, reader.bytes.length), reader.bytes.length, false)
  expect(reader.held.toStart()).toBe(true)
  const [first] = await reader.lines()
  expect(first).toBe(Math.ceil(reader.gone / lineBytes))
  reader.held.older()
  await reader.lines()
  const texts = (): readonly string[] =>
    reader.held.blocks.flatMap(({ lines }) => lines.map((line) => line.map(({ text }) => text).join("")))
  expect(
    texts()
      .map((text) => text === "[gone]")
      .lastIndexOf(true),
  ).toBe(0)
  const asked = reader.asked.length
  reader.held.older()
  expect(reader.asked.length).toBe(asked)
  // What goes while it is read is passed over.
  reader.gone = 18 * megabyte
  for (let round = 0; round < 40; round++) {
    reader.held.newer()
    await reader.answered()
  }
  expect(texts().at(-1)).toContain(String(reader.bytes.length / lineBytes - 1))
  expect(reader.asked.length).toBeLessThan(asked + 20)
})

test("of a command that prints for hours only so much is held, whether its end is followed or not", async () => {
  const reader = new Reader(11 * megabyte)
  const step = 190_000
  const grow = (from: number, to: number, reading: boolean): void => {
    for (let at = from + step; at <= to; at += step) {
      reader.held.live(reader.text(Math.max(0, at - 209_000), at), at, reading)
      const { stretch } = reader.held
      expect((stretch?.to ?? at) - (stretch?.from ?? 0)).toBeLessThan(9 * megabyte)
    }
  }
  grow(0, 9 * megabyte, false)
  const [first] = await reader.lines()
  expect(first).toBeGreaterThan(1_000)
  grow(Math.floor((9 * megabyte) / step) * step, 11 * megabyte, true)
  expect((await reader.lines())[0]).toBe(first)
  for (let round = 0; round < 12; round++) {
    reader.held.newer()
    await reader.answered()
  }
  expect((await reader.lines())[1]).toBeGreaterThan((10.5 * megabyte) / lineBytes)
})
