import { expect, test } from "bun:test"
import { Store } from "../../../src/tui/viewport/store.ts"
import { block, source, type TestBlock } from "./blocks.ts"

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")

/** A store of these blocks, all laid out. */
function laid(store: Store<TestBlock>, blocks: readonly TestBlock[]): void {
  store.setBlocks(blocks)
  for (let index = 0; index < store.count; index++) store.layout(index)
}

test("rows of blocks that are gone are not kept, those of the others are", () => {
  const store = new Store<TestBlock>(source, "unicode")
  const stays = block("stays", lines(10))
  // An output that comes faster than anybody reads is another one at every look.
  for (let look = 0; look < 1_000; look++) {
    laid(store, [stays, block(`look ${look}`, lines(100))])
    expect(store.laidRows).toBe(110)
  }
  const kept = store.layout(0)
  laid(store, [block("before", lines(5)), stays])
  expect(store.layout(1)).toBe(kept)
  expect(store.laidRows).toBe(15)
  // The same place, changed.
  laid(store, [block("before", lines(7)), stays])
  expect(store.laidRows).toBe(17)
  store.forget()
  expect(store.laidRows).toBe(0)
})

test("of many long blocks only so many rows are kept as somebody scrolls through soon", () => {
  const store = new Store<TestBlock>(source, "unicode")
  laid(
    store,
    Array.from({ length: 300 }, (_, at) => block(`b${at}`, lines(200))),
  )
  expect(store.laidRows).toBeLessThanOrEqual(20_000)
  expect(store.laidRows).toBeGreaterThan(5_000)
  // One that is longer than all of that is kept as long as it is looked at.
  laid(store, [block("long", lines(30_000))])
  expect(store.layout(0)).toBe(store.layout(0))
})
