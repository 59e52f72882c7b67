import { expect, test } from "bun:test"
import type { CallWork, TaskRecord } from "../../../src/protocol/records.ts"
import { emptyView, type View } from "../../../src/protocol/view.ts"
import { openTasks, taskTree } from "../../../src/tui/panels/tasks.ts"
import { openRobot } from "../../support/screen.ts"
import { noon, openPanel } from "./support.ts"

function task(id: number, more: Partial<TaskRecord> = {}): TaskRecord {
  const work = { kind: "generation", phase: "tools", model: "m" } as const
  return { id, conversation: 1, attempt: 1, state: "running", startedAt: noon - 5_000, aborting: false, work, ...more }
}

function call(id: number, name: string, title: string, more: Partial<TaskRecord> = {}): TaskRecord {
  const work: CallWork = { kind: "toolCall", phase: "execute", callId: `c${id}`, name, title, args: {}, entry: 1 }
  return task(id, { work, ...more })
}

function viewWith(tasks: readonly TaskRecord[]): View {
  return {
    ...emptyView,
    session: "s",
    conversations: new Map([
      [1, { id: 1, parent: null, owner: null }],
      [2, { id: 2, parent: null, owner: { conversation: 1, task: 11 } }],
    ]),
    tasks: new Map(tasks.map((one) => [one.id, one])),
    submissions: new Map([
      [
        5,
        {
          id: 5,
          conversation: 1,
          requestId: "r",
          status: "queued",
          mode: "followUp",
          content: [{ type: "text", text: "and then this" }],
          entry: null,
          reason: null,
        },
      ],
    ]),
  }
}

const working = viewWith([
  task(10),
  call(11, "agent", "look into it", { owner: 10 }),
  call(12, "bash", "bun test", { owner: 10, state: "pending" }),
  task(20, { conversation: 2, aborting: true }),
])

test("what works stands under what it works for, and what waits below", async () => {
  const { panel, show, frame } = await openPanel(openTasks, 60, 8)
  show(working)
  expect(await frame()).toContain(
    [
      "● answer m  waits for its calls, 5s",
      "   ● agent look into it  5s",
      "     ○ answer m  stopping",
      "   ○ bash bun test  waits",
      " ↳ queued and then this",
    ].join("\n"),
  )
  expect(panel.title()).toBe("tasks 4")
  show(viewWith([]))
  expect(await frame()).toContain("↳ queued and then this")
})

test("with nothing to do it says so, and it comes up only when it is asked for", async () => {
  const { panel, show, frame } = await openPanel(openTasks, 60, 8)
  show({ ...emptyView, session: "s" })
  expect(await frame()).toContain("Nothing is running.")
  expect(panel.empty).toBe(true)
})

test("at any width no task is lost, and a task whose owner is gone stands at the edge", async () => {
  const { show, frame } = await openPanel(openTasks, 20, 8)
  show(working)
  expect((await frame()).trim().split("\n")).toHaveLength(5)
  expect(taskTree(viewWith([call(12, "bash", "x", { owner: 10 })])).map(({ depth }) => depth)).toEqual([0])
})

test("a key shows the tasks; one of them is opened and its run is stopped from there", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  const one = robot.host.task({
    startedAt: robot.clock.now(),
    work: { kind: "toolCall", phase: "execute", callId: "c1", name: "bash", title: "bun test", args: {}, entry: 1 },
  })
  await robot.wait(100)
  await robot.press("ctrl+x j")
  robot.shows("│ tasks 1 ─")
  robot.shows("│ ● bash bun test  ")
  await robot.press("ctrl+x right", "tab", "tab")
  expect(robot.state.focus).toEqual({ area: "panel", id: "tasks" })
  await robot.press("j", "enter")
  expect(robot.state.place.front).toBe("tool")
  await robot.press("x")
  expect(robot.host.asked.at(-1)).toEqual({ type: "abort", conversation: one.conversation })
  await robot.close()
})
