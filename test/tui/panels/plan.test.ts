import { afterEach, expect, test } from "bun:test"
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { emptyView } from "../../../src/protocol/view.ts"
import { openPlan } from "../../../src/tui/panels/plan.ts"
import { agentPlans } from "../../../src/tui/panels/agent-plans.ts"
import { changeFile } from "../../../src/tui/panels/plan-file.ts"
import { addItem, planBlocks, progressOf, toggleItem } from "../../../src/tui/panels/plan-text.ts"
import { eventually } from "../../support/eventually.ts"
import { gave, noon, openPanel, viewOf } from "./support.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderWith(text: string, name = "PLAN.md"): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-plan-"))
  folders.push(folder)
  writeFileSync(join(folder, name), text)
  return folder
}

async function open(folder: string) {
  const screen = await openPanel((host) => openPlan(host, ["PLAN.md", "TODO.md"]), 40, 12, { folder })
  let now = noon
  /** The panel after it has looked at the file, until it shows what is waited for. */
  const shows = async (wanted: string): Promise<string> => {
    let frame = ""
    const look = async (): Promise<boolean> => {
      screen.show(emptyView, (now += 10_000))
      frame = await screen.frame()
      return frame.includes(wanted)
    }
    await eventually(look, () => `never shown: ${wanted}\n${frame}`)
    return frame
  }
  const goesEmpty = (): Promise<void> =>
    eventually(
      () => {
        screen.show(emptyView, (now += 10_000))
        return screen.panel.empty
      },
      () => "the panel never became empty",
    )
  const close = async (): Promise<void> => {
    // A file that is being looked at is not drawn into a screen that is gone.
    screen.panel.dispose()
    await screen.dispose()
  }
  return { ...screen, shows, goesEmpty, [Symbol.asyncDispose]: close }
}

const plan = "# Plan\n\n- [ ] first **thing**\n  - [x] part of it\n- [ ] second\n\nNotes.\n"

test("a plan is shown with its boxes, and how far it is", async () => {
  await using screen = await open(folderWith(plan))
  expect(await screen.shows("first")).toBe(
    [" Plan", "", " ☐ first thing", "   ☑ part of it", " ☐ second", "", " Notes."].join("\n"),
  )
  expect(screen.panel.title()).toBe("PLAN.md 1/3")
})

test("a change on disk is seen, and a file that goes leaves the panel empty", async () => {
  const folder = folderWith(plan, "TODO.md")
  await using screen = await open(folder)
  await screen.shows("second")
  writeFileSync(join(folder, "TODO.md"), `${plan}- [ ] third\n`)
  await screen.shows("third")
  writeFileSync(join(folder, "PLAN.md"), "- [x] another file\n")
  await screen.shows("another file")
  rmSync(join(folder, "PLAN.md"))
  await screen.shows("third")
  rmSync(join(folder, "TODO.md"))
  await screen.goesEmpty()
})

test("an item is ticked in its file, which keeps its mode, its link and everything else", async () => {
  const folder = folderWith(plan.replaceAll("\n", "\r\n"), "real.md")
  chmodSync(join(folder, "real.md"), 0o640)
  symlinkSync("real.md", join(folder, "PLAN.md"))
  await using screen = await open(folder)
  await screen.shows("second")
  expect(screen.panel.commands["plan.toggle"]?.()).toBe(false)
  screen.panel.commands["plan.next"]?.()
  screen.panel.commands["plan.next"]?.()
  screen.panel.commands["plan.next"]?.()
  expect(screen.panel.commands["plan.toggle"]?.()).toBe(true)
  await screen.shows("☑ second")
  expect(readFileSync(join(folder, "real.md"), "utf8")).toBe(
    plan.replace("- [ ] second", "- [x] second").replaceAll("\n", "\r\n"),
  )
  expect(statSync(join(folder, "real.md")).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder).sort()).toEqual(["PLAN.md", "real.md"])
})

test("an item that moved or stands in a changed file is found by what it says, and one that is gone is not ticked", () => {
  const x = { line: 1, done: false, text: "x" }
  expect(toggleItem("a\n- [ ] x\n", x)).toBe("a\n- [x] x\n")
  expect(toggleItem("a\n- [x] x\n", { ...x, done: true })).toBe("a\n- [ ] x\n")
  expect(toggleItem("new\nlines\n- [ ] above\n- [ ] x\n", x)).toBe("new\nlines\n- [ ] above\n- [x] x\n")
  expect(toggleItem("- [ ] x\n\n\n- [ ] x\n", { ...x, line: 3 })).toBe("- [ ] x\n\n\n- [x] x\n")
  expect(toggleItem("a\n- [x] x\n", x)).toBeUndefined()
  expect(toggleItem("a\n- [ ] another\n", x)).toBeUndefined()
  expect(toggleItem("```\n- [ ] x\n```\n", x)).toBeUndefined()
  expect(toggleItem("a", { ...x, line: 9 })).toBeUndefined()
})

