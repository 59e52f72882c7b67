import { expect, test } from "bun:test"
import { openChat } from "../../../src/tui/panels/chat.ts"
import { picture } from "../rows/support.ts"
import type { Port } from "../../../src/protocol/port.ts"
import { answered, called, gave, noPort, openPanel, said, viewOf } from "./support.ts"

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

const work = [
  said("run it"),
  answered([
    { type: "text", text: "I **run** it:\n\n```sh\nnpm test\nnpm run more\n```" },
    { type: "toolCall", id: "c9", name: "bash", arguments: { command: "npm test\nnpm run more" } },
  ]),
  gave("c9", "bash", "\x1b[32mok\x1b[0m 1\nok 2\n", { title: "npm test", task: 9 }),
  answered("Ran."),
]

test("a message, its code, a command and its output are each copied as they were written", async () => {
  await using screen = await openPanel(openChat, 60, 30)
  const { panel, heard } = screen
  screen.show(viewOf(work))
  await screen.frame()
  const copied = (index: number, name: string): string | undefined => {
    panel.rows.choose(index)
    return panel.commands[name]?.() === true ? heard.copied.at(-1) : undefined
  }
  expect(copied(1, "block.copy")).toBe("I **run** it:\n\n```sh\nnpm test\nnpm run more\n```")
  expect(copied(1, "block.copyCode")).toBe("npm test\nnpm run more")
  expect(copied(2, "block.copyCommand")).toBe("npm test\nnpm run more")
  expect(copied(2, "block.copyOutput")).toBe("ok 1\nok 2\n")
  expect(copied(0, "block.copyCommand")).toBeUndefined()
  expect(copied(0, "block.copyOutput")).toBeUndefined()
})

test("an output that is held in part is fetched to be copied, and one that no clipboard takes is not", async () => {
  const cut = (bytes: number) =>
    viewOf([
      called("c1", "bash", { command: "seq" }),
      gave("c1", "bash", "… 3", { task: 9, output: { path: "/out/9", bytes } }),
    ])
  const asked: unknown[] = []
  const port: Port = {
    ...noPort,
    request: (command) => {
      asked.push(command)
      return Promise.resolve({ text: "1\n2\n3\n" } as never)
    },
  }
  await using screen = await openPanel(openChat, 60, 10, { port })
  screen.show(cut(6))
  await screen.frame()
  expect(screen.panel.commands["block.copyOutput"]?.()).toBe(true)
  await screen.frame()
  expect(asked).toEqual([{ type: "output", task: 9, from: 0, to: 6 }])
  expect(screen.heard.copied).toEqual(["1\n2\n3\n"])
  screen.show(cut(5_000_000))
  screen.panel.commands["block.copyOutput"]?.()
  expect(asked).toHaveLength(1)
  expect(screen.heard.said).toEqual([
    "5,000,000 bytes are too much for a clipboard: open the output in your editor instead",
  ])
})

test("responses are gone to one after the other, whatever they begin with", async () => {
  await using screen = await openPanel(openChat, 60, 4)
  screen.show(viewOf([...entries, ...work]))
  await screen.frame()
  const tops: string[] = []
  while (screen.panel.commands["scroll.previousTurn"]?.() === true) {
    tops.push((await screen.frame()).split("\n")[0]?.trim() ?? "")
  }
  expect(tops).toEqual(["I run it:", "Done", "▸ ✓ bash npm test", "▸ Thinking, 11 characters"])
  expect(screen.panel.commands["scroll.nextTurn"]?.()).toBe(true)
  expect((await screen.frame()).trim()).toStartWith("▸ ✓ bash npm test")
})

/** Forty inputs in each of two conversations. */
const long = Array.from({ length: 80 }, (_, n) => ({ ...said(`input ${n}`), conversation: n < 40 ? 1 : 2 }))
const apart = {
  ...viewOf(long),
  conversations: new Map([1, 2].map((id) => [id, { id, parent: null, owner: null }])),
}

test("each conversation keeps its place while another one is read", async () => {
  await using screen = await openPanel(openChat, 60, 6)
  const { panel, input } = screen
  const shown = async (conversation: number): Promise<string> => {
    panel.update({ ...input, view: apart, conversation })
    return screen.frame()
  }
  await shown(1)
  panel.rows.scrollBy(-30)
  const first = await screen.frame()
  expect(await shown(2)).toContain("input 79")
  panel.rows.scrollBy(-9)
  const second = await screen.frame()
  expect(await shown(1)).toBe(first)
  expect(await shown(2)).toBe(second)
  panel.rows.toBottom()
  await shown(1)
  expect(await shown(2)).toContain("input 79")
})

test("a place outlives the program: older entries are asked for until it is there, or until the reader goes elsewhere", async () => {
  await using before = await openPanel(openChat, 60, 6)
  before.show(apart)
  await before.frame()
  before.panel.rows.scrollBy(-90)
  const place = await before.frame()
  const kept = before.panel.places?.save()
  expect(kept).toBeDefined()
  for (const elsewhere of [false, true]) {
    await using after = await openPanel(openChat, 60, 6)
    after.panel.places?.restore("s", kept ?? null)
    const part = { ...apart, entries: long.slice(30), older: new Set([1]) }
    after.show(part)
    expect(await after.frame()).toContain("input 39")
    expect(after.heard.older).toBe(1)
    if (elsewhere) after.panel.rows.scrollBy(-1)
    after.show(apart)
    if (elsewhere) expect(await after.frame()).not.toBe(place)
    else expect(await after.frame()).toBe(place)
  }
})
