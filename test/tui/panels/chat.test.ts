import { expect, test } from "bun:test"
import { openChat } from "../../../src/tui/panels/chat.ts"
import { picture } from "../rows/support.ts"
import { answered, called, gave, openPanel, said, viewOf } from "./support.ts"

const entries = [
  said("Fix x.ts"),
  answered([
    { type: "thinking", thinking: "Look first." },
    { type: "text", text: "Looking at `x.ts`." },
  ]),
  called("c1", "bash", { command: "npm test" }),
  gave("c1", "bash", "one\ntwo\nthree\nfour\nfive\nsix\n", { title: "npm test", task: 42 }),
  answered("# Done\n\n- fixed\n- tested"),
]

const conversation = `
   › Fix x.ts

   ▸ Thinking, 11 characters

   Looking at x.ts.

   ▸ ✓ bash npm test
   │ … 3 more lines
   │ four
   │ five
   │ six

   Done

   • fixed
   • tested
`

test("a conversation is drawn, at every size", async () => {
  for (const [width, height] of [
    [200, 50],
    [100, 30],
    [60, 20],
  ] as const) {
    await using screen = await openPanel(openChat, width, height)
    screen.show(viewOf(entries))
    expect(await screen.frame()).toBe(indented(conversation))
  }
  await using small = await openPanel(openChat, 40, 10)
  small.show(viewOf(entries))
  expect((await small.frame()).split("\n")).toEqual(indented(conversation).split("\n").slice(-10))
})

/** The picture with the column that is kept for the mark of the current block. */
function indented(text: string): string {
  return picture(text)
    .split("\n")
    .map((row) => (row === "" ? row : ` ${row}`))
    .join("\n")
}

test("its commands fold, unfold, jump, copy and open", async () => {
  await using screen = await openPanel(openChat, 60, 30)
  const { panel, heard } = screen
  screen.show(viewOf(entries))
  await screen.frame()
  const run = (name: string): boolean => panel.commands[name]?.() ?? false
  expect(run("thinking.toggle")).toBe(true)
  expect(await screen.frame()).toContain("│ Look first.")
  run("thinking.toggle")
  expect(run("block.foldAll")).toBe(true)
  expect(await screen.frame()).toContain("│ one")
  expect(run("block.open")).toBe(true)
  expect(heard.opened).toEqual([42])
  expect(run("message.copy")).toBe(true)
  expect(heard.copied).toEqual(["# Done\n\n- fixed\n- tested"])
  expect(run("block.copy")).toBe(true)
  expect(heard.copied.at(-1)).toBe("bash npm test\none\ntwo\nthree\nfour\nfive\nsix")
})

test("the start in view asks for what is older, where there is more", async () => {
  await using screen = await openPanel(openChat, 60, 30)
  screen.show(viewOf(entries))
  await screen.frame()
  expect(screen.heard.older).toBe(0)
  screen.show({ ...viewOf(entries), older: new Set([1]) })
  await screen.frame()
  expect(screen.heard.older).toBeGreaterThan(0)
})

test("an update with nothing new draws nothing", async () => {
  await using screen = await openPanel(openChat, 60, 30)
  const view = viewOf(entries)
  screen.show(view)
  await screen.frame()
  const { changes } = screen.heard
  for (let round = 0; round < 5; round++) screen.show(view)
  expect(screen.heard.changes).toBe(changes)
})

test("a place survives older entries, and is found again by its key", async () => {
  await using screen = await openPanel(openChat, 60, 6)
  screen.show(viewOf(entries))
  screen.panel.rows.scrollBy(-5)
  const before = await screen.frame()
  const { place } = screen.panel.rows
  screen.show(viewOf([said("older"), answered("much older"), ...entries]))
  expect(await screen.frame()).toBe(before)
  screen.panel.rows.toBottom()
  expect(screen.panel.rows.restorePlace(place)).toBe(true)
  expect(await screen.frame()).toBe(before)
})
