import { expect, test } from "bun:test"
import { ScriptedHost } from "../../support/scripted-host.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

async function conversation(): Promise<Robot> {
  const robot = await openRobot({ columns: 80, rows: 20 })
  for (let turn = 0; turn < 40; turn++) {
    robot.host.input(`question ${turn}`)
    robot.host.answer(turn === 3 ? "the Needle is here" : `answer ${turn}`)
  }
  await robot.wait(300)
  return robot
}

test("a search counts without moving what is read, and Enter goes to the match and stays", async () => {
  const robot = await conversation()
  const before = robot.frame().split("\n").slice(0, 10)
  await robot.press("ctrl+f")
  await robot.type("needle")
  await robot.wait(100)
  robot.shows("needle")
  expect(robot.frame()).toMatch(/\? needle +1\n/)
  expect(robot.frame().split("\n").slice(0, 10)).toEqual(before)
  await robot.press("enter")
  robot.shows("the Needle is here")
  await robot.press("ctrl+f")
  robot.shows("the Needle is here")
  await robot.close()
})

test("beside an open panel it is the conversation that is searched and scrolled, as long as the panel has no focus", async () => {
  const robot = await openRobot({ columns: 120, rows: 20 })
  for (let turn = 0; turn < 40; turn++) robot.host.answer(turn === 3 ? "the Needle is here" : `answer ${turn}`)
  await robot.wait(300)
  await robot.press("ctrl+x j")
  robot.shows("Nothing is running.")
  robot.shows("answer 39")
  await robot.press("ctrl+f")
  await robot.type("needle")
  await robot.wait(100)
  expect(robot.frame()).toMatch(/\? needle +1\n/)
  await robot.press("escape", "ctrl+home")
  robot.shows("answer 0")
  await robot.close()
})

test("Escape ends a search where it began", async () => {
  const robot = await conversation()
  const before = robot.frame()
  await robot.press("ctrl+f")
  await robot.type("needle")
  await robot.wait(100)
  await robot.press("up")
  robot.shows("the Needle is here")
  await robot.press("escape")
  expect(robot.frame()).toBe(before)
  await robot.close()
})

test("a capital letter finds only itself", async () => {
  const robot = await conversation()
  await robot.press("ctrl+f")
  await robot.type("NEEDLE")
  await robot.wait(100)
  robot.shows("nothing found")
  await robot.close()
})

test("the next and the previous match are a key away, with their number", async () => {
  const robot = await conversation()
  await robot.press("ctrl+f")
  await robot.type("question")
  await robot.wait(100)
  await robot.press("down")
  expect(robot.frame()).toMatch(/\d+\/40/)
  const first = /(\d+)\/40/.exec(robot.frame())?.[1]
  await robot.press("down")
  expect(/(\d+)\/40/.exec(robot.frame())?.[1]).not.toBe(first)
  await robot.press("up")
  expect(/(\d+)\/40/.exec(robot.frame())?.[1]).toBe(first)
  await robot.close()
})

test("in the scrollback a slash searches and n goes on after Enter", async () => {
  const robot = await conversation()
  await robot.press("ctrl+x up", "/")
  await robot.type("question 1")
  await robot.wait(100)
  await robot.press("enter")
  const first = robot.frame()
  await robot.press("n")
  expect(robot.frame()).not.toBe(first)
  expect(robot.state.focus).toEqual({ area: "panel", id: "chat" })
  await robot.close()
})

test("a regular expression is asked for by a key, and a broken one says why", async () => {
  const robot = await conversation()
  await robot.press("ctrl+f", "alt+r")
  await robot.type("N..dle")
  await robot.wait(100)
  expect(robot.frame()).toMatch(/1 · regex/)
  await robot.press("ctrl+u")
  await robot.type("(")
  await robot.wait(100)
  expect(robot.frame()).not.toMatch(/\d · regex/)
  await robot.close()
})

test("page keys scroll while the editor keeps the focus, and what is new below is counted (125)", async () => {
  const robot = await conversation()
  await robot.press("pageup", "pageup")
  const reading = robot.frame().split("\n").slice(0, 10)
  robot.host.answer("brand new")
  await robot.wait(300)
  expect(robot.frame().split("\n").slice(0, 10)).toEqual(reading)
  expect(robot.frame()).toMatch(/1 new ↓/)
  await robot.press("ctrl+end")
  robot.shows("brand new")
  robot.hides("1 new ↓")
  await robot.type("typed")
  expect(robot.prompt).toBe("typed|")
  await robot.close()
})

test("what was searched for before comes back, also in another life of the program", async () => {
  const robot = await conversation()
  for (const query of ["question 1", "needle", "question 1"]) {
    await robot.press("ctrl+f")
    await robot.type(query)
    await robot.wait(50)
    await robot.press("escape")
  }
  await robot.press("ctrl+f", "up")
  robot.shows("? question 1")
  // With matches the arrows go to them; with Alt they go on through what was asked.
  await robot.press("alt+up")
  robot.shows("? needle")
  expect(robot.frame()).toMatch(/\? needle +1\n/)
  await robot.press("alt+up")
  robot.shows("? needle")
  await robot.press("alt+down", "alt+down")
  expect(robot.frame()).toMatch(/\? search\b/)
  await robot.press("escape")
  await robot.wait(300)
  await robot.close()
  const kept = robot.host.asked.findLast((command) => command.type === "screen")
  const host = new ScriptedHost()
  if (kept?.type !== "screen") throw new Error("nothing was kept")
  host.documents = [{ conversation: 0, name: "screen/main", value: kept.value as never }]
  host.entries = robot.host.entries
  const again = await openRobot({ columns: 80, rows: 20, host })
  await again.wait(300)
  await again.press("ctrl+f", "up")
  again.shows("? question 1")
  await again.close()
})

test("where the search line was left the rule comes back at once, also where nothing was said that could be marked", async () => {
  const robot = await openRobot({ columns: 80, rows: 20 })
  await robot.wait(300)
  const before = robot.frame()
  await robot.press("ctrl+f")
  await robot.resize(82, 20)
  await robot.resize(80, 20)
  expect(robot.frame()).not.toBe(before)
  await robot.press("escape")
  expect(robot.frame()).toBe(before)
  await robot.close()
})
