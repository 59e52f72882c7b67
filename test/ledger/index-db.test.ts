/**
 * The index over all sessions: what is put in is found, by parts of words in any writing; what is wrong with its file costs nothing but
 * the time to fill it again.
 */
import { afterEach, expect, test } from "bun:test"
import { closeSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { gramsOf, indexReads, type IndexDb, type IndexQuery, type IndexText } from "../../src/ledger/index-db.ts"
import { withIndex } from "../../src/ledger/index-file.ts"
import { flock, openLockFile } from "../../src/ledger/flock.ts"
import { scratch } from "../support/ledger-backends.ts"

const cleanups: (() => unknown)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup()
})

function newData(): string {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  mkdirSync(join(dataDir, "sessions"), { recursive: true })
  return dataDir
}

function index<T>(dataDir: string, work: (index: IndexDb) => T): T {
  const done = withIndex(dataDir, (it) => ({ value: work(it) }))
  if (done === null) throw new Error("there is no index to be had")
  return done.value
}

const said = (entry: number, text: string): IndexText => ({
  entry,
  conversation: 1,
  at: entry * 10,
  kind: "input",
  text,
})

/** Puts texts of a session in, as entries 1, 2, …; all of them where `stamp` is given. */
function put(dataDir: string, id: string, texts: readonly string[], stamp = "s"): void {
  index(dataDir, (it) => {
    it.putRows([{ id, stamp, value: { title: id } }])
    it.putTexts(
      id,
      0,
      texts.map((text, place) => said(place + 1, text)),
      { entry: texts.length, at: texts.length * 10, stamp },
    )
  })
}

function ask(contains: string, more: Partial<IndexQuery> = {}): IndexQuery {
  const wanted = (text: string): boolean => text.toLowerCase().includes(contains.toLowerCase())
  return { contains, wanted, sessions: null, below: null, limit: 100, enough: () => false, ...more }
}

const found = (dataDir: string, query: IndexQuery): readonly string[] =>
  index(dataDir, (it) => it.search(query)).hits.map(({ session, entry }) => `${session}${entry}`)

test("a text is found by any part of it, newest first: code, capitals, Chinese, one letter", () => {
  const dataDir = newData()
  put(dataDir, "a", ["const retryDelayMs = 2_000", "中文的搜索功能", "a 👩‍👩‍👧 family"])
  put(dataDir, "b", ["RETRYDELAYMS again", 'he said "stop * now"', "x"])
  expect(found(dataDir, ask("trydelay"))).toEqual(["b1", "a1"])
  expect(found(dataDir, ask("retryDelay", { wanted: (text) => text.includes("retryDelay") }))).toEqual(["a1"])
  expect(found(dataDir, ask("搜索功"))).toEqual(["a2"])
  expect(found(dataDir, ask("搜索"))).toEqual(["a2"])
  expect(found(dataDir, ask("👩‍👩‍👧"))).toEqual(["a3"])
  expect(found(dataDir, ask('"stop *'))).toEqual(["b2"])
  expect(found(dataDir, ask("x"))).toEqual(["b3"])
  expect(found(dataDir, ask("ms", { sessions: new Set(["a"]) }))).toEqual(["a1"])
  expect(found(dataDir, ask("nowhere"))).toEqual([])
  expect([gramsOf("ab"), gramsOf('a"bc')]).toEqual([null, '"a""b" AND """bc"'])
})

test("a search goes on where it paused, and every hit comes once", () => {
  const dataDir = newData()
  put(
    dataDir,
    "a",
    Array.from({ length: 25 }, (_, place) => `needle ${place}`),
  )
  for (const contains of ["needle", "n"]) {
    const all: number[] = []
    for (let below: number | null = null, first = true; first || below !== null; first = false) {
      let looked = 0
      const page = index(dataDir, (it) => it.search(ask(contains, { below, limit: 10, enough: () => ++looked >= 4 })))
      all.push(...page.hits.map(({ entry }) => entry))
      below = page.below
    }
    expect(all).toEqual(Array.from({ length: 25 }, (_, place) => 25 - place))
  }
})

