import { expect, test } from "bun:test"
import type { Draft } from "../../../src/tui/options.ts"
import { openRobot } from "../../support/screen.ts"
import { ScriptedHost } from "../../support/scripted-host.ts"

const drafts = (draft: Draft | null) => ({ load: () => draft, save: () => {} })

test("before a session has begun the draft goes to the folder's file within a quarter of a second", async () => {
  const robot = await openRobot()
  await robot.type("half a thought")
  await robot.wait(250)
  expect(robot.memory.draft?.text).toBe("half a thought")
  await robot.close()
})

test("once a session has begun the draft goes to its host, and the file is removed", async () => {
  const robot = await openRobot()
  await robot.type("half")
  await robot.wait(250)
  robot.host.input("begun")
  await robot.type(" a thought")
  await robot.wait(300)
  const saved = robot.host.asked.filter((command) => command.type === "screen").at(-1)
  expect(saved?.value).toMatchObject({ draft: { text: "half a thought" } })
  expect(robot.memory.draft).toBeNull()
  await robot.close()
})

test("while the host is away the draft goes to the file", async () => {
  const robot = await openRobot()
  robot.host.input("begun")
  await robot.wait(100)
  robot.host.failures.push(...Array.from({ length: 9 }, () => "no socket"))
  robot.host.lose("the host was killed")
  await robot.type("kept")
  await robot.wait(300)
  expect(robot.memory.draft?.text).toBe("kept")
  await robot.close()
})

test("the screen state is saved at most four times a second", async () => {
  const robot = await openRobot()
  robot.host.input("begun")
  for (let key = 0; key < 100; key++) await robot.type("x")
  const saves = robot.host.asked.filter((command) => command.type === "screen").length
  expect(saves).toBeLessThanOrEqual(5)
  expect(saves).toBeGreaterThan(0)
  await robot.close()
})

test("a draft of the folder is in the editor of the next new session", async () => {
  const draft = { session: null, text: "from yesterday", cursor: 4, pastes: {}, savedAt: 1 }
  const robot = await openRobot({ options: { drafts: drafts(draft) } })
  expect(robot.prompt).toBe("from| yesterday")
  await robot.close()
})

test("a draft that the session kept comes back, and what was typed meanwhile is not touched", async () => {
  const saved = { version: 1, draft: { session: "x", text: "kept", cursor: 4, pastes: {}, savedAt: 1 } }
  const host = new ScriptedHost()
  host.documents = [{ conversation: 0, name: "screen/main", value: saved }]
  const robot = await openRobot({ host })
  expect(robot.prompt).toBe("kept|")
  await robot.close()
})

test("an input that the host has not admitted counts as draft", async () => {
  const robot = await openRobot()
  robot.host.answers.submit = () => new Promise(() => {})
  await robot.type("on its way")
  await robot.press("enter")
  await robot.type("next")
  await robot.wait(300)
  expect(robot.memory.draft?.text).toBe("on its way\n\nnext")
  await robot.close()
})

test("a folded paste comes back whole", async () => {
  const long = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n")
  const first = await openRobot()
  await first.paste(long)
  await first.wait(300)
  const draft = first.memory.draft
  await first.close()
  const second = await openRobot({ options: { drafts: drafts(draft) } })
  second.shows("› [paste #1 +30 lines]")
  await second.press("enter")
  expect(second.host.submitted).toEqual([long])
  await second.close()
})
