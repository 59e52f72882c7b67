/** The picker of sessions, as a robot meets it: what is known at once, what was said last, and everything that is done to a session taken back. */
import { expect, test } from "bun:test"
import type { SessionSummary } from "../../../src/protocol/sessions.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

const idOf = (end: string): string => `01930000-0000-7000-8000-0000000000${end}`

function summary(end: string, title: string, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id: idOf(end),
    title,
    folder: "/elsewhere",
    createdAt: 0,
    updatedAt: 0,
    bytes: 1,
    interrupted: false,
    archived: false,
    tags: [],
    holder: null,
    state: "ok",
    note: "",
    ...more,
  }
}

async function picker(): Promise<Robot> {
  const robot = await openRobot({ columns: 100, rows: 30 })
  robot.host.summaries.push(
    summary("aa", "Mend the parser", { interrupted: true }),
    summary("bb", "Write the manual", { holder: 7 }),
    summary("cc", "", { state: "damaged", note: "it is damaged: no database" }),
  )
  robot.host.previewed = { input: "please mend it", answer: "It is mended.\nAll tests pass." }
  await robot.press("ctrl+x l")
  await robot.wait(50)
  return robot
}

test("sessions stand there with what is wrong or waits in them, and the last exchange of the chosen one", async () => {
  const robot = await picker()
  robot.shows("Sessions of this folder")
  robot.shows("› Mend the parser  interrupted")
  robot.shows("  Write the manual  open")
  robot.shows("it is damaged: no database")
  robot.shows("› please mend it")
  robot.shows("It is mended.")
  await robot.type("manual")
  robot.shows("› Write the manual")
  robot.hides("Mend the parser")
  await robot.press("escape")
  await robot.close()
})

test("the list is widened to all folders and back, and put in another order", async () => {
  const robot = await picker()
  robot.hides("/elsewhere")
  await robot.press("ctrl+o")
  await robot.wait(50)
  robot.shows("Sessions of all folders")
  robot.shows("interrupted · /elsewhere")
  await robot.press("alt+o")
  robot.shows("Sessions of all folders, by title")
  await robot.press("alt+shift+h")
  await robot.wait(50)
  robot.shows("those put away too")
  await robot.close()
})

test("a session is renamed, put away and deleted from the list, and the last of these is taken back by a key", async () => {
  const robot = await picker()
  await robot.press("ctrl+r")
  for (let n = 0; n < 6; n++) await robot.press("backspace")
  await robot.type("lexer")
  await robot.press("enter")
  await robot.wait(50)
  await robot.press("alt+h")
  await robot.wait(50)
  await robot.press("ctrl+d")
  await robot.wait(50)
  robot.shows("Mend the lexer is deleted; it can be taken back for some days")
  await robot.press("ctrl+z")
  await robot.wait(50)
  robot.shows("Mend the lexer is back")
  await robot.press("alt+z")
  await robot.wait(50)
  robot.shows("There is nothing to take back")
  expect(robot.host.changes).toEqual([
    { id: idOf("aa"), title: "Mend the lexer" },
    { id: idOf("aa"), archived: true },
    { id: idOf("aa"), removed: true },
    { id: idOf("aa"), removed: false },
  ])
  await robot.close()
})

test("a session is tagged from the list and found by its tags, and they are taken back", async () => {
  const robot = await picker()
  await robot.press("alt+t")
  robot.shows("Words to find this session by")
  await robot.type("#Parser, urgent parser")
  await robot.press("enter")
  await robot.wait(50)
  robot.shows("› Mend the parser  interrupted · #parser #urgent")
  await robot.type("#urg")
  robot.shows("› Mend the parser")
  robot.hides("Write the manual")
  await robot.press("ctrl+z")
  await robot.wait(50)
  robot.shows("The session has the tags that it had")
  expect(robot.host.changes).toEqual([
    { id: idOf("aa"), tags: ["parser", "urgent"] },
    { id: idOf("aa"), tags: [] },
  ])
  await robot.close()
})

test("the last row leads to what was said in all sessions", async () => {
  const robot = await picker()
  await robot.press("up", "enter")
  await robot.wait(50)
  robot.shows("Search all sessions")
  await robot.close()
})

test("a session is found by what was said in it too, and the line that holds it is shown", async () => {
  const robot = await picker()
  const place = { folder: "/elsewhere", conversation: 1, entry: 9, at: 0, before: "", after: "", from: 4, to: 9 }
  robot.host.hits.push(
    { ...place, session: idOf("bb"), title: "Write the manual", kind: "answer", line: "the gauge is broken" },
    { ...place, session: idOf("aa"), title: "Mend the parser", kind: "title", line: "gauge" },
  )
  await robot.type("gauge")
  robot.shows("nothing matches")
  await robot.wait(200)
  robot.shows("› Write the manual  open · “the gauge is broken”")
  robot.hides("Mend the parser")
  for (let n = 0; n < 5; n++) await robot.press("backspace")
  robot.hides("the gauge is broken")
  robot.shows("Mend the parser")
  await robot.close()
})
