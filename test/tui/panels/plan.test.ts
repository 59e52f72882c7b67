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
import { planBlocks, progressOf, toggleItem } from "../../../src/tui/panels/plan-text.ts"
import { eventually } from "../../support/eventually.ts"
import { noon, openPanel } from "./support.ts"

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
  return { ...screen, shows, goesEmpty }
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

test("an item whose line has changed meanwhile is not ticked", () => {
  expect(toggleItem("a\n- [ ] x\n", 1, false)).toBe("a\n- [x] x\n")
  expect(toggleItem("a\n- [x] x\n", 1, true)).toBe("a\n- [ ] x\n")
  expect(toggleItem("a\n- [x] x\n", 1, false)).toBeUndefined()
  expect(toggleItem("a\nx\n", 1, false)).toBeUndefined()
  expect(toggleItem("a", 9, false)).toBeUndefined()
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
