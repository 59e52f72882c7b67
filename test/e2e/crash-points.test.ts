/** A host that is ended at every moment around every commit and effect of a session's life, and opened again: nothing that was promised is broken. */
import { expect, test } from "bun:test"
import { enginePoints } from "../../src/engine/points.ts"
import { commitPoints } from "../../src/ledger/queue.ts"
import { openPoints } from "../../src/ledger/session.ts"
import { live, resultsOf, type Deaths, type Life } from "../support/kill-point.ts"

/** More would be a life of another size: the search for its last moment ends here. */
const momentsMax = 500
/** As many as this machine may be expected to have cores; each is a life in processes of its own. */
const lanes = 2

async function inLanes<T>(work: Iterable<T>, one: (item: T) => Promise<void>): Promise<void> {
  const items = work[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = items.next(); next.done !== true; next = items.next()) await one(next.value)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

function told(deaths: Deaths, { problems }: Life): readonly string[] {
  return problems.map((problem) => `${deaths.join(", ")}: ${problem}`)
}

/** The first moment of the name, the second, and so on, until a life ends without coming to it. */
function momentsOf(names: readonly string[], last: ReadonlyMap<string, number>): Iterable<string> {
  return (function* () {
    for (const name of names) {
      for (let n = 1; n <= momentsMax && !last.has(name); n++) yield `${name}:${n}`
    }
  })()
}

/** Dies once at every moment of the names; tells what was broken, and how many moments each name had. */
async function dieEverywhere(
  names: readonly string[],
): Promise<{ readonly problems: readonly string[]; readonly moments: ReadonlyMap<string, number> }> {
  const last = new Map<string, number>()
  const moments = new Map<string, number>(names.map((name) => [name, 0]))
  const problems: string[] = []
  await inLanes(momentsOf(names, last), async (death) => {
    const [name = ""] = death.split(":")
    const life = await live([death])
    problems.push(...told([death], life))
    if (life.killed) moments.set(name, (moments.get(name) ?? 0) + 1)
    else last.set(name, Number(death.split(":")[1]))
  })
  return { problems, moments }
}

/** What only a host that opens after a death comes to. */
const inheriting: readonly string[] = ["inherit", "inherited"]

test("ended at any moment around any effect, a session loses and doubles nothing", async () => {
  const names = enginePoints.filter((name) => !inheriting.includes(name))
  const { problems, moments } = await dieEverywhere([...openPoints, ...names])
  expect(problems).toEqual([])
  expect([...moments].filter(([, count]) => count === 0)).toEqual([])
}, 900_000)

test("ended just before and just after any commit, a session loses and doubles nothing", async () => {
  const { problems, moments } = await dieEverywhere(commitPoints)
  expect(problems).toEqual([])
  expect(Math.min(...moments.values())).toBeGreaterThan(40)
}, 900_000)

test("T19: ended again while it takes up what the death before it left, a session loses and doubles nothing", async () => {
  const first = [1, 2, 3, 4].map((n) => `effected:${n}`)
  const chains = [
    ...first.flatMap((death) => inheriting.map((name) => [death, `${name}:1`])),
    ["appended:2", "open:1", "opened:1", "commit:1", "committed:1", "ask:1"],
    ["effect:4", "opened:1", "opened:1", "inherit:1"],
    ["summarize:1", "summarize:1", "summarized:1"],
    // Three times in a row at every moment of an opening and of taking up.
    ...["open:1", "opened:1", "commit:1", "committed:1"].map((name) => ["appended:2", name, name, name]),
    ...inheriting.map((name) => ["effected:4", `${name}:1`, `${name}:1`, `${name}:1`]),
  ]
  const problems: string[] = []
  await inLanes(chains, async (deaths) => {
    const life = await live(deaths)
    problems.push(...told(deaths, life))
    if (!life.killed) problems.push(`${deaths.join(", ")}: not every moment came`)
  })
  expect(problems).toEqual([])
}, 300_000)

/** How the calls of a tool ended, in words. */
const ends = ({ view }: Life, tool: string): string =>
  resultsOf(view, tool)
    .map(({ outcome }) => outcome)
    .join(" ")

const attempts = ({ view }: Life): number =>
  view.entries.filter(({ data }) => data.kind === "assistant" && "again" in data && data.again === true).length

/** What a session becomes without any death: its refused answer is an attempt that is asked again, its stopped stream one that is not. */
const undisturbed = { read: "done", edit: "done", write: "done", bash: "failed aborted", attempts: 1 }

test.each<[moment: string, death: string, becomes: Partial<typeof undisturbed>]>([
  ["before the request is sent, it is asked again", "ask:1", {}],
  ["in mid-stream, what came is kept and the same is asked again", "appended:2", { attempts: 2 }],
  ["when the answer has come and is not stored, it is kept as an attempt", "answered:1", { attempts: 2 }],
  ["while a call is prepared, it is prepared anew", "prepared:4", {}],
  ["before the effect of a read, it is read", "effect:1", {}],
  ["after the effect of a read, it is read again", "effected:1", {}],
  ["between the mark of a command and its start, it is started, for it has not begun", "effect:4", {}],
  ["between the start of a command and what would find it again, it is found all the same", "remember:1", {}],
  ["after a command has ended and before its result is stored, the result is the true one", "effected:4", {}],
  ["after the result of a call is stored, nothing is done again", "settled:1", {}],
  ["while its whole output is kept, it is kept again", "kept:1", {}],
  ["while a summary is asked for, it is asked for again", "summarize:1", {}],
  ["when a summary has come and is not stored, it is asked for again", "summarized:1", {}],
])("a host that is ended %s (%s)", async (_, death, becomes) => {
  const life = await live([death])
  expect({ killed: life.killed, problems: life.problems }).toEqual({ killed: true, problems: [] })
  const became = {
    read: ends(life, "read"),
    edit: ends(life, "edit"),
    write: ends(life, "write"),
    bash: ends(life, "bash"),
    attempts: attempts(life),
  }
  expect(became).toEqual({ ...undisturbed, ...becomes })
})

test("edits that were made and not stored are told by the file itself, and made once", async () => {
  for (const death of ["effect:2", "effected:2", "effect:3", "effected:3"]) {
    const life = await live([death])
    expect(life.problems).toEqual([])
    expect(`${ends(life, "edit")} ${ends(life, "write")}`).toMatch(/^(done|reconciled) (done|reconciled)$/)
  }
})

test("a request that is asked again after a death is the same to the byte", async () => {
  const { requests } = await live(["answered:1"])
  expect(requests[1]?.bodyText).toBe(requests[0]?.bodyText ?? "")
})
