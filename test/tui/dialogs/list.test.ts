import { expect, test } from "bun:test"
import { ask, chosen, listRows, makeList, scroll, walk } from "../../../src/tui/dialogs/list.ts"

const items = ["opus", "sonnet", "haiku", "opera"].map((label) => ({ key: label, label }))

test("a list begins at the item that it is given", () => {
  expect(chosen(makeList(items, "", "haiku"))?.key).toBe("haiku")
  expect(chosen(makeList(items, "", "gone"))?.key).toBe("opus")
})

test("typing narrows to the best match, and taking it back leaves the bar where it was", () => {
  const narrowed = ask(makeList(items, "", "sonnet"), "hai")
  expect(narrowed.shown.map(({ key }) => key)).toEqual(["haiku"])
  expect(chosen(ask(narrowed, ""))?.key).toBe("haiku")
})

test("one step goes round at the ends, a page stops there", () => {
  const list = makeList(items, "", undefined)
  expect(chosen(walk(list, -1))?.key).toBe("opera")
  expect(chosen(walk(walk(list, -1), 1))?.key).toBe("opus")
  expect(chosen(walk(list, 10))?.key).toBe("opera")
  expect(chosen(walk(list, -10))?.key).toBe("opus")
})

test("nothing is chosen where nothing matches, and walking there is harmless", () => {
  const list = walk(ask(makeList(items, "", undefined), "zzz"), 1)
  expect(chosen(list)).toBeUndefined()
})

test("groups have a heading while nothing narrows the list, and none among what was found", () => {
  const grouped = items.map((item, at) => ({ ...item, group: at < 2 ? "first" : "second" }))
  const list = makeList(grouped, "", undefined)
  expect(listRows(list)).toEqual([
    { heading: "first" },
    { place: 0 },
    { place: 1 },
    { heading: "second" },
    { place: 2 },
    { place: 3 },
  ])
  expect(listRows(ask(list, "op")).some((row) => "heading" in row)).toBe(false)
  expect(listRows(makeList(items, "", undefined)).some((row) => "heading" in row)).toBe(false)
})

test("the view moves as little as it can to hold the bar", () => {
  expect(scroll(0, 3, 5, 20)).toBe(0)
  expect(scroll(0, 7, 5, 20)).toBe(3)
  expect(scroll(10, 4, 5, 20)).toBe(4)
  expect(scroll(18, 19, 5, 20)).toBe(15)
})
