import { expect, test } from "bun:test"
import { Turns } from "../../src/engine/turns.ts"

const ticks = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await Promise.resolve()
}

test("work on one key runs in the order of the calls, however long each takes to find its key", async () => {
  const turns = new Turns()
  const order: string[] = []
  const work = (name: string) => async (): Promise<void> => {
    order.push(`${name} begins`)
    await ticks(3)
    order.push(`${name} ends`)
  }
  const slow = async (): Promise<string> => {
    await ticks(20)
    return "file"
  }
  await Promise.all([
    turns.inOrder(slow, work("first")),
    turns.inOrder(async () => "file", work("second")),
    turns.inOrder(slow, work("third")),
  ])
  expect(order).toEqual(["first begins", "first ends", "second begins", "second ends", "third begins", "third ends"])
})

test("work on another key, or on none, does not wait for the work before it", async () => {
  const turns = new Turns()
  const gate = Promise.withResolvers<void>()
  const first = turns.inOrder(
    async () => "a",
    () => gate.promise,
  )
  expect(
    await turns.inOrder(
      async () => "b",
      async () => "other",
    ),
  ).toBe("other")
  expect(
    await turns.inOrder(
      async () => undefined,
      async () => "none",
    ),
  ).toBe("none")
  gate.resolve()
  await first
})

test("a key that cannot be found fails its own call alone", async () => {
  const turns = new Turns()
  const lost = turns.inOrder(
    () => Promise.reject(new Error("no key")),
    async () => "never",
  )
  const next = turns.inOrder(
    async () => "a",
    async () => "went on",
  )
  await expect(lost).rejects.toThrow("no key")
  expect(await next).toBe("went on")
})
