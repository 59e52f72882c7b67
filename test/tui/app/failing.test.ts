/** What fails beside the conversation is said in a sentence: it costs no input, and is not written across the screen. */
import { expect, test } from "bun:test"
import { takeConsole } from "../../../src/tui/console.ts"
import { openRobot } from "../../support/screen.ts"

const readOnly = (): never => {
  throw new Error("EROFS: read-only file system")
}

test("an input that the history cannot keep is sent all the same, and the person is told", async () => {
  const robot = await openRobot({ options: { history: { load: () => [], append: readOnly } } })
  await robot.type("fix the bug")
  await robot.press("enter")
  expect(robot.host.submitted).toEqual(["fix the bug"])
  robot.shows("This is not kept in the history: EROFS: read-only file system")
  await robot.close()
})

test("a key whose work throws is told, and the next one works", async () => {
  let loads = 0
  const load = (): readonly string[] => (loads++ === 0 ? [] : readOnly())
  const robot = await openRobot({ options: { history: { load, append: () => {} } } })
  await robot.press("ctrl+r")
  robot.shows("A key failed, which is a bug: EROFS: read-only file system")
  await robot.type("on")
  expect(robot.prompt).toBe("on|")
  await robot.close()
})

test("what a library says on the console is heard and not written, and the console is given back", () => {
  const written: unknown[] = []
  const writes = (...values: unknown[]): void => void written.push(...values)
  const own: Console = { ...console, error: writes, log: writes }
  const heard: string[] = []
  const giveBack = takeConsole(own, (text) => heard.push(text))
  own.error("lost", { at: 3 }, new Error("broken"))
  own.log("chatter")
  expect(heard).toEqual(["lost {\n  at: 3,\n} broken"])
  expect(written).toEqual([])
  giveBack()
  own.error("again")
  expect(written).toEqual(["again"])
})

test("a command that was named and does not apply says why, from the slash and from the palette", async () => {
  const robot = await openRobot()
  await robot.type("/copy")
  await robot.press("escape", "enter")
  robot.shows("There is no answer to copy yet")
  await robot.type("/continue")
  await robot.press("escape", "enter")
  robot.shows("Nothing was interrupted")
  await robot.press("ctrl+p")
  await robot.type("search.next")
  await robot.press("enter")
  robot.shows("› To the next match  nothing is being searched for")
  await robot.press("escape")
  robot.screen.app.call("block.copyCode")
  await robot.draw()
  robot.shows("Nothing was said yet")
  await robot.close()
})
