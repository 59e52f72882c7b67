/** The name over a panel is that of what it shows, also where a key and no news of the host made it show something else. */
import { expect, test } from "bun:test"
import { openRobot, type Robot } from "../../support/screen.ts"

/** A call that ended, and one that runs, whose output has the keys. */
async function twoCalls(): Promise<Robot> {
  const robot = await openRobot({ columns: 120 })
  const message = {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "read",
    content: [{ type: "text", text: "what a.ts says" }],
    isError: false,
    timestamp: 0,
  } as const
  robot.host.entry({ kind: "toolResult", message, task: 90, outcome: "done", title: "a.ts", durationMs: 5 })
  const call = { kind: "toolCall", phase: "execute", callId: "c2", name: "bash", title: "bun test" } as const
  robot.host.task({ startedAt: robot.clock.now(), work: { ...call, args: { command: "bun test" }, entry: 1 } })
  await robot.wait(300)
  robot.shows("│ bash bun test ─")
  robot.screen.app.store.dispatch({ type: "focus", focus: { area: "panel", id: "tool" } })
  await robot.draw()
  return robot
}

test("the key for the call before changes the name with the output", async () => {
  const robot = await twoCalls()
  await robot.press("left")
  robot.shows("│ read a.ts ─")
  await robot.close()
})

test("a call that is read raw says so over the panel at once", async () => {
  const robot = await twoCalls()
  await robot.press("r")
  robot.shows("│ raw: bash bun test ─")
  expect(robot.frame()).not.toContain("│ bash bun test ─")
  await robot.close()
})
