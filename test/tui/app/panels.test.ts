import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../../support/eventually.ts"
import { tabTexts } from "../../../src/tui/tabs.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

/** A call that runs, with some output. */
async function runCall(robot: Robot): Promise<void> {
  const task = robot.host.task({
    startedAt: robot.clock.now(),
    work: {
      kind: "toolCall",
      phase: "execute",
      callId: "c1",
      name: "bash",
      title: "bun test",
      args: { command: "bun test" },
      entry: 1,
    },
  })
  robot.host.say({ type: "progress", seq: 9, task: task.id, attempt: 1, at: 0, text: "first line\nsecond line\n" })
  await robot.wait(300)
}

test("without a call the conversation has the whole width", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await robot.wait(100)
  robot.hides("│")
  await robot.close()
})

test("the output of a call comes up beside the conversation when one runs", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await runCall(robot)
  robot.shows(`
    │ bash bun test ─
    │ ▾ ● bash bun test  running
    │ first line
    │ second line
  `)
  await robot.close()
})

test("the name over a panel is that of what it shows, from the first frame on", async () => {
  const robot = await openRobot({ columns: 120 })
  await runCall(robot)
  const [first] = [...robot.state.view.tasks.values()]
  const work = {
    kind: "toolCall",
    phase: "execute",
    callId: "c2",
    name: "read",
    title: "a.ts",
    args: {},
    entry: 1,
  } as const
  robot.host.task({ work })
  if (first !== undefined) robot.host.commit({ type: "task", task: { ...first, state: "ended" } })
  await robot.wait(40)
  robot.shows(`
    │ read a.ts ─
    │ ▾ ● read a.ts
  `)
  await robot.close()
})

test("a key hides the panel and shows it again", async () => {
  const robot = await openRobot({ columns: 120 })
  await runCall(robot)
  await robot.press("ctrl+x o")
  robot.hides("│ first line")
  await robot.press("ctrl+x o")
  robot.shows("│ first line")
  await robot.close()
})

test("a plan file that appears comes up as a panel, live from disk", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await robot.wait(100)
  writeFileSync(join(robot.folder, "PLAN.md"), "- [x] think\n- [ ] build\n")
  await eventually(
    async () => {
      await robot.draw()
      return robot.frame().includes("│ PLAN.md 1/2 ─")
    },
    () => robot.frame(),
  )
  await robot.close()
})

test("keys go round the editor and the panels, and each one that has them says so", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await runCall(robot)
  expect(robot.state.focus).toEqual({ area: "editor" })
  await robot.press("ctrl+x right")
  expect(robot.state.focus).toEqual({ area: "panel", id: "chat" })
  await robot.press("tab")
  expect(robot.state.focus).toEqual({ area: "panel", id: "tool" })
  await robot.press("tab")
  expect(robot.state.focus).toEqual({ area: "editor" })
  await robot.close()
})

test("typing in a focused panel does not reach the editor, and Escape goes back to it", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await robot.wait(100)
  await robot.press("ctrl+x up")
  await robot.type("xw")
  expect(robot.prompt).toBe("|")
  await robot.press("escape")
  await robot.type("xw")
  expect(robot.prompt).toBe("xw|")
  await robot.close()
})

test("a zoomed panel has the screen, and gives it back", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await runCall(robot)
  await robot.press("ctrl+x right", "tab", "z")
  robot.hides("│ first line")
  robot.shows("first line")
  robot.hides("hello")
  await robot.press("z")
  robot.shows("hello")
  await robot.close()
})

test("keys make the side panels larger and smaller", async () => {
  const robot = await openRobot({ columns: 120 })
  await runCall(robot)
  const column = (): number => robot.frame().split("\n")[0]?.indexOf("│") ?? -1
  const before = column()
  await robot.press("ctrl+x plus")
  expect(column()).toBeLessThan(before)
  await robot.press("ctrl+x -", "ctrl+x -")
  expect(column()).toBeGreaterThan(before)
  await robot.close()
})

