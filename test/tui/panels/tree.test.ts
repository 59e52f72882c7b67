import { expect, test } from "bun:test"
import type { EntryData, EntryRecord } from "../../../src/protocol/records.ts"
import { emptyView, type View } from "../../../src/protocol/view.ts"
import { openTreePanel } from "../../../src/tui/panels/tree.ts"
import { openRobot } from "../../support/screen.ts"
import { noon, openPanel } from "./support.ts"

function entry(id: number, conversation: number, data: EntryData): EntryRecord {
  return { id, conversation, at: noon - 120_000, byTask: null, data }
}

function input(id: number, conversation: number, text: string): EntryRecord {
  return entry(id, conversation, { kind: "user", content: [{ type: "text", text }], submission: id })
}

const forked: View = {
  ...emptyView,
  session: "s",
  conversations: new Map([
    [1, { id: 1, parent: null, owner: null }],
    [2, { id: 2, parent: { conversation: 1, entry: 3 }, owner: null }],
  ]),
  entries: [
    input(3, 1, "first"),
    input(5, 1, "second"),
    entry(6, 1, { kind: "shell", command: "ls", output: "", exit: 0, excluded: false, durationMs: 1 }),
    input(21, 2, "another way"),
    input(22, 2, "and on"),
  ],
}

test("the session is a tree of inputs with where one is, and a fork is folded to its first row", async () => {
  await using screen = await openPanel(openTreePanel, 50, 10)
  screen.show(forked)
  expect(await screen.frame()).toBe(
    [" › first  2 min", "   › another way  2 min", "   › and on  2 min", " › second  2 min"].join("\n"),
  )
  screen.panel.commands["tree.filter"]?.()
  expect(await screen.frame()).toContain("· ! ls  here · 2 min")
  expect(screen.panel.title()).toBe("tree: without tools")
  screen.panel.commands["block.next"]?.()
  screen.panel.commands["block.next"]?.()
  expect(screen.panel.commands["block.fold"]?.()).toBe(true)
  expect(await screen.frame()).toContain("› another way  ▸ 1 more · 2 min")
  expect(await screen.frame()).not.toContain("and on")
  expect(screen.panel.commands["block.fold"]?.()).toBe(true)
  expect(await screen.frame()).toContain("and on")
})

test("a point is shown in its conversation, and gone back to by a key of its own", async () => {
  await using screen = await openPanel(openTreePanel, 50, 10)
  screen.show(forked)
  await screen.frame()
  screen.panel.commands["block.next"]?.()
  screen.panel.commands["block.next"]?.()
  screen.panel.commands["block.open"]?.()
  expect(screen.heard.went).toEqual([[2, 21]])
  screen.panel.commands["tree.fork"]?.()
  expect(screen.heard.forked).toEqual([21])
})

test("a key shows the tree, from which an earlier input is gone back to with the question that belongs to it", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.input("the first thing")
  robot.host.answer("done")
  robot.host.input("the second thing")
  await robot.wait(100)
  await robot.press("ctrl+x G")
  robot.shows("│ tree: inputs ─")
  robot.shows("│ › the first thing  ")
  await robot.press("ctrl+x right", "tab", "j", "enter")
  await robot.wait(10)
  expect(robot.state.focus).toEqual({ area: "panel", id: "chat" })
  await robot.press("tab", "F")
  await robot.draw()
  robot.shows("─ Go back ─")
  await robot.close()
})

test("before anything was said the tree says so", async () => {
  await using screen = await openPanel(openTreePanel, 50, 10)
  screen.show({ ...emptyView, session: "s" })
  expect(await screen.frame()).toContain("Nothing was said yet.")
  expect(screen.panel.commands["block.open"]?.()).toBe(false)
})
