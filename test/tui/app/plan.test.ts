import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openRobot } from "../../support/screen.ts"

test("a plan is made from the panel: its file, its first item, and one more behind it", async () => {
  const robot = await openRobot({ columns: 120 })
  await robot.press("ctrl+x p")
  robot.shows("There is no plan here.")
  await robot.press("ctrl+x right", "tab")
  expect(robot.state.focus).toEqual({ area: "panel", id: "plan" })
  await robot.press("N")
  robot.shows("─ A new plan ─")
  await robot.press("enter")
  await robot.until("─ A new item ─")
  await robot.type("build it")
  await robot.press("enter")
  await robot.until("☐ build it")
  expect(readFileSync(join(robot.folder, "PLAN.md"), "utf8")).toBe("# Plan\n\n- [ ] build it\n")
  await robot.press("j", "a")
  await robot.type("ship it")
  await robot.press("enter")
  await robot.until("☐ ship it")
  await robot.press("space")
  await robot.until("☑ build it")
  expect(readFileSync(join(robot.folder, "PLAN.md"), "utf8")).toBe("# Plan\n\n- [x] build it\n- [ ] ship it\n")
  await robot.close()
})

test("a file is found by typing and opened as a plan, and a name that is taken is opened and not written over", async () => {
  const robot = await openRobot({ columns: 120 })
  writeFileSync(join(robot.folder, "roadmap.md"), "- [ ] far away\n")
  writeFileSync(join(robot.folder, "code.ts"), "x\n")
  await robot.press("ctrl+x p", "ctrl+x right", "tab", "o")
  await robot.until("› roadmap.md")
  robot.hides("code.ts")
  await robot.press("enter")
  await robot.until("☐ far away")
  writeFileSync(join(robot.folder, "taken.md"), "- [ ] of others\n")
  expect(robot.screen.app.run("plan.new", { path: "taken.md" })).toBe(true)
  await robot.until("☐ of others")
  robot.shows("● taken.md was there already")
  expect(readFileSync(join(robot.folder, "taken.md"), "utf8")).toBe("- [ ] of others\n")
  await robot.close()
})

test("an item cannot be added where there is no plan, and the palette says why", async () => {
  const robot = await openRobot({ columns: 120 })
  await robot.press("ctrl+p")
  await robot.type("add an item")
  robot.shows("there is no plan: make one or open one first")
  await robot.close()
})