test("under a hundred columns the panels are tabs", async () => {
  const robot = await openRobot({ columns: 80 })
  robot.host.answer("hello")
  await runCall(robot)
  robot.shows(" conversation │ bash bun test │")
  robot.shows("hello")
  await robot.press("ctrl+x right", "ctrl+x right")
  robot.shows("first line")
  robot.hides("hello")
  await robot.close()
})

test("where one panel has room, keys go through all of them, and the key of a panel brings it to the front before it hides it", async () => {
  const robot = await openRobot({ columns: 40, rows: 12 })
  robot.host.answer("hello")
  await runCall(robot)
  robot.shows("hello")
  await robot.press("ctrl+x right", "tab")
  expect(robot.state.focus).toEqual({ area: "panel", id: "tool" })
  robot.shows(" bash bun test ─")
  robot.shows("first line")
  await robot.press("ctrl+x up")
  robot.shows("hello")
  await robot.press("ctrl+x o")
  robot.shows("first line")
  await robot.press("ctrl+x o")
  robot.shows("hello")
  expect(robot.state.place.shown.get("tool")).toBe(false)
  await robot.close()
})

test("where the names of tabs do not fit, each has its share and the one in front can be seen and put away", async () => {
  const robot = await openRobot({ columns: 60, rows: 20 })
  robot.host.answer("hello")
  await runCall(robot)
  await robot.press("ctrl+x p", "ctrl+x v", "ctrl+x j")
  const tabs = (): string => robot.frame().split("\n")[0] ?? ""
  expect(tabs()).toBe(" conversation │ bash bun test │ plan │ changes │ tasks 1 × │")
  const names = ["conversation", "bash bun test", "plan", "tasks 1"]
  const given = names.map((name, at) => ({ id: name, name, front: at === 3, hides: at === 3 }))
  expect(tabTexts(given, 42, { method: "unicode" })).toEqual([" conver… ", " bash b… ", " plan ", " tasks 1 × "])
  await robot.setup.mockMouse.click(tabs().indexOf("×"), 0)
  await robot.draw()
  expect(tabs()).toBe(" conversation │ bash bun test │ plan │ changes │")
  await robot.close()
})

test("how the panels stand is written to the config when asked", async () => {
  const saved: unknown[] = []
  const outside = {
    saveSetting(path: string, value: unknown) {
      saved.push([path, value])
      return Promise.resolve({ ok: true, text: "The panels are saved" } as const)
    },
  }
  const robot = await openRobot({ columns: 120, options: { outside } })
  await runCall(robot)
  await robot.press("ctrl+x plus", "ctrl+x ctrl+s")
  await robot.draw()
  robot.shows("● The panels are saved")
  expect(saved).toEqual([
    [
      "panels",
      {
        main: ["chat"],
        side: { stack: ["tool", "plan"], size: 45, from: 100 },
        bottom: [],
        bottomSize: 33,
        footer: ["status"],
      },
    ],
  ])
  await robot.close()
})

test("the mouse can be left to the terminal, and taken again (123)", async () => {
  const robot = await openRobot()
  expect(robot.renderer.useMouse).toBe(true)
  await robot.press("ctrl+x M")
  expect(robot.renderer.useMouse).toBe(false)
  robot.shows("● The mouse is left to the terminal")
  await robot.close()
})

test("the edge of the side slot is dragged, and the sign in a title hides its panel", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await runCall(robot)
  const edge = robot.frame().split("\n")[0]?.indexOf("│") ?? -1
  await robot.setup.mockMouse.drag(edge, 5, edge - 20, 5)
  await robot.draw()
  expect(robot.frame().split("\n")[0]?.indexOf("│")).toBe(edge - 20)
  robot.shows(" □ ×")
  await robot.setup.mockMouse.click(119, 0)
  await robot.draw()
  robot.hides("first line")
  expect(robot.state.place.shown.get("tool")).toBe(false)
  await robot.close()
})

