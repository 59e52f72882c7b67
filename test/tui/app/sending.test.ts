import { expect, test } from "bun:test"
import { openRobot } from "../../support/screen.ts"
import { refuse, ScriptedHost } from "../../support/scripted-host.ts"

const modes = (host: ScriptedHost) => host.asked.filter((command) => command.type === "submit").map(({ mode }) => mode)

test("Enter sends what was typed and leaves an empty editor", async () => {
  const robot = await openRobot()
  await robot.type("fix the bug")
  await robot.press("enter")
  expect(robot.host.submitted).toEqual(["fix the bug"])
  expect(robot.prompt).toBe("|")
  await robot.close()
})

test("while a run is going Enter steers it and Alt+Enter waits for the next one", async () => {
  const robot = await openRobot()
  robot.host.begin(robot.clock.now())
  await robot.type("look at the tests too")
  await robot.press("enter")
  await robot.type("then write the docs")
  await robot.press("alt+enter")
  expect(modes(robot.host)).toEqual(["steer", "followUp"])
  await robot.close()
})

test("Enter in an empty editor sends nothing", async () => {
  const robot = await openRobot()
  await robot.press("enter")
  await robot.type("   ")
  await robot.press("enter")
  expect(robot.host.submitted).toEqual([])
  await robot.close()
})

test("Ctrl+J, Shift+Enter begin a new line, and the lines are one input", async () => {
  const robot = await openRobot()
  await robot.type("one")
  await robot.bytes("\n")
  await robot.type("two")
  await robot.press("shift+enter")
  await robot.type("three")
  robot.shows(`
    › one
      two
      three
  `)
  await robot.press("enter")
  expect(robot.host.submitted).toEqual(["one\ntwo\nthree"])
  await robot.close()
})

test("an input that the host refuses comes back into the editor with the reason", async () => {
  const robot = await openRobot()
  robot.host.answers.submit = () => refuse("The disk is full; nothing can be accepted.")
  await robot.type("precious words")
  await robot.press("enter")
  await robot.draw()
  expect(robot.prompt).toBe("precious words|")
  robot.shows("● The disk is full; nothing can be accepted.")
  await robot.close()
})

test("what was typed meanwhile stands after an input that comes back", async () => {
  const robot = await openRobot()
  const refused = Promise.withResolvers<never>()
  robot.host.answers.submit = () => refused.promise
  await robot.type("first")
  await robot.press("enter")
  await robot.type("second")
  try {
    refuse("no")
  } catch (error) {
    refused.reject(error)
  }
  await robot.draw()
  expect(robot.prompt).toBe("first\n\nsecond|")
  await robot.close()
})

test("an input whose answer was lost is sent again under the same request id", async () => {
  const robot = await openRobot()
  robot.host.answers.submit = () => Promise.reject(new Error("the wire was cut"))
  await robot.type("once")
  await robot.press("enter")
  delete robot.host.answers.submit
  robot.host.lose("the host ended")
  await robot.wait(1_000)
  const ids = robot.host.asked.filter((command) => command.type === "submit").map(({ requestId }) => requestId)
  expect(ids.length).toBe(2)
  expect(new Set(ids).size).toBe(1)
  robot.hides("↳ sending")
  await robot.close()
})

test("a command for the shell goes there, and one that the model is not told of says so", async () => {
  const robot = await openRobot()
  await robot.type("!ls -l")
  robot.shows("shell ─")
  await robot.press("enter")
  await robot.type("!!cat notes")
  robot.shows("shell, not told to the model")
  await robot.press("enter")
  expect(robot.host.asked.filter((command) => command.type === "shell")).toMatchObject([
    { command: "ls -l", excluded: false },
    { command: "cat notes", excluded: true },
  ])
  await robot.close()
})

test("a shell command that is refused comes back into the editor", async () => {
  const robot = await openRobot()
  robot.host.answers.shell = () => refuse("Another command is still running.")
  await robot.type("!ls")
  await robot.press("enter")
  await robot.draw()
  expect(robot.prompt).toBe("!ls|")
  robot.shows("Another command is still running.")
  await robot.close()
})

test("Alt+Up takes everything that waits back into the editor, in its order", async () => {
  const robot = await openRobot()
  robot.host.begin(robot.clock.now())
  const texts = new Map([
    [robot.host.submission("first", "steer").id, "first"],
    [robot.host.submission("second", "followUp").id, "second"],
  ])
  robot.host.answers.withdraw = ({ submission }) => ({
    content: [{ type: "text", text: texts.get(submission) ?? "" }],
  })
  await robot.wait(100)
  robot.shows("2 queued, alt+up takes back")
  await robot.type("third")
  await robot.press("alt+up")
  await robot.draw()
  expect(robot.prompt).toBe("first\n\nsecond\n\nthird|")
  await robot.close()
})

test("while a shell command runs the line over the editor says which, and a second one waits in the editor", async () => {
  const robot = await openRobot()
  const done = Promise.withResolvers<{ entry: number; output: string; exit: number }>()
  robot.host.answers.shell = () => done.promise
  await robot.type("!sleep 5")
  await robot.press("enter")
  robot.shows("!  sleep 5 ─")
  await robot.type("!ls")
  await robot.press("enter")
  expect(robot.prompt).toBe("!ls|")
  robot.shows("● Another command is still running; wait for it")
  done.resolve({ entry: 1, output: "", exit: 0 })
  await robot.draw()
  robot.hides("!  sleep 5")
  await robot.close()
})

test("an input that was not sent when the session is left comes back into the editor", async () => {
  const robot = await openRobot()
  robot.host.answers.submit = () => new Promise(() => {})
  await robot.type("not yet sent")
  await robot.press("enter")
  await robot.press("ctrl+x n")
  await robot.wait(100)
  expect(robot.prompt).toBe("not yet sent|")
  expect(robot.state.outbox).toEqual([])
  await robot.close()
})

test("a command that is typed before the host is there runs once it is, and one that never can comes back", async () => {
  const host = new ScriptedHost()
  host.failures.push("not yet")
  const robot = await openRobot({ host })
  await robot.type("!make")
  await robot.press("enter")
  const run = (): readonly unknown[] => robot.host.asked.filter(({ type }) => type === "shell")
  expect(run()).toEqual([])
  await robot.wait(200)
  expect(run()).toEqual([{ type: "shell", conversation: 1, command: "make", excluded: false }])
  await robot.close()

  const away = new ScriptedHost()
  away.failures.push(...Array.from({ length: 20 }, () => "never"))
  const lost = await openRobot({ host: away })
  await lost.type("!make")
  await lost.press("enter")
  await lost.wait(10_000)
  expect(lost.prompt).toBe("!make|")
  await lost.close()
})
