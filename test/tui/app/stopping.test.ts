import { expect, test } from "bun:test"
import { openRobot, type Robot } from "../../support/screen.ts"

const asked = (robot: Robot, type: string): number => robot.host.asked.filter((command) => command.type === type).length

test("Escape stops the run, and does nothing where none is going", async () => {
  const robot = await openRobot()
  await robot.press("escape")
  expect(asked(robot, "abort")).toBe(0)
  robot.host.begin(robot.clock.now())
  await robot.press("escape")
  expect(asked(robot, "abort")).toBe(1)
  await robot.close()
})

test("Ctrl+C clears the editor first, and pressed again leaves", async () => {
  const robot = await openRobot()
  await robot.type("half a thought")
  await robot.press("ctrl+c")
  expect(robot.prompt).toBe("|")
  expect(robot.end).toBeNull()
  await robot.press("ctrl+c")
  robot.shows("● Press it again to quit")
  await robot.press("ctrl+c")
  await robot.wait(1_000)
  expect(robot.end).toMatchObject({ reason: "quit", code: 0, work: "leave" })
  await robot.close()
})

test("the second Ctrl+C of someone who waited is a first one again", async () => {
  const robot = await openRobot()
  await robot.press("ctrl+c")
  await robot.wait(30_000)
  await robot.press("ctrl+c")
  await robot.wait(1_000)
  expect(robot.end).toBeNull()
  await robot.close()
})

test("what Ctrl+C cleared comes back with undo", async () => {
  const robot = await openRobot()
  await robot.type("half a thought")
  await robot.press("ctrl+c", "ctrl+-")
  expect(robot.prompt).toBe("half a thought|")
  await robot.close()
})

test("Ctrl+D leaves only from an empty editor", async () => {
  const robot = await openRobot()
  await robot.type("ab")
  await robot.press("left", "ctrl+d")
  expect(robot.prompt).toBe("a|")
  await robot.press("backspace", "ctrl+d")
  await robot.wait(1_000)
  expect(robot.end?.reason).toBe("quit")
  await robot.close()
})

test("quitting with work running asks, and leaves it working by default", async () => {
  const robot = await openRobot()
  robot.host.begin(robot.clock.now())
  await robot.press("ctrl+x q")
  robot.shows(`
    Work is still running.

    › Leave it working in the background
  `)
  await robot.press("enter")
  await robot.wait(1_000)
  expect(robot.end).toMatchObject({ reason: "quit", work: "leave" })
  expect(asked(robot, "abort")).toBe(0)
  await robot.close()
})

test("quitting with work running can stop it first", async () => {
  const robot = await openRobot()
  robot.host.begin(robot.clock.now())
  await robot.press("ctrl+x q", "s")
  await robot.wait(1_000)
  expect(asked(robot, "abort")).toBe(1)
  expect(robot.end).toMatchObject({ reason: "quit", work: "stop" })
  await robot.close()
})

test("quitting with work running can keep it for later", async () => {
  const robot = await openRobot()
  robot.host.begin(robot.clock.now())
  await robot.press("ctrl+x q", "down", "down", "enter")
  await robot.wait(1_000)
  expect(robot.end).toMatchObject({ reason: "quit", work: "keep" })
  await robot.close()
})

test("Escape puts the question away and the work goes on", async () => {
  const robot = await openRobot()
  robot.host.begin(robot.clock.now())
  await robot.press("ctrl+x q", "escape")
  robot.hides("Work is still running")
  expect(robot.end).toBeNull()
  expect(asked(robot, "abort")).toBe(0)
  await robot.close()
})

test("a host that does not answer does not keep a person from leaving", async () => {
  const robot = await openRobot()
  robot.host.input("hello")
  robot.host.answers.screen = () => new Promise(() => {})
  await robot.type("draft")
  await robot.press("ctrl+x d")
  await robot.wait(1_000)
  expect(robot.end?.reason).toBe("quit")
  await robot.close()
})
