/**
 * The table of what a restart does, its rows of calls: each puts a real process at its moment, which ends itself there by SIGKILL, and opens the
 * session in another one. What the tools did to the world is counted outside of all of them.
 */
import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { isLive, type Task } from "../../src/ledger/records.ts"
import type { ToolResultEntry } from "../../src/protocol/records.ts"
import type { View } from "../../src/protocol/view.ts"
import { fall, type Fallen, type Row, type Scene } from "../support/crash-row.ts"
import { answered, isOver, stopped } from "../support/kill-point.ts"
import { configFolder } from "../support/local-model.ts"

/** The calls are made in one turn; then the model says what it was told. A child has an answer of its own. */
function calling(...tools: readonly string[]): Scene {
  return {
    script: ({ lastUser, results }) => {
      if (lastUser === "child") return { text: ["the ", { delayMs: 100 }, "child's answer"] }
      if (results.length === 0) return { text: "I call.", toolCalls: tools.map((name) => ({ name })) }
      return { text: `told: ${results.map(({ text }) => text.split("\n")[0]).join(", ")}` }
    },
    steps: [answered("go")],
  }
}

const callsOf = ({ disk }: Fallen): readonly Task[] => disk.tasks.filter(({ kind }) => kind === "toolCall")

const results = ({ entries }: View): readonly ToolResultEntry[] =>
  entries.flatMap(({ data }) => (data.kind === "toolResult" && "message" in data ? [data] : []))

const outcomes = ({ view }: Row): readonly string[] => results(view).map(({ outcome }) => outcome)

const textsOf = ({ view }: Row): readonly string[] =>
  results(view).map(({ message }) => message.content.map((part) => (part.type === "text" ? part.text : "")).join(""))

/** How often each tool acted. */
const acts = ({ effects }: Row): readonly string[] => effects.map((line) => line.split(" ")[0] ?? "")

const isMarked = ({ checkpoint }: Task): boolean => checkpoint["dispatched"] === true

/** A call's intent is stored, and its mark is not. */
const isIntended = (fallen: Fallen): boolean =>
  callsOf(fallen).some((call) => call.phase === "execute" && !isMarked(call))

test("row 7: killed when an answer with calls is stored and none has begun, each runs once", async () => {
  const row = await fall(calling("fire", "post"), "committed", (fallen) => callsOf(fallen).length === 2)
  expect(callsOf(row).map(({ status }) => status)).toEqual(["pending", "pending"])
  expect(row.problems).toEqual([])
  expect([outcomes(row), acts(row).toSorted()]).toEqual([
    ["done", "done"],
    ["fire", "post"],
  ])
  expect(row.requests).toHaveLength(2)
})

test.each(["prepare:1", "prepared:1"])(
  "row 8: killed while a call is prepared (%s), it is prepared anew and runs once",
  async (death) => {
    const row = await fall(calling("fire"), death)
    expect(row.problems).toEqual([])
    expect([outcomes(row), acts(row)]).toEqual([["done"], ["fire"]])
  },
)

test("row 9, T06: killed when a call's intent is stored and its mark is not, it has not begun, and runs whatever its class", async () => {
  const row = await fall(calling("fire"), "commit", isIntended)
  expect(row.problems).toEqual([])
  expect([outcomes(row), acts(row)]).toEqual([["done"], ["fire"]])
})

test("row 9: killed between the mark of a call and its effect, an unsafe one is of unknown outcome and never runs again", async () => {
  const row = await fall(calling("fire"), "effect:1")
  expect(callsOf(row).map(isMarked)).toEqual([true])
  expect(row.problems).toEqual([])
  expect([outcomes(row), acts(row)]).toEqual([["unknown"], []])
})

test.each([
  ["look", "done", 2],
  ["post", "done", 2],
  ["swap", "reconciled", 1],
  ["fire", "unknown", 1],
] as const)(
  "rows 10 and 11, T08: killed when %s has acted and nothing of it is stored, its call ends as %s",
  async (tool, outcome, count) => {
    const row = await fall(calling(tool), "effected:1")
    expect(callsOf(row).map(isMarked)).toEqual([true])
    expect(row.problems).toEqual([])
    expect(outcomes(row)).toEqual([outcome])
    // Also where it acted twice, its receiver saw one and the same key.
    expect(row.effects).toEqual(Array(count).fill(row.effects[0] ?? ""))
    expect(row.effects[0]).toStartWith(`${tool} `)
    expect(textsOf(row)[0]).toContain(outcome === "unknown" ? "half of it" : `${tool} is done`)
  },
)

test("rows 12 and 28, T09: killed when a result is stored and nobody was told, it is there once and the call does not run again", async () => {
  const row = await fall(calling("fire"), "committed", ({ disk }) =>
    disk.entries.some(({ kind }) => kind === "toolResult"),
  )
  expect(results(row.seen)).toEqual([])
  expect(row.problems).toEqual([])
  expect([outcomes(row), acts(row)]).toEqual([["done"], ["fire"]])
})

