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
    turns.inOrder(slow, "changes", work("first")),
    turns.inOrder(async () => "file", "looks", work("second")),
    turns.inOrder(slow, "changes", work("third")),
  ])
  expect(order).toEqual(["first begins", "first ends", "second begins", "second ends", "third begins", "third ends"])
})

test("work on another key, or on none, does not wait for the work before it", async () => {
  const turns = new Turns()
  const gate = Promise.withResolvers<void>()
  const first = turns.inOrder(
    async () => "a",
    "changes",
    () => gate.promise,
  )
  expect(
    await turns.inOrder(
      async () => "b",
      "changes",
      async () => "other",
    ),
  ).toBe("other")
  expect(
    await turns.inOrder(
      async () => undefined,
      "changes",
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
    "changes",
    async () => "never",
  )
  const next = turns.inOrder(
    async () => "a",
    "changes",
    async () => "went on",
  )
  await expect(lost).rejects.toThrow("no key")
  expect(await next).toBe("went on")
})

test("what may look at anything begins behind the changes that were asked for before, and waits for no look", async () => {
  const turns = new Turns()
  const [change, look] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const order: string[] = []
  const changed = turns.inOrder(
    async () => "a",
    "changes",
    () => change.promise.then(() => void order.push("changed")),
  )
  const looked = turns.inOrder(
    async () => "b",
    "looks",
    () => look.promise.then(() => void order.push("looked")),
  )
  const behind = turns.behind(async () => void order.push("behind"))
  const failed = turns.inOrder(
    async () => "c",
    "changes",
    () => Promise.reject(new Error("no room")),
  )
  await expect(failed).rejects.toThrow("no room")
  expect(order).toEqual([])
  change.resolve()
  await Promise.all([changed, behind])
  look.resolve()
  await looked
  expect(order).toEqual(["changed", "behind", "looked"])
  await turns.behind(async () => void order.push("after a failure"))
  expect(order.at(-1)).toBe("after a failure")
})
