import { expect, test } from "bun:test"
import { openRobot } from "../../support/screen.ts"

const delta = (text: string): string => `${JSON.stringify({ type: "text_delta", contentIndex: 0, delta: text })}\n`

test("a model that is silent says for how long, before its first word and after any", async () => {
  const robot = await openRobot()
  await robot.wait(30_000)
  const task = robot.host.begin(robot.clock.now())
  await robot.wait(1_000)
  robot.shows("waiting")
  robot.hides("silent")
  await robot.wait(6_000)
  robot.shows("waiting, silent for 7s")
  const text = `${JSON.stringify({ type: "text_start", contentIndex: 0 })}\n${delta("hello")}`
  robot.host.say({ type: "progress", seq: 9, task: task.id, attempt: 1, at: 0, text })
  await robot.wait(1_000)
  robot.shows("answering")
  robot.hides("silent")
  await robot.wait(90_000)
  robot.shows("answering, silent for 1m")
  robot.host.say({ type: "progress", seq: 9, task: task.id, attempt: 1, at: text.length, text: delta(" again") })
  await robot.wait(1_000)
  robot.hides("silent")
  await robot.close()
  expect(task.id).toBeGreaterThan(0)
})

test("a run that has cost as much as it may says that it waits for the person", async () => {
  const robot = await openRobot()
  const task = robot.host.begin(robot.clock.now())
  const work = { kind: "generation", phase: "limit", model: "m", limit: { cost: 1.2, of: 1 } } as const
  robot.host.task({ id: task.id, startedAt: task.startedAt, work })
  await robot.wait(500)
  robot.shows("waiting for you: $1.20 of $1.00 spent")
  await robot.press("ctrl+x r")
  expect(robot.host.asked.some(({ type }) => type === "retryNow")).toBe(true)
  await robot.close()
})
