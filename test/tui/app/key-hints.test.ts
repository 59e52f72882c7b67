import { expect, test } from "bun:test"
import { parseKeys } from "../../../src/home/chord.ts"
import { hintRows, keyHints } from "../../../src/tui/status/key-hints.ts"
import { openRobot } from "../../support/screen.ts"
import { builtInKeymapShelf } from "../../support/screen-shelves.ts"

test("after a leader that waits, the keys that may follow stand over the editor with what they do, until one is pressed", async () => {
  const robot = await openRobot({ columns: 120 })
  await robot.press("ctrl+x")
  robot.hides(" q          Quit  ")
  await robot.wait(300)
  robot.shows(" q          Quit  ")
  robot.shows(" z          Give the focused panel")
  await robot.wait(5_000)
  robot.shows(" q          Quit  ")
  await robot.press("t")
  robot.hides(" q          Quit  ")
  robot.shows("─ Theme ─")
  await robot.close()
})

test("Escape puts the hints away and stops nothing", async () => {
  const robot = await openRobot({ columns: 120 })
  await robot.press("ctrl+x")
  await robot.wait(300)
  await robot.press("escape")
  robot.hides(" q          Quit  ")
  expect(robot.host.asked.map(({ type }) => type)).not.toContain("abort")
  await robot.close()
})

test("on a screen of 40 by 10 the hints leave the editor and say how many keys are not shown", async () => {
  const robot = await openRobot({ columns: 40, rows: 10 })
  await robot.press("ctrl+x")
  await robot.wait(300)
  robot.shows(" …          ")
  robot.shows("›")
  for (const row of robot.frame().split("\n")) expect(row.length).toBeLessThanOrEqual(40)
  await robot.close()
})

test("keys of one command are told apart by what they give it", () => {
  const keymap = builtInKeymapShelf.load("vim")?.keymap
  if (keymap === undefined) throw new Error("the built-in keymap is broken")
  const [keys = []] = parseKeys("d") as readonly (readonly never[])[]
  const hints = keyHints(keymap, ["editor.normal", "editor", "global"], keys)
  expect(hints.find(({ key }) => key === "w")?.text).toBe("delete wordStartRight")
  expect(hints.find(({ key }) => key === "d")?.text).toBe("delete line")
})

test("hints can be turned off", async () => {
  const robot = await openRobot({ columns: 120, settings: { keyHintsMs: 0 } })
  await robot.press("ctrl+x")
  await robot.wait(900)
  robot.hides(" q          Quit  ")
  await robot.close()
})

test("a key that begins a longer sequence stands once, with how many are behind it", () => {
  const keymap = builtInKeymapShelf.load("emacs")?.keymap
  if (keymap === undefined) throw new Error("the built-in keymap is broken")
  const first = keyHints(keymap, ["editor", "global"], [])
  expect(first.find(({ key }) => key === "ctrl+x")?.text).toMatch(/^\d+ more …$/)
  const [keys] = parseKeys("ctrl+x") as readonly (readonly never[])[]
  const next = keyHints(keymap, ["editor", "global"], keys ?? [])
  expect(new Set(next.map(({ key }) => key)).size).toBe(next.length)
  expect(hintRows(next, { columns: 80, rows: 100 }).rows.flat()).toHaveLength(next.length)
  expect(hintRows(next, { columns: 60, rows: 3 }).rows.flat()).toHaveLength(6)
})
