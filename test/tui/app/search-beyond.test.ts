/** A search finds what the screen does not hold: older entries, forks, outputs that were cut, other sessions; and goes there. */
import { expect, test } from "bun:test"
import type { SearchHit } from "../../../src/protocol/port.ts"
import type { EntryRecord } from "../../../src/protocol/records.ts"
import type { SessionHit } from "../../../src/protocol/sessions.ts"
import { refuse, ScriptedHost } from "../../support/scripted-host.ts"
import { openRobot, type Robot } from "../../support/screen.ts"

const input = (id: number, text: string, conversation = 1): EntryRecord => ({
  id,
  conversation,
  at: 0,
  byTask: null,
  data: { kind: "user", content: [{ type: "text", text }], submission: 1 },
})

/** A host with entries 1 to 900, of which the snapshot has the last hundred. */
function longHost(): ScriptedHost {
  const host = new ScriptedHost()
  const all = Array.from({ length: 900 }, (_, n) =>
    input(n + 1, n + 1 === 5 ? "a needle far above" : `question ${n + 1}`),
  )
  host.entries = all.slice(800)
  host.older = [1]
  host.answers.entries = ({ before = Infinity, limit }) => {
    const range = all.filter(({ id }) => id < before)
    return { entries: range.slice(-limit), older: range.length > limit }
  }
  return host
}

const hit = (entry: number, line: string, from: number, more: Partial<SearchHit> = {}): SearchHit => ({
  conversation: 1,
  entry,
  at: 0,
  kind: "input",
  count: 1,
  before: "",
  line,
  after: "",
  from,
  to: from + 6,
  ...more,
})

async function opened(host: ScriptedHost): Promise<Robot> {
  const robot = await openRobot({ columns: 80, rows: 20, host })
  await robot.wait(300)
  return robot
}

test("a match in entries that are not loaded is counted, and going to it loads them", async () => {
  const host = longHost()
  host.answers.search = ({ query }) => ({
    hits: query === "needle" ? [hit(5, "a needle far above", 2)] : [],
    more: null,
    down: 0,
  })
  const robot = await opened(host)
  await robot.press("ctrl+f")
  await robot.type("needle")
  await robot.wait(100)
  expect(robot.frame()).toMatch(/\? needle +1\n/)
  robot.hides("a needle far above")
  await robot.press("up")
  await robot.wait(500)
  robot.shows("a needle far above")
  expect(robot.frame()).toMatch(/\? needle +1\/1\n/)
  await robot.press("escape")
  robot.shows("question 900")
  await robot.close()
})

test("an expression is searched here and by the host, and one that the host refuses is told", async () => {
  const host = longHost()
  const asked: string[] = []
  host.answers.search = ({ query }) => {
    asked.push(query)
    if (query === "(a+)+x") refuse("That expression takes too long.")
    return { hits: [], more: null, down: 0 }
  }
  const robot = await opened(host)
  await robot.press("ctrl+f", "alt+r")
  await robot.type("question 89.$")
  await robot.wait(200)
  expect(robot.frame()).toMatch(/ 10 · regex\n/)
  for (let n = 0; n < 13; n++) await robot.press("backspace")
  await robot.type("(a+)+x")
  await robot.wait(200)
  robot.shows("That expression takes too long.")
  expect(asked).toContain("(a+)+x")
  await robot.close()
})

test("all of a session is listed, and a hit in a fork shows that conversation", async () => {
  const host = longHost()
  host.conversations = [
    { id: 1, parent: null, owner: null },
    { id: 901, parent: { conversation: 1, entry: 850 }, owner: null },
  ]
  host.entries = [...host.entries, input(902, "the needle of the fork", 901)]
  host.answers.search = ({ query, conversation }) => ({
    hits:
      query === "needle" && conversation === null ? [hit(902, "the needle of the fork", 4, { conversation: 901 })] : [],
    more: null,
    down: 0,
  })
  const robot = await opened(host)
  robot.hides("the needle of the fork")
  await robot.press("ctrl+f")
  await robot.type("needle")
  await robot.press("alt+l")
  await robot.wait(200)
  robot.shows("Search this session")
  expect(robot.frame()).toMatch(/› the needle of the fork .*you · c901/)
  await robot.press("enter")
  await robot.wait(300)
  expect(robot.state.conversation).toBe(901)
  robot.shows("the needle of the fork")
  robot.hides("Search this session")
  await robot.close()
})

test("all sessions are searched as one types, with the lines around, and a hit is gone to in its session", async () => {
  const host = longHost()
  const other: SessionHit = {
    ...hit(850, "a needle elsewhere", 2),
    session: "01930000-0000-7000-8000-0000000000ee",
    title: "Another session",
    folder: "/somewhere/else",
    before: "the line before",
    after: "the line after",
  }
  host.hits.push(other)
  const robot = await opened(host)
  await robot.press("ctrl+f", "alt+a")
  robot.shows("Search all sessions")
  await robot.type("needle")
  await robot.wait(300)
  expect(robot.frame()).toMatch(/› a needle elsewhere  Another session/)
  for (const text of ["Another session · /somewhere/else", "the line before", "the line after"]) robot.shows(text)
  host.session = other.session
  await robot.press("enter")
  await robot.wait(500)
  expect(host.connects).toBe(2)
  expect(robot.state.view.session).toBe(other.session)
  robot.shows("question 850")
  await robot.close()
})

test("without a host that answers the view is searched all the same", async () => {
  const host = longHost()
  host.answers.search = () => {
    throw new Error("gone")
  }
  const robot = await opened(host)
  await robot.press("ctrl+f")
  await robot.type("question 89")
  await robot.wait(200)
  expect(robot.frame()).toMatch(/ 10\n/)
  await robot.close()
})

test("in an output of which only the end is held, a match far above is counted and gone to", async () => {
  const host = new ScriptedHost()
  const lines = Array.from({ length: 400_000 }, (_, n) =>
    n === 40_000 ? "the needle in it" : `line ${n} of a long output`,
  )
  const bytes = new TextEncoder().encode(lines.join("\n"))
  expect(bytes.length).toBeGreaterThan(8 * 1024 * 1024)
  const place = lines.slice(0, 40_000).join("\n").length
  const pieceAt = Math.floor(place / 262_144) * 262_144
  host.answers.output = ({ from, to }) => ({
    text: new TextDecoder().decode(bytes.subarray(from, to)),
    from,
    bytes: bytes.subarray(from, to).length,
    size: bytes.length,
    ended: true,
  })
  host.answers.search = ({ query }) => ({
    hits:
      query === "needle" ? [hit(7, "the needle in it", 4, { kind: "output", output: { task: 5, at: pieceAt } })] : [],
    more: null,
    down: 0,
  })
  host.entry({
    kind: "toolResult",
    message: {
      role: "toolResult",
      toolCallId: "c",
      toolName: "bash",
      content: [{ type: "text", text: "cut" }],
      isError: false,
      timestamp: 0,
    },
    task: 5,
    outcome: "done",
    title: "long",
    durationMs: 0,
    output: { path: "/out", bytes: bytes.length },
  })
  const robot = await openRobot({ columns: 140, rows: 20, host })
  await robot.wait(300)
  robot.screen.app.store.dispatch({ type: "focus", focus: { area: "panel", id: "tool" } })
  await robot.until("line 399999 of a long output")
  await robot.press("?")
  await robot.type("needle")
  await robot.wait(200)
  expect(robot.frame()).toMatch(/\? needle +~1\n/)
  await robot.press("enter")
  await robot.until("the needle in it")
  robot.hides("line 399999")
  await robot.close()
})
