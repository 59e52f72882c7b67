import { expect, test } from "bun:test"
import { openRobot } from "../../support/screen.ts"
import { ScriptedHost } from "../../support/scripted-host.ts"

/** A host that answers when the test says so. */
class SlowHost extends ScriptedHost {
  readonly gate = Promise.withResolvers<void>()

  override async connect() {
    await this.gate.promise
    return super.connect()
  }
}

test("the screen is drawn and echoes keys before the host has answered", async () => {
  const host = new SlowHost()
  const robot = await openRobot({ host })
  robot.shows("starting ─")
  await robot.type("early")
  robot.shows("› early")
  await robot.close()
})

test("an input that was sent before the host answered arrives once it does", async () => {
  const host = new SlowHost()
  const robot = await openRobot({ host })
  await robot.type("early bird")
  await robot.press("enter")
  robot.shows("↳ sending  early bird")
  expect(host.submitted).toEqual([])
  host.gate.resolve()
  await robot.wait(100)
  expect(host.submitted).toEqual(["early bird"])
  robot.hides("↳ sending")
  await robot.close()
})

test("a prompt from the command line is sent as soon as the host answers", async () => {
  const robot = await openRobot({ options: { prompt: "do this" } })
  expect(robot.host.submitted).toEqual(["do this"])
  await robot.close()
})

test("an empty conversation greets with the few keys that lead to all others", async () => {
  const robot = await openRobot()
  robot.shows(`
    Cairn

    enter   sends, also while work is going on
    /       commands
    @       names a file
    !       runs a command in the shell
    ctrl+p  everything else, with its keys
  `)
  robot.host.input("hello")
  await robot.wait(100)
  robot.hides("sends, also while")
  await robot.close()
})

test("notices of the start stand over the editor and go by themselves", async () => {
  const robot = await openRobot({ options: { notices: ["keymaps/mine.json:3:5: `foo` is no command"] } })
  robot.shows("● keymaps/mine.json:3:5: `foo` is no command")
  await robot.wait(20_000)
  robot.hides("keymaps/mine.json")
  await robot.close()
})

test("a screen at rest draws nothing and has no timer (127)", async () => {
  const robot = await openRobot()
  robot.host.answer("done")
  await robot.wait(10_000)
  const frames = robot.renderer.getStats().frameCount
  await robot.clock.advance(60_000)
  expect(robot.renderer.getStats().frameCount).toBe(frames)
  expect(robot.clock.pending).toEqual([])
  await robot.close()
})

test("a session that was interrupted is offered, and one key opens it", async () => {
  const interrupted = { id: "01930000-0000-7000-8000-0000000000aa", title: "Fix the build" }
  const asked: unknown[] = []
  const host = new ScriptedHost()
  const connect = (choice: unknown) => {
    asked.push(choice)
    return host.connect()
  }
  const robot = await openRobot({ host, options: { interrupted, connect } })
  robot.shows("● Work in “Fix the build” was interrupted; ctrl+x u goes on with it")
  await robot.press("ctrl+x u")
  await robot.wait(100)
  expect(asked.at(-1)).toEqual({ kind: "session", id: interrupted.id })
  robot.hides("was interrupted")
  await robot.close()
})

test("work of this session that waits for a key says so, and goes on with it", async () => {
  const robot = await openRobot()
  const snapshot = robot.host.snapshot()
  if (snapshot.type !== "snapshot") throw new Error("no snapshot")
  const held = { because: "old", reason: "This session has work that was interrupted.", since: 0 } as const
  robot.host.say({ ...snapshot, state: { ...snapshot.state, held } })
  await robot.wait(100)
  robot.shows("● This session has work that was interrupted. ctrl+x u goes on with it")
  await robot.press("ctrl+x u")
  expect(robot.host.asked.filter((command) => command.type === "resume").length).toBe(1)
  await robot.close()
})

test("the list of sessions can be the first thing that is seen", async () => {
  const robot = await openRobot({ options: { choose: true } })
  robot.shows("Sessions of this folder")
  await robot.close()
})
