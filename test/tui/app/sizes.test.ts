import { expect, test } from "bun:test"
import { openRobot, type Robot } from "../../support/screen.ts"

const sizes: readonly (readonly [number, number])[] = [
  [200, 50],
  [100, 30],
  [60, 20],
  [40, 10],
]

async function busy(robot: Robot): Promise<void> {
  robot.host.input("why does it fail?")
  robot.host.answer("because of **this**")
  robot.host.begin(robot.clock.now())
  robot.host.submission("and then that", "steer")
  await robot.wait(300)
}

test.each(sizes)("at %d by %d what was said, what goes on and the prompt can be seen", async (columns, rows) => {
  const robot = await openRobot({ columns, rows })
  await busy(robot)
  await robot.type("typed")
  robot.shows("because of this")
  robot.shows("› typed")
  robot.shows("● ")
  const lines = robot.setup.captureCharFrame().split("\n")
  expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([])
  await robot.close()
})

test.each(sizes)(
  "at %d by %d a long draft grows the editor and the conversation keeps some rows",
  async (columns, rows) => {
    const robot = await openRobot({ columns, rows })
    robot.host.answer("the answer")
    await robot.wait(100)
    await robot.paste("a\nb\nc\nd\ne\nf\ng\nh")
    robot.shows("h")
    robot.shows("the answer")
    await robot.close()
  },
)

test("after forty sizes in a row the screen is as if it had never had another (128)", async () => {
  const robot = await openRobot({ columns: 80, rows: 24 })
  await busy(robot)
  const before = robot.frame()
  for (let step = 0; step < 40; step++) {
    const [columns = 80, rows = 24] =
      [
        [80, 24],
        [80, 8],
        [40, 50],
      ][step % 3] ?? []
    robot.setup.resize(columns, rows)
    await robot.clock.advance(25)
  }
  await robot.resize(80, 24)
  await robot.wait(200)
  const timeless = (frame: string): string => frame.replaceAll(/( · )?\d+ ?s\b/g, "")
  expect(timeless(robot.frame())).toBe(timeless(before))
  await robot.close()
})

test("a popup over wide characters leaves none of them cut when it is gone (121)", async () => {
  const robot = await openRobot({ columns: 61, rows: 20 })
  robot.host.answer("中".repeat(400))
  await robot.wait(100)
  const before = robot.frame()
  await robot.press("ctrl+p")
  expect(robot.frame()).not.toBe(before)
  await robot.press("escape")
  expect(robot.frame()).toBe(before)
  await robot.close()
})

test("the cursor of the terminal stands in the editor, where an input method needs it", async () => {
  const robot = await openRobot({ columns: 80, rows: 24 })
  await robot.bytes("日本")
  const { x, y, visible } = robot.renderer.getCursorState()
  expect([x, y, visible]).toEqual([7, 23, true])
  await robot.close()
})

test("a panel with the keys that a smaller screen has no room for gives them to the editor", async () => {
  const robot = await openRobot({ columns: 160, rows: 40 })
  robot.screen.app.run("panel.toggleTree")
  robot.screen.app.run("panel.toggleTasks")
  await robot.wait(50)
  robot.screen.app.store.dispatch({ type: "focus", focus: { area: "panel", id: "tasks" } })
  await robot.wait(50)
  expect(robot.screen.app.slots.visible()).toContain("tasks")
  await robot.resize(160, 5)
  expect(robot.screen.app.slots.visible()).not.toContain("tasks")
  await robot.type("typed")
  expect(robot.prompt).toBe("typed|")
  await robot.close()
})
