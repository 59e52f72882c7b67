/** Field report 145: nothing that others wrote can drive the terminal, wherever on the screen it is shown. */
import { expect, test } from "bun:test"
import type { SessionSummary } from "../../../src/protocol/sessions.ts"
import { openRobot } from "../../support/screen.ts"
import { refuse } from "../../support/scripted-host.ts"

const evil = "\x1b]52;c;aGk=\x07\x1b]0;x\x07\x1b[10A\x1b[2J\x1b[6n\x1bc\x9b2J\x07\b\b\u202eevil\u200b"
/** Any control character, and what hides or turns text. */
const forbidden = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]/

test("a title, a model's name, a refusal and an error of the host are cleaned (145)", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.model = `acme/${evil}`
  robot.host.documents = [
    { conversation: 0, name: "session", value: { title: evil, folder: `/tmp/${evil}`, createdAt: 0 } },
  ]
  robot.host.say(robot.host.snapshot())
  robot.host.say({ type: "health", health: { state: "waiting", reason: evil } })
  robot.host.answers.submit = () => refuse(evil)
  await robot.type("x")
  await robot.press("enter")
  await robot.wait(200)
  expect(robot.frame()).toContain("evil")
  expect(robot.frame()).not.toMatch(forbidden)
  await robot.close()
})

test("a running call's name and an error that a run waits for are cleaned (145)", async () => {
  const robot = await openRobot({ columns: 120 })
  const work = { kind: "generation", phase: "retry", model: "m" } as const
  const task = robot.host.begin(robot.clock.now())
  const retry = { until: robot.clock.now() + 5_000, attempt: 1, of: 3, error: evil }
  robot.host.commit({ type: "task", task: { ...task, work: { ...work, retry } } })
  await robot.wait(300)
  robot.shows("asking again in 5s (1 of 3)")
  expect(robot.frame()).not.toMatch(forbidden)
  await robot.close()
})

test("titles and folders in lists are cleaned (145)", async () => {
  const robot = await openRobot({ columns: 120 })
  const summary: SessionSummary = {
    id: "01930000-0000-7000-8000-0000000000aa",
    title: evil,
    folder: evil,
    createdAt: 0,
    updatedAt: 0,
    bytes: 0,
    interrupted: false,
    archived: false,
    tags: [],
    holder: null,
    state: "damaged",
    note: evil,
  }
  robot.host.summaries.push(summary)
  await robot.press("ctrl+x l")
  await robot.draw()
  expect(robot.frame()).toContain("evil")
  expect(robot.frame()).not.toMatch(forbidden)
  await robot.close()
})

test("paths in completions and branches are cleaned (145)", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.screen.app.store.dispatch({ type: "branch", name: evil })
  const items = [{ label: evil, detail: evil, insert: "x" }]
  robot.screen.app.store.dispatch({ type: "completion", completion: { items, chosen: 0, from: 0, to: 0 } })
  await robot.draw()
  expect(robot.frame()).toContain("evil")
  expect(robot.frame()).not.toMatch(forbidden)
  await robot.close()
})

test("what the model was told is cleaned where it is read (145)", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answers.context = () => ({
    system: evil,
    tokens: 1,
    parts: [{ kind: "file", name: evil, tokens: 1 }],
    window: null,
  })
  await robot.press("ctrl+x h")
  await robot.draw()
  expect(robot.frame()).toContain("evil")
  expect(robot.frame()).not.toMatch(forbidden)
  await robot.close()
})
