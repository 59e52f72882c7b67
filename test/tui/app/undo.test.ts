/** Taking back and making again, as a robot meets them: runs as a whole, and their changes hunk by hunk. */
import { expect, test } from "bun:test"
import type { ChangeHunk, ChangesRecord, UndoRecord } from "../../../src/protocol/changes.ts"
import type { Command } from "../../../src/protocol/port.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

const hunk = (id: string, line: number, more: Partial<ChangeHunk> = {}): ChangeHunk => ({
  id,
  state: "made",
  reason: "",
  oldStart: line,
  oldLines: 1,
  newStart: line,
  newLines: 1,
  lines: [`-old ${line}`, `+new ${line}`],
  ...more,
})

const changes = (more: Partial<ChangeHunk> = {}): ChangesRecord => ({
  files: [
    {
      path: "src/a.ts",
      kind: "edited",
      runs: [2],
      added: 2,
      removed: 2,
      hunks: [hunk("src/a.ts#1", 3, more), hunk("src/a.ts#2", 90)],
      note: "",
    },
  ],
  commands: 1,
})

type World = { readonly robot: Robot; readonly run: number; undone: UndoRecord }

async function worked(): Promise<World> {
  const robot = await openRobot({ columns: 140, rows: 30 })
  robot.host.input("please change it")
  const run = robot.host.entries[0]?.id ?? 0
  robot.host.answer("changed")
  const world: World = { robot, run, undone: { entry: null, undone: ["src/a.ts#1"], refused: [], commands: 1 } }
  robot.host.answers.fork = ({ conversation, entry }) => {
    robot.host.commit({ type: "conversation", conversation: { id: 77, parent: { conversation, entry }, owner: null } })
    return { conversation: 77 }
  }
  robot.host.answers.undo = ({ run: of }) => {
    robot.host.entry({ kind: "undo", run: of, files: [], refused: [], commands: 0 })
    return world.undone
  }
  robot.host.answers.changes = () => changes()
  await robot.wait(300)
  return world
}

const asked = <T extends Command["type"]>(robot: Robot, type: T) => robot.host.asked.filter((one) => one.type === type)

test("the last run is taken back: files, what was said, or both, and what stays is told", async () => {
  const { robot, run } = await worked()
  await robot.type("/undo")
  await robot.press("enter")
  robot.shows("Take back the last run")
  robot.shows("please change it")
  await robot.type("b")
  await robot.wait(100)
  expect(asked(robot, "undo")).toEqual([{ type: "undo", conversation: 1, run, what: "files" }])
  expect(asked(robot, "fork")).toEqual([{ type: "fork", conversation: 1, entry: 0 }])
  expect(robot.prompt).toBe("please change it|")
  robot.shows("1 change was taken back.")
  robot.shows("What a command changed stays as it is.")
  await robot.close()
})

test("what was taken back is made again, and the conversation is the one that was left", async () => {
  const { robot } = await worked()
  await robot.type("/undo")
  await robot.press("enter")
  await robot.type("b")
  await robot.wait(100)
  const undo = robot.host.entries.findLast(({ data }) => data.kind === "undo")?.id ?? 0
  await robot.press("ctrl+u")
  await robot.type("/redo")
  await robot.press("enter")
  await robot.wait(100)
  expect(asked(robot, "undo").at(-1)).toEqual({ type: "undo", conversation: 1, run: undo, what: "files" })
  expect(robot.state.conversation).toBe(1)
  await robot.type("/redo")
  await robot.press("enter")
  await robot.wait(100)
  expect(asked(robot, "undo").length).toBe(2)
  robot.shows("Nothing was taken back")
  await robot.close()
})

test("what cannot be taken back is told with the reason", async () => {
  const world = await worked()
  const { robot } = world
  world.undone = {
    entry: null,
    undone: [],
    refused: [{ hunk: "src/a.ts#1", reason: "others changed it" }],
    commands: 0,
  }
  await robot.press("ctrl+x b")
  await robot.type("f")
  await robot.wait(100)
  robot.shows("No change of a file was taken back.")
  robot.shows("src/a.ts#1 was not: others changed it.")
  expect(asked(robot, "fork")).toEqual([])
  await robot.close()
})

test("the changes of a run are read hunk by hunk, and one of them is taken back", async () => {
  const { robot, run } = await worked()
  await robot.type("/changes")
  await robot.press("enter")
  await robot.wait(200)
  robot.shows("changes: 1 file +2 −2")
  robot.shows("src/a.ts  +2 −2")
  robot.shows("@@ -3,1 +3,1 @@")
  robot.shows("1 command ran; what changed so is not in here.")
  expect(asked(robot, "changes")).toEqual([{ type: "changes", conversation: 1, run }])
  await robot.press("tab", "tab")
  while (!(robot.state.focus.area === "panel" && robot.state.focus.id === "changes")) await robot.press("tab")
  await robot.press("j", "j")
  robot.host.answers.changes = () => changes({ state: "undone" })
  await robot.press("r")
  await robot.wait(200)
  expect(asked(robot, "undo")).toEqual([{ type: "undo", conversation: 1, run, what: "files", hunks: ["src/a.ts#1"] }])
  robot.shows("@@ -3,1 +3,1 @@ taken back")
  await robot.press("a")
  await robot.wait(100)
  robot.shows("all changes: 1 file +2 −2")
  expect(asked(robot, "changes").at(-1)).toEqual({ type: "changes", conversation: 1 })
  await robot.close()
})
