import { expect, test } from "bun:test"
import { openRobot } from "../../support/screen.ts"

test("when the host is lost the screen says so, connects again, and goes on with the same session", async () => {
  const robot = await openRobot()
  robot.host.input("hello")
  robot.host.answer("hi there")
  await robot.wait(100)
  robot.host.failures.push("no socket", "no socket")
  robot.host.lose("the host was killed")
  await robot.draw()
  robot.shows("host away, trying again")
  robot.shows("hi there")
  await robot.wait(5_000)
  robot.hides("host away")
  robot.host.answer("and on")
  await robot.wait(100)
  robot.shows("and on")
  expect(robot.host.connects).toBe(4)
  await robot.close()
})

test("keys work while the host is away, and the draft is untouched when it is back", async () => {
  const robot = await openRobot()
  robot.host.failures.push("no socket")
  robot.host.lose("the host was killed")
  await robot.type("typed meanwhile")
  expect(robot.prompt).toBe("typed meanwhile|")
  await robot.wait(5_000)
  expect(robot.prompt).toBe("typed meanwhile|")
  await robot.close()
})

test("attempts become rarer, and a key tries at once", async () => {
  const robot = await openRobot()
  robot.host.failures.push(...Array.from({ length: 20 }, () => "no socket"))
  robot.host.lose("the host was killed")
  await robot.wait(60_000)
  expect(robot.host.connects).toBe(8)
  const before = robot.host.connects
  await robot.press("ctrl+x r")
  expect(robot.host.connects).toBe(before + 1)
  await robot.close()
})

test("a host that goes as soon as it has come is not started again and again", async () => {
  const robot = await openRobot()
  for (let goes = 0; goes < 40; goes++) {
    robot.host.lose("the host ran out of memory")
    await robot.wait(9_000)
  }
  robot.shows("● the host ran out of memory. The next prompt starts it again.")
  expect(robot.host.connects).toBe(8)
  await robot.type("again")
  await robot.press("enter")
  expect(robot.host.connects).toBe(9)
  await robot.wait(10_000)
  robot.hides("out of memory")
  for (let goes = 0; goes < 20; goes++) {
    robot.host.lose("the host was killed")
    await robot.wait(11_000)
  }
  expect(robot.host.connects).toBe(29)
  await robot.close()
})

test("why the host cannot be reached stands over the editor", async () => {
  const robot = await openRobot()
  robot.host.failures.push(...Array.from({ length: 9 }, () => "session cafe is held by process 7 since noon"))
  robot.host.lose("the host was killed")
  await robot.wait(2_000)
  robot.shows("● session cafe is held by process 7 since noon")
  await robot.close()
})

test("a disk that refuses is told for as long as it does", async () => {
  const robot = await openRobot()
  robot.host.say({ type: "health", health: { state: "waiting", reason: "no space left on device" } })
  await robot.wait(100)
  robot.shows("● The disk does not take what is said; it is kept and tried again: no space left on device")
  robot.host.say({ type: "health", health: { state: "ok", reason: "" } })
  await robot.wait(100)
  robot.hides("The disk does not")
  await robot.close()
})
