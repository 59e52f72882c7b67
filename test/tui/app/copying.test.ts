/** Copying from the keyboard, as a person does it: what the keys are is said, and what was sent where. */
import { expect, test } from "bun:test"
import { openRobot, type Robot } from "../../support/screen.ts"

/** What the screen put on the clipboard, in order. */
function listening(robot: Robot): readonly string[] {
  const copied: string[] = []
  robot.renderer.copyToClipboardOSC52 = (text) => {
    copied.push(text)
    return true
  }
  return copied
}

test("selecting says its keys, goes by vim's and by arrows, and says how much went where", async () => {
  const robot = await openRobot({ columns: 80, rows: 20 })
  const copied = listening(robot)
  robot.host.input("a question")
  robot.host.answer("First words here.\n\n```ts\nconst a = 1\nconst b = 2\n```\n\nLast words.")
  await robot.wait(300)
  await robot.press("ctrl+x", "[")
  robot.shows("v selects · y copies · escape leaves  COPY")
  await robot.press("k", "k", "c", "y")
  expect(copied).toEqual(["const a = 1\nconst b = 2"])
  robot.shows("23 bytes sent to the terminal")
  robot.hides("COPY")
  await robot.press("v", "g", "g", "w", "v", "G", "y")
  expect(copied.at(-1)).toStartWith("question\n\nFirst words")
  expect(copied.at(-1)).toEndWith("const b = 2\n\nLast words.")
  await robot.press("v", "ctrl+home", "down", "end", "space", "ctrl+left", "enter")
  expect(copied.at(-1)).toBe("here.")
  await robot.close()
})

test("the mouse can be let go of, so that the terminal selects by itself, and taken again", async () => {
  const robot = await openRobot({ columns: 80, rows: 20 })
  await robot.press("ctrl+x", "M")
  expect(robot.renderer.useMouse).toBe(false)
  await robot.press("ctrl+x", "M")
  expect(robot.renderer.useMouse).toBe(true)
  await robot.close()
})