test("texts are added once, by whoever is first", () => {
  const dataDir = newData()
  put(dataDir, "a", ["one", "two"], "")
  const add = (after: number, text: string): boolean =>
    index(dataDir, (it) => it.putTexts("a", after, [said(3, text)], { entry: 3, at: 30, stamp: "now" }))
  expect([add(2, "three"), add(2, "three again")]).toEqual([true, false])
  expect(found(dataDir, ask("three"))).toEqual(["a3"])
  expect(index(dataDir, (it) => it.row("a"))).toMatchObject({ texts: "now", textTo: 3, textAt: 30 })
})

test("what is forgotten is not found, and its row stays or goes", () => {
  const dataDir = newData()
  put(dataDir, "a", ["something"])
  put(dataDir, "b", ["something"])
  put(dataDir, "c", ["something"])
  index(dataDir, (it) => {
    it.dropTexts("a")
    it.drop(["b", "no such"])
  })
  expect(found(dataDir, ask("something"))).toEqual(["c1"])
  const rows = index(dataDir, (it) => it.rows())
  expect(rows.map(({ id, texts, textTo }) => [id, texts, textTo])).toEqual([
    ["a", "", 0],
    ["c", "s", 1],
  ])
})

test("without sessions there is no index, and none is made", () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  expect(withIndex(dataDir, () => 1)).toBe(null)
  expect(existsSync(join(dataDir, "index.db"))).toBe(false)
})

const damages: Readonly<Record<string, (path: string) => void>> = {
  "is no database": (path) => writeFileSync(path, "not a database, but long enough to be looked at: ".repeat(50)),
  "is empty": (path) => writeFileSync(path, ""),
  "is of another version": (path) => {
    const db = new Database(path)
    db.run("PRAGMA user_version = 99")
    db.close()
  },
  "lacks a table": (path) => {
    const db = new Database(path)
    db.run("DROP TABLE texts")
    db.close()
  },
  "has zeros in it": (path) => {
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0, 4096))
  },
}

test.each(Object.entries(damages))("a file that %s is made anew, and can be filled again", (_, damage) => {
  const dataDir = newData()
  put(dataDir, "a", ["needle"])
  damage(join(dataDir, "index.db"))
  expect(index(dataDir, (it) => it.search(ask("needle")).hits.length + it.rows().length)).toBe(0)
  put(dataDir, "a", ["needle"])
  expect(found(dataDir, ask("needle"))).toEqual(["a1"])
  expect(statSync(join(dataDir, "index.db")).mode & 0o777).toBe(0o600)
})

test("while somebody puts another file in its place there is no answer", () => {
  const dataDir = newData()
  put(dataDir, "a", ["needle"])
  const fd = openLockFile(join(dataDir, "index.lock"))
  expect(flock(fd)).toBe("taken")
  expect(withIndex(dataDir, (it) => it.rows())).toBe(null)
  closeSync(fd)
  expect(found(dataDir, ask("needle"))).toEqual(["a1"])
})

test("every reading of one session or one place uses an index", () => {
  const dataDir = newData()
  put(dataDir, "a", ["needle"])
  const db = new Database(join(dataDir, "index.db"))
  cleanups.push(() => db.close())
  const plan = (sql: string): string =>
    db
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql.replaceAll("?", "1")}`)
      .all()
      .map(({ detail }) => detail)
      .join("; ")
  expect(plan(indexReads.row)).toContain("USING INDEX")
  expect(plan(indexReads.scan)).toContain("SEARCH it USING INTEGER PRIMARY KEY")
  expect(plan(indexReads.matches)).toContain("VIRTUAL TABLE INDEX")
  expect(plan(indexReads.matches)).not.toContain("TEMP B-TREE")
})
