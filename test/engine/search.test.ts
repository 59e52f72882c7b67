/** Searching a session beside its work: everything that was said and printed is found, in pages, and the newest search wins. */
import { afterEach, expect, test } from "bun:test"
import { begin, openEngine, type Engine } from "../../src/engine/engine.ts"
import { append } from "../../src/engine/entries.ts"
import { defaultSettings, type Matcher } from "../../src/engine/options.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { createSession } from "../../src/ledger/open.ts"
import { searchTexts, compileQuery } from "../../src/std/query.ts"
import type { Command, SearchHit, SearchPage } from "../../src/protocol/port.ts"
import type { EntryData } from "../../src/protocol/records.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const user = (text: string): EntryData => ({ kind: "user", content: [{ type: "text", text }], submission: 1 })

function result(task: number, text: string, path?: string): EntryData {
  const content = [{ type: "text", text }] as const
  const message = {
    role: "toolResult",
    toolCallId: "c",
    toolName: "bash",
    content,
    isError: false,
    timestamp: 0,
  } as const
  const output = path === undefined ? {} : { output: { path, bytes: 1 } }
  return { kind: "toolResult", message, task, outcome: "done", title: "bash", durationMs: 1, ...output }
}

type World = {
  readonly ledger: Ledger
  readonly engine: Engine
  find(query: string, more?: Partial<Search>): Promise<SearchPage>
}
type Search = Extract<Command, { type: "search" }>

async function world(match?: Matcher): Promise<World> {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const clock = systemClock
  const ledger = await createSession({ dataDir, id: uuidv7(clock.now()), clock })
  begin(ledger, { folder: "/", agent: { model: "p/m", thinking: "off", tools: [] } })
  const engine = openEngine({
    ledger,
    clock,
    models: { resolve: () => ({ ok: false, problem: "none" }), api: refuse, key: refuse, list: async () => [] },
    tools: [],
    instructions: { system: () => "", files: [] },
    settings: defaultSettings,
    machine: { folder: "/", home: "/", cache: "/", env: {}, refused: [], readable: [] },
    random: () => 0.5,
    match,
    consent: "now",
    report: () => {},
  })
  cleanups.push(() => engine.close())
  const find = (query: string, more: Partial<Search> = {}): Promise<SearchPage> =>
    engine.port.request({ type: "search", client: "main", conversation: 1, query, regex: false, limit: 100, ...more })
  return { ledger, engine, find }
}

const refuse = (): never => {
  throw new Error("no model is asked here")
}

function say(ledger: Ledger, ...entries: readonly EntryData[]): readonly number[] {
  return ledger.commit("relaxed", (tx) => entries.map((data) => append(tx, { conversation: 1 }, data).id)).value
}

const told = ({ hits }: { readonly hits: readonly SearchHit[] }): readonly string[] =>
  hits.map(
    ({ kind, count, line, from, to }) =>
      `${kind} ${count}: ${line.slice(0, from)}[${line.slice(from, to)}]${line.slice(to)}`,
  )

test("what was said is found newest first, with how often and the first line that says it", async () => {
  const { ledger, find } = await world()
  say(ledger, user("a needle\nand a Needle, needle"), user("hay"), result(5, "found one needle"))
  expect(told(await find("needle"))).toEqual(["output 1: found one [needle]", "input 3: a [needle]"])
  expect(told(await find("Needle"))).toEqual(["input 1: and a [Needle], needle"])
  expect(told(await find("^a.*le$", { regex: true }))).toEqual(["input 2: [a needle]"])
  expect(await find("nowhere")).toEqual({ hits: [], more: null, down: 0 })
  expect(await find("")).toEqual({ hits: [], more: null, down: 0 })
  expect(find("(", { regex: true })).rejects.toThrow("Not a regular expression")
})

test("an output of which the entry says only a part is found whole, in pieces that are lines", async () => {
  const { ledger, find } = await world()
  const task = 77
  const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n} of the output 中文`)
  const spool = ledger.spools.open(task, 1)
  for (let at = 0; at < lines.length; at += 1_000) spool.append(lines.slice(at, at + 1_000).join("\n") + "\n")
  spool.close()
  const path = await ledger.spools.keep(task, 1)
  say(ledger, result(task, "line 39999 of the output 中文", path ?? ""), user("after it"))
  expect(told(await find("line 20001 "))).toEqual(["output 1: [line 20001 ]of the output 中文"])
  const all: SearchHit[] = []
  for (let after: string | undefined; ;) {
    const page = await find("of the output 中文", { limit: 1, after })
    all.push(...page.hits)
    if (page.more === null) break
    after = page.more
  }
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(lines.length)
  expect(all.every(({ output }) => output?.task === task)).toBe(true)
  expect(new Set(all.map(({ output }) => output?.at)).size).toBe(all.length)
})

test("pages go on where the last one ended, every entry once, for any number of entries", async () => {
  const { ledger, find } = await world()
  const ids = Array.from({ length: 260 }, (_, n) => say(ledger, user(`needle ${n} ${"x".repeat(3_000)}`))[0] ?? 0)
  const seen: number[] = []
  let pages = 0
  for (let after: string | undefined; ; pages++) {
    const page = await find("needle", { limit: 7, after })
    seen.push(...page.hits.map(({ entry }) => entry))
    if (page.more === null) break
    expect(page.hits.every(({ entry }) => entry >= page.down)).toBe(true)
    after = page.more
  }
  expect(seen).toEqual(ids.toReversed())
  expect(pages).toBeGreaterThan(5)
  expect(find("needle", { after: "somewhere" })).rejects.toThrow("where its last page said")
})

test("a fork is searched with what it sees, and all conversations each once", async () => {
  const { ledger, engine, find } = await world()
  const [first = 0] = say(ledger, user("needle one"))
  say(ledger, user("needle two"))
  const { conversation } = await engine.port.request({ type: "fork", conversation: 1, entry: first })
  ledger.commit("relaxed", (tx) => append(tx, { conversation }, user("needle three")))
  const lines = async (conversation: number | null): Promise<readonly string[]> =>
    (await find("needle", { conversation })).hits.map(({ line }) => line)
  expect(await lines(conversation)).toEqual(["needle three", "needle one"])
  expect(await lines(1)).toEqual(["needle two", "needle one"])
  expect(await lines(null)).toEqual(["needle three", "needle two", "needle one"])
})

test("an expression is held against the texts where it can be ended, and one that takes too long is told", async () => {
  let asked = 0
  const { ledger, find } = await world(async (texts, query) => {
    asked++
    if (query === "slow+") return { problem: "That expression takes too long." }
    const compiled = compileQuery(query, true)
    return { matches: compiled.ok ? searchTexts(texts, compiled.pattern, true) : [] }
  })
  say(ledger, user("a needle"))
  expect(told(await find("ne{2}dle", { regex: true }))).toEqual(["input 1: a [needle]"])
  expect(find("slow+", { regex: true })).rejects.toThrow("takes too long")
  expect(asked).toBe(2)
})

test("the newest search of a client ends its older one, and nobody else's", async () => {
  const { ledger, find } = await world()
  const long = `needle ${"x".repeat(60_000)}`
  for (let n = 0; n < 120; n++) say(ledger, user(long))
  const [older, other, newer] = [find("nowhere"), find("nowhere", { client: "other" }), find("needle", { limit: 1 })]
  const [first, second, third] = await Promise.allSettled([older, other, newer])
  expect(first).toMatchObject({ status: "rejected", reason: { code: "superseded" } })
  expect([second?.status, third?.status]).toEqual(["fulfilled", "fulfilled"])
})
