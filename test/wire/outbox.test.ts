import { expect, test } from "bun:test"
import { backlogBytesMax, backlogFramesMax } from "../../src/protocol/port.ts"
import type { Connection } from "../../src/wire/connection.ts"
import { keptBytesMax, Outbox } from "../../src/wire/outbox.ts"

/** Takes `room` bytes, and what it took is `taken`. */
class Narrow implements Connection {
  room = 0
  taken = ""

  write(bytes: Uint8Array): number {
    const part = bytes.subarray(0, this.room)
    this.room -= part.length
    this.taken += new TextDecoder().decode(part)
    return part.length
  }

  close(): void {}
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

function narrow(): { pipe: Narrow; outbox: Outbox } {
  const pipe = new Narrow()
  return { pipe, outbox: new Outbox(pipe) }
}

test("bytes go in order, however little is taken at a time", () => {
  const { pipe, outbox } = narrow()
  outbox.frame(text("one "))
  outbox.keep(text("two "))
  outbox.frame(text("three"))
  while (!outbox.empty) {
    pipe.room = 1
    outbox.flush()
  }
  expect(pipe.taken).toBe("one two three")
})

test("dropped frames are gone, what must arrive stays, and a frame that has begun is ended", () => {
  const { pipe, outbox } = narrow()
  pipe.room = 2
  outbox.frame(text("begun "))
  outbox.frame(text("dropped "))
  outbox.keep(text("reply"))
  outbox.dropFrames()
  pipe.room = 100
  outbox.flush()
  expect(pipe.taken).toBe("begun reply")
})

test("a frame more than the limit of frames does not fit, and room is made by taking or dropping", () => {
  const { pipe, outbox } = narrow()
  for (let count = 0; count < backlogFramesMax; count++) expect(outbox.frame(text("x"))).toBe(true)
  expect(outbox.frame(text("x"))).toBe(false)
  pipe.room = 1
  outbox.flush()
  expect(outbox.frame(text("x"))).toBe(true)
  expect(outbox.frame(text("x"))).toBe(false)
  outbox.dropFrames()
  expect(outbox.empty).toBe(true)
  expect(outbox.frame(text("x"))).toBe(true)
})

test("a byte more than the limit of bytes does not fit", () => {
  const { outbox } = narrow()
  expect(outbox.frame(new Uint8Array(backlogBytesMax))).toBe(true)
  expect(outbox.frame(text("x"))).toBe(false)
  outbox.dropFrames()
  expect(outbox.frame(text("x"))).toBe(true)
})

test("what must arrive does not count as a backlog of frames, and has a limit of its own", () => {
  const { outbox } = narrow()
  expect(outbox.keep(new Uint8Array(keptBytesMax))).toBe(true)
  expect(outbox.frame(text("x"))).toBe(true)
  expect(outbox.keep(text("x"))).toBe(false)
})

test("a frame larger than the limit fits where no other waits", () => {
  const { outbox } = narrow()
  outbox.keep(text("reply"))
  expect(outbox.frame(new Uint8Array(backlogBytesMax + 1))).toBe(true)
  expect(outbox.frame(text("x"))).toBe(false)
})