test("a new item goes behind the chosen one and as deep, else to the end, in the file's own line ends", () => {
  expect(addItem("# P\n", "one", null)).toBe("# P\n- [ ] one\n")
  expect(addItem("", "one", null)).toBe("- [ ] one\n")
  expect(addItem("a", "one", null)).toBe("a\n- [ ] one\n")
  expect(addItem("- [ ] x\n  * [x] y\n- [ ] z\n", "one", { line: 1, done: true, text: "y" })).toBe(
    "- [ ] x\n  * [x] y\n  * [ ] one\n- [ ] z\n",
  )
  expect(addItem("- [ ] x\r\n- [ ] z\r\n", "one", { line: 0, done: false, text: "x" })).toBe(
    "- [ ] x\r\n- [ ] one\r\n- [ ] z\r\n",
  )
})

test("what others wrote between the reading and the writing is kept", async () => {
  const folder = folderWith("- [ ] mine\n")
  const path = join(folder, "PLAN.md")
  let tries = 0
  const ended = await changeFile(path, (text) => {
    tries += 1
    if (tries === 1) writeFileSync(path, `# theirs\n${text}- [ ] theirs\n`)
    return toggleItem(text, { line: 0, done: false, text: "mine" })
  })
  expect(ended).toBe("done")
  expect(tries).toBe(2)
  expect(readFileSync(path, "utf8")).toBe("# theirs\n- [x] mine\n- [ ] theirs\n")
  expect(readdirSync(folder)).toEqual(["PLAN.md"])
})

test("a file that others write all the time, and an item that is gone, are told and change nothing", async () => {
  const folder = folderWith("- [ ] mine\n")
  const path = join(folder, "PLAN.md")
  let size = 0
  const busy = await changeFile(path, (text) => {
    writeFileSync(path, `- [ ] mine\n${"x".repeat((size += 1))}`)
    return toggleItem(text, { line: 0, done: false, text: "mine" })
  })
  expect(busy).toBe("busy")
  expect(await changeFile(path, () => undefined)).toBe("stale")
  expect(readFileSync(path, "utf8")).toStartWith("- [ ] mine")
})

test("several plans are tabs, the one that was chosen stays in front, and a chosen file is closed again", async () => {
  const folder = folderWith("- [ ] first\n")
  writeFileSync(join(folder, "TODO.md"), "- [x] other\n")
  writeFileSync(join(folder, "notes.md"), "- [ ] of mine\n")
  await using screen = await open(folder)
  await screen.shows(" PLAN.md 0/1 │ TODO.md 1/1 │")
  expect(screen.panel.commands["plan.nextFile"]?.()).toBe(true)
  expect(await screen.shows("☑ other")).not.toContain("first")
  expect(screen.panel.title()).toBe("TODO.md 1/1")
  screen.panel.commands["plan.open"]?.({ path: "notes.md" })
  await screen.shows("☐ of mine")
  expect(screen.panel.commands["plan.close"]?.()).toBe(true)
  await screen.shows("☐ first")
  expect(screen.panel.commands["plan.close"]?.()).toBe(false)
  await screen.mockMouse.click(18, 0)
  await screen.shows("☑ other")
})

test("which files were chosen comes back", async () => {
  const folder = folderWith("- [ ] first\n")
  writeFileSync(join(folder, "notes.md"), "- [ ] of mine\n")
  await using before = await open(folder)
  await before.shows("first")
  before.panel.commands["plan.open"]?.({ path: "notes.md" })
  await before.shows("of mine")
  const saved = before.panel.places?.save() ?? null
  await using after = await open(folder)
  after.panel.places?.restore("s", saved)
  await after.shows("☐ of mine")
})

test("a plan that the agent wrote is found by its name, whatever its folder", () => {
  const view = viewOf([
    gave("1", "write", "", { title: "docs/My-Plan.md" }),
    gave("2", "write", "", { title: "src/plan.ts" }),
    gave("3", "read", "", { title: "TODO.md" }),
    gave("4", "edit", "", { title: "docs/My-Plan.md" }),
  ])
  expect(agentPlans(view)).toEqual(["docs/My-Plan.md"])
})

test("boxes in code are code, and numbered items are items", () => {
  const blocks = planBlocks("1. [ ] one\n\n```\n- [ ] no item\n```\n* [X] two\n")
  expect(blocks.map(({ item, text }) => [item?.done ?? null, text])).toEqual([
    [false, "one"],
    [null, "```\n- [ ] no item\n```"],
    [true, "two"],
  ])
  expect(progressOf(blocks)).toEqual({ done: 1, total: 2 })
})