test("row 13: killed when all calls have ended and the turn has not, the next turn has all their results", async () => {
  const row = await fall(calling("fire", "post"), "commit", (fallen) => {
    const calls = callsOf(fallen)
    return calls.length === 2 && !calls.some(isLive) && fallen.asked === 1
  })
  expect(row.problems).toEqual([])
  expect(outcomes(row)).toEqual(["done", "done"])
  expect(acts(row).toSorted()).toEqual(["fire", "post"])
  expect(row.requests.map(({ results }) => results.length)).toEqual([0, 2])
})

test("row 14: killed between two calls that run one after the other, the second runs, and in its turn", async () => {
  const row = await fall(calling("walk", "walk"), "committed", (fallen) => {
    const [first, second] = callsOf(fallen)
    return first?.status === "completed" && second !== undefined && !isMarked(second)
  })
  expect(row.problems).toEqual([])
  expect(outcomes(row)).toEqual(["done", "done"])
  expect(row.effects).toEqual(callsOf(row).map(({ id }) => `walk ${row.view.session}:${id}`))
})

test("row 23, T21: killed when a stop has reached a running call and its end is not stored, the call has one result", async () => {
  const scene: Scene = {
    ...calling("hold"),
    steps: [stopped("go", (view) => JSON.stringify([...view.progress.values()]).includes("holding"))],
  }
  const row = await fall(scene, "commit", (fallen) => callsOf(fallen).some(({ abort }) => abort !== null))
  expect(row.problems).toEqual([])
  expect(acts(row)).toEqual(["hold"])
  expect(results(row.view)).toHaveLength(1)
  expect(["aborted", "unknown"]).toContain(outcomes(row)[0] ?? "")
  expect(row.requests).toHaveLength(1)
  expect(row.end.submissions.map(({ status }) => status)).toEqual(["unanswered"])
})

const children = ({ end }: Row): readonly (readonly string[])[] =>
  end.conversations
    .filter(({ owner }) => owner !== null)
    .map(({ id }) => end.submissions.filter(({ conversation }) => conversation === id).map(({ status }) => status))

test.each<[when: string, moment: string, is: (fallen: Fallen) => boolean]>([
  ["before its child is made", "effect:1", () => true],
  ["when its child is made and not asked", "committed", ({ disk }) => disk.conversations.length === 2],
  ["while its child works", "append", ({ asked }) => asked === 2],
  [
    "when its child has answered",
    "committed",
    ({ disk }) => disk.submissions.some(({ conversation, status }) => conversation !== 1 && status === "done"),
  ],
])(
  "row 25, T31: a call that asks an agent of its own, killed %s, has one child, one input and one answer",
  async (_, moment, is) => {
    const row = await fall(calling("ask"), moment, is)
    expect(row.problems).toEqual([])
    expect(children(row)).toEqual([["done"]])
    expect(outcomes(row)).toEqual(["done"])
    expect(textsOf(row)).toEqual(["the child: the child's answer"])
  },
)

test("row 26: where the call that asked does not run again, its child is stopped", async () => {
  const row = await fall(calling("askOnce"), "append", ({ asked }) => asked === 2)
  expect(row.problems).toEqual([])
  expect(outcomes(row)).toEqual(["unknown"])
  expect(children(row)).toEqual([["unanswered"]])
  expect(row.effects).toHaveLength(1)
})

test("row 27, T21: killed when a stop of a run with a child is stored, the child ends too and nothing is asked any more", async () => {
  const scene: Scene = {
    script: (request) =>
      request.lastUser === "child"
        ? { text: ["the child", { until: request.closed }] }
        : { toolCalls: [{ name: "ask" }] },
    steps: [stopped("go", (view) => JSON.stringify([...view.progress.values()]).includes("the child"))],
  }
  const row = await fall(scene, "committed", ({ disk }) => disk.tasks.some(({ abort }) => abort !== null))
  expect(row.problems).toEqual([])
  expect(row.requests).toHaveLength(2)
  expect(children(row)).toEqual([["unanswered"]])
  expect(row.end.tasks.filter(isLive)).toEqual([])
})

test("row 30, T35: killed before a call whose tool is gone at the next opening, the call has not begun, and the run goes on", async () => {
  const scene: Scene = {
    ...calling("fire"),
    meanwhile: (machine) => rmSync(join(configFolder(machine), "extensions", "lab.ts")),
  }
  const row = await fall(scene, "commit", isIntended)
  expect(row.problems).toEqual([])
  expect([outcomes(row), acts(row)]).toEqual([["not started"], []])
  expect(isOver(row.view, "go")).toBe(true)
})