test("the mouse zooms a panel by its title and gives the screen back", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await runCall(robot)
  await robot.setup.mockMouse.click(117, 0)
  await robot.draw()
  robot.shows(" ▣ ×")
  robot.hides("hello")
  await robot.setup.mockMouse.click(117, 0)
  await robot.draw()
  robot.shows("hello")
  await robot.close()
})

test("a panel is dragged by its name to the bottom, where its line is dragged to make it larger, and a key moves it on", async () => {
  const robot = await openRobot({ columns: 120, rows: 40 })
  robot.host.answer("hello")
  await runCall(robot)
  const edge = robot.frame().split("\n")[0]?.indexOf("│") ?? -1
  await robot.setup.mockMouse.drag(edge + 4, 0, 20, 35)
  await robot.draw()
  expect(robot.state.place.slots).toMatchObject({ side: { stack: ["plan"] }, bottom: ["tool"] })
  robot.hides("│")
  const row = (): number =>
    robot
      .frame()
      .split("\n")
      .findIndex((line) => line.startsWith(" bash bun test ─"))
  const before = row()
  await robot.setup.mockMouse.drag(60, before, 60, before - 5)
  await robot.draw()
  expect(row()).toBe(before - 5)
  await robot.press("plus")
  expect(row()).toBeLessThan(before - 5)
  await robot.press("m")
  expect(robot.state.place.slots).toMatchObject({ main: ["chat", "tool"], bottom: [] })
  await robot.press("m")
  expect(robot.state.place.slots.side.stack).toEqual(["plan", "tool"])
  await robot.close()
})

test("which panels were shown comes back with the session", async () => {
  const first = await openRobot({ columns: 120 })
  first.host.input("begun")
  await runCall(first)
  await first.press("ctrl+x plus", "ctrl+x right", "tab", "m", "m", "m", "m", "ctrl+x o")
  await first.wait(300)
  const saved = first.host.asked.findLast((command) => command.type === "screen")
  await first.close()
  const { ScriptedHost } = await import("../../support/scripted-host.ts")
  const host = new ScriptedHost()
  host.documents = [{ conversation: 0, name: "screen/main", value: saved?.value ?? null }]
  const second = await openRobot({ columns: 120, host })
  expect(second.state.place.shown.get("tool")).toBe(false)
  expect(second.state.place.slots.side.size).toBe(45)
  expect(second.state.place.slots.bottom).toEqual(["tool"])
  await second.close()
})

test("a click on a tab turns to its panel, and one into the editor gives the keys back", async () => {
  const robot = await openRobot({ columns: 80 })
  robot.host.answer("hello")
  await runCall(robot)
  await robot.setup.mockMouse.click(20, 0)
  await robot.draw()
  robot.shows("first line")
  await robot.setup.mockMouse.click(10, 28)
  await robot.type("typed")
  expect(robot.prompt).toBe("typed|")
  await robot.close()
})

test("a click into the conversation does not take the keys from the editor", async () => {
  const robot = await openRobot({ columns: 120 })
  robot.host.answer("hello")
  await robot.wait(100)
  await robot.setup.mockMouse.click(5, 0)
  await robot.type("typed")
  expect(robot.prompt).toBe("typed|")
  await robot.close()
})

test("in a list a click chooses a row and a second one takes it, and the wheel moves the bar", async () => {
  const robot = await openRobot({ columns: 100 })
  await robot.press("ctrl+x t")
  const row = robot
    .frame()
    .split("\n")
    .findIndex((line) => line.includes("  light"))
  await robot.setup.mockMouse.click(20, row)
  await robot.draw()
  expect(robot.state.theme.name).toBe("light")
  await robot.setup.mockMouse.scroll(20, row, "up")
  await robot.draw()
  expect(robot.state.theme.name).toBe("dark")
  await robot.setup.mockMouse.click(20, row)
  await robot.setup.mockMouse.click(20, row)
  await robot.draw()
  expect(robot.state.dialogs).toEqual([])
  expect(robot.state.theme.name).toBe("light")
  await robot.close()
})
