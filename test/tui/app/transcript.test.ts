/** The conversation as a whole: in a pager, an editor or a file, with what the screen does not hold; and to what was said at a time. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EntryRecord } from "../../../src/protocol/records.ts"
import { eventually } from "../../support/eventually.ts"
import { ScriptedHost } from "../../support/scripted-host.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

const minute = 60_000
/** Where the robot's clock begins. */
const now = 1_700_000_000_000
const input = (id: number, at: number): EntryRecord => ({
  id,
  conversation: 1,
  at,
  byTask: null,
  data: { kind: "user", content: [{ type: "text", text: `question ${id}` }], submission: 1 },
})

/** A question a minute, 900 in all, of which the snapshot has the last hundred. */
function longHost(): ScriptedHost {
  const host = new ScriptedHost()
  const all = Array.from({ length: 900 }, (_, n) => input(n + 1, now + (n - 899) * minute))
  host.entries = all.slice(800)
  host.older = [1]
  host.answers.entries = ({ before = Infinity, limit }) => {
    const range = all.filter(({ id }) => id < before)
    return { entries: range.slice(-limit), older: range.length > limit }
  }
  return host
}

async function opened(host: ScriptedHost): Promise<Robot> {
  const robot = await openRobot({ columns: 80, rows: 20, host })
  await robot.wait(300)
  // The test renderer has no terminal to give to another program.
  const lend = (work: () => Promise<unknown>): Promise<unknown> => work()
  Object.assign(robot.screen.app.terminal, { lend })
  return robot
}

async function written(path: string): Promise<string> {
  await eventually(
    async () => existsSync(path) && readFileSync(path, "utf8").includes("question 900"),
    () => `nothing was written to ${path}`,
  )
  return readFileSync(path, "utf8")
}

function whole(text: string): void {
  expect(text).toStartWith("> question 1\n\n> question 2\n")
  expect(text).toEndWith("> question 899\n\n> question 900\n")
  expect(text.split("\n\n")).toHaveLength(900)
}

test("the whole conversation is read in the pager, what is not loaded included", async () => {
  const robot = await opened(longHost())
  const path = join(robot.folder, "paged")
  // A command line of its own, as $PAGER may be.
  Object.assign(robot.screen.app.options.settings, { pager: `sh -c 'cp "$1" "$0"' ${path}` })
  robot.screen.app.run("transcript.pager")
  whole(await written(path))
  await robot.close()
})

test("it opens in the person's editor, and is written to a file that is not there yet", async () => {
  const robot = await opened(longHost())
  const edited = join(robot.folder, "edited")
  robot.screen.app.call("transcript.editor")
  await robot.wait(10)
  robot.shows("No editor is known; set $EDITOR")
  Object.assign(robot.screen.app.options.settings, { editor: `sh -c 'cp "$1" "$0"' ${edited}` })
  robot.screen.app.run("transcript.editor")
  whole(await written(edited))
  await robot.draw()
  await robot.type("/transcript talk.txt")
  await robot.press("escape", "enter")
  const path = join(robot.folder, "talk.txt")
  whole(await written(path))
  await robot.until("The conversation was written to")
  writeFileSync(path, "mine")
  robot.screen.app.run("transcript.file", { name: "talk.txt" })
  await robot.until("is there already: name another file")
  expect(readFileSync(path, "utf8")).toBe("mine")
  await robot.close()
})

test("what was said at a time is gone to, however old it is", async () => {
  const robot = await opened(longHost())
  robot.screen.app.run("scroll.toTime")
  await robot.draw()
  robot.shows("Go to")
  await robot.type("850m")
  await robot.press("enter")
  await robot.wait(500)
  await robot.until("question 50")
  robot.hides("question 900")
  robot.screen.app.run("scroll.toTime", { name: "soonish" })
  await robot.wait(10)
  robot.shows('"soonish" is no time: say 14:30, yesterday 9:00, 2026-11-29 or 20m')
  await robot.close()
})
