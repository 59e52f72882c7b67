/**
 * Lists of sessions and searches over all of them, on real ledgers: what was said since is in them, what is gone is not, and nothing depends on
 * the index being there.
 */
import { afterEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { append } from "../../src/engine/entries.ts"
import { begin } from "../../src/engine/engine.ts"
import { rememberFolder } from "../../src/cli/folder-identity.ts"
import { indexAll, searchSessions } from "../../src/cli/session-search.ts"
import { summaries } from "../../src/cli/session-rows.ts"
import { sessionsPort } from "../../src/cli/sessions.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { Ledger, Tx } from "../../src/ledger/ledger.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { withIndex } from "../../src/ledger/index-file.ts"
import type { EntryData } from "../../src/protocol/records.ts"
import type { SessionHit } from "../../src/protocol/sessions.ts"
import { noUsage } from "../../src/message/usage.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { ManualClock } from "../support/manual-clock.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const clock = new ManualClock()

function world(): { readonly dataDir: string; folder(name: string): string } {
  const root = mkdtempSync(join(tmpdir(), "cairn-search-"))
  cleanups.push(() => rmSync(root, { recursive: true, force: true }))
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  }
  return { dataDir: join(root, "data"), folder }
}

const user = (text: string): EntryData => ({ kind: "user", content: [{ type: "text", text }], submission: 1 })
const result = (text: string): EntryData => ({
  kind: "toolResult",
  message: {
    role: "toolResult",
    toolCallId: "c",
    toolName: "bash",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 0,
  },
  task: 1,
  outcome: "done",
  title: "bash",
  durationMs: 1,
})
function answer(text: string, thinking = ""): EntryData {
  const message = {
    role: "assistant",
    content: [
      { type: "thinking", thinking },
      { type: "text", text },
    ],
    api: "a",
    provider: "p",
    model: "m",
    usage: noUsage,
    stopReason: "stop",
    timestamp: 0,
  } as const
  return { kind: "assistant", message, attempt: 1 }
}

function say(tx: Tx, entries: readonly EntryData[]): void {
  for (const data of entries) append(tx, { conversation: 1 }, data)
}

let made = 0
async function session(dataDir: string, folder: string, title: string, entries: readonly EntryData[]): Promise<Ledger> {
  const ledger = await createSession({ dataDir, id: uuidv7(1_700_000_000_000 + ++made * 1_000), clock })
  begin(ledger, { folder, agent: { model: "p/m", thinking: "off", tools: [] } })
  rememberFolder(ledger, folder)
  ledger.commit("relaxed", (tx) => {
    tx.setDocument(0, "session", { ...(tx.live.document(0, "session")?.value as object), title }, 1)
    say(tx, entries)
  })
  return ledger
}

async function closed(
  dataDir: string,
  folder: string,
  title: string,
  entries: readonly EntryData[] = [],
): Promise<string> {
  const ledger = await session(dataDir, folder, title, entries)
  await ledger.close()
  return ledger.session
}

async function search(dataDir: string, text: string, folder?: string): Promise<readonly SessionHit[]> {
  await summaries(dataDir, { archived: true })
  await indexAll(dataDir, async () => true)
  return (await searchSessions(dataDir, { text, limit: 50, folder }, clock)).hits
}

const titles = async (dataDir: string, folder?: string): Promise<readonly string[]> =>
  (await summaries(dataDir, { folder })).map(({ title }) => title)

test("everything that was said is found with its place, also while the session is open, and reasoning is not", async () => {
  const { dataDir, folder } = world()
  const ledger = await session(dataDir, folder("a"), "Mend the parser", [
    user("first line\nplease look at the Tokenizer\nlast line"),
    answer("the tokenizer is fine", "hmm, is it the zebra?"),
    result("ran the tokenizer tests"),
  ])
  cleanups.push(() => ledger.close())
  const hits = await search(dataDir, "tokenizer")
  expect(hits.map(({ kind, line }) => [kind, line])).toEqual([
    ["output", "ran the tokenizer tests"],
    ["answer", "the tokenizer is fine"],
    ["input", "please look at the Tokenizer"],
  ])
  const { before, line, after, from, to, title, session: id } = hits[2] ?? ({} as SessionHit)
  expect([before, line.slice(from, to), after, title, id]).toEqual([
    "first line",
    "Tokenizer",
    "last line",
    "Mend the parser",
    ledger.session,
  ])
  expect((await search(dataDir, "Tokenizer")).length).toBe(1)
  expect(await search(dataDir, "zebra")).toEqual([])
  ledger.commit("relaxed", (tx) => say(tx, [user("a zebra after all")]))
  expect((await search(dataDir, "zebra")).map(({ line }) => line)).toEqual(["a zebra after all"])
  expect((await search(dataDir, "mend")).map(({ kind, entry }) => [kind, entry])).toEqual([["title", 0]])
})

test("pages follow each other, titles first, and nothing comes twice", async () => {
  const { dataDir, folder } = world()
  for (const n of [1, 2, 3]) await closed(dataDir, folder("a"), `needle ${n}`, [user(`a needle in ${n}`), user("hay")])
  await search(dataDir, "needle")
  const all: string[] = []
  let after: string | undefined
  for (let pages = 0; pages < 10; pages++) {
    const page = await searchSessions(dataDir, { text: "needle", limit: 3, after }, clock)
    expect(page.hits.length).toBeLessThanOrEqual(3)
    all.push(...page.hits.map(({ kind, line }) => `${kind}: ${line}`))
    after = page.more ?? undefined
    if (after === undefined) break
  }
  expect(all).toEqual(
    [3, 2, 1].map((n) => `title: needle ${n}`).concat([3, 2, 1].map((n) => `input: a needle in ${n}`)),
  )
})

test("of an output both ends are found, and of a long line the part that matches is shown", async () => {
  const { dataDir, folder } = world()
  const long = `${"x".repeat(3_000)} beginning ${"y".repeat(50_000)} middle ${"z".repeat(50_000)} ending ${"w".repeat(500)}`
  await closed(dataDir, folder("a"), "Long", [result(long)])
  expect(await search(dataDir, "middle")).toEqual([])
  for (const word of ["beginning", "ending"]) {
    const [hit] = await search(dataDir, word)
    expect([hit?.line.slice(hit.from, hit.to), (hit?.line.length ?? 0) <= 200]).toEqual([word, true])
  }
})

test("two characters are found as well, in one folder or in all (Chinese words)", async () => {
  const { dataDir, folder } = world()
  await closed(dataDir, folder("a"), "A", [user("修复搜索功能")])
  await closed(dataDir, folder("b"), "B", [user("搜索文件")])
  expect((await search(dataDir, "搜索")).map(({ title }) => title)).toEqual(["B", "A"])
  expect((await search(dataDir, "搜索", folder("a"))).map(({ title }) => title)).toEqual(["A"])
})

test("a list is right after the index was deleted, after sessions came and went, and with an old index (19)", async () => {
  const { dataDir, folder } = world()
  const first = await closed(dataDir, folder("a"), "First", [user("needle")])
  expect(await titles(dataDir)).toEqual(["First"])
  await search(dataDir, "needle")
  const old = readFileSync(join(dataDir, "index.db"))
  await closed(dataDir, folder("a"), "Second", [user("needle")])
  expect(await titles(dataDir)).toEqual(["Second", "First"])
  rmSync(join(dataDir, "index.db"))
  expect(await titles(dataDir)).toEqual(["Second", "First"])
  renameSync(sessionPaths(dataDir, first).folder, join(dataDir, "elsewhere"))
  expect(await titles(dataDir)).toEqual(["Second"])
  expect((await search(dataDir, "needle")).map(({ title }) => title)).toEqual(["Second"])
  writeFileSync(join(dataDir, "index.db"), old)
  expect(await titles(dataDir)).toEqual(["Second"])
  expect((await search(dataDir, "needle")).map(({ title }) => title)).toEqual(["Second"])
})

test("a session that cannot be read is told as such and hides no other (1, 9)", async () => {
  const { dataDir, folder } = world()
  for (const title of ["One", "Two", "Three"]) await closed(dataDir, folder("a"), title)
  await titles(dataDir)
  const bad = uuidv7(1_700_000_000_000)
  mkdirSync(sessionPaths(dataDir, bad).folder)
  writeFileSync(sessionPaths(dataDir, bad).format, "cairn 1\n")
  writeFileSync(sessionPaths(dataDir, bad).db, Buffer.alloc(400))
  const listed = await summaries(dataDir, {})
  expect(listed.map(({ title, state }) => [title, state])).toEqual([
    ["", "damaged"],
    ["Three", "ok"],
    ["Two", "ok"],
    ["One", "ok"],
  ])
  expect(listed[0]?.note).not.toBe("")
})

test("a session whose history is another one now is read anew", async () => {
  const { dataDir, folder } = world()
  const id = await closed(dataDir, folder("a"), "One", [user("the first history"), user("more of it")])
  expect((await search(dataDir, "history")).length).toBe(1)
  const other = world()
  const ledger = await createSession({ dataDir: other.dataDir, id, clock: new ManualClock(5_000) })
  begin(ledger, { folder: folder("a"), agent: { model: "p/m", thinking: "off", tools: [] } })
  ledger.commit("relaxed", (tx) => {
    tx.setDocument(0, "session", { title: "One", folder: folder("a"), createdAt: 0 }, 1)
    say(tx, [user("a second history"), user("x"), user("y")])
  })
  await ledger.close()
  rmSync(sessionPaths(dataDir, id).folder, { recursive: true })
  renameSync(sessionPaths(other.dataDir, id).folder, sessionPaths(dataDir, id).folder)
  expect((await search(dataDir, "history")).map(({ line }) => line)).toEqual(["a second history"])
})

test("sessions of a folder are found after it was moved, and are not those of a new folder in its place", async () => {
  const { dataDir, folder } = world()
  const before = folder("before")
  await closed(dataDir, before, "Here")
  renameSync(before, `${before}-moved`)
  expect(await titles(dataDir, `${before}-moved`)).toEqual(["Here"])
  expect(await titles(dataDir, folder("other"))).toEqual([])
})

test("quick lists say what was known, and write nothing", async () => {
  const { dataDir, folder } = world()
  const id = await closed(dataDir, folder("a"), "Old name")
  expect(await summaries(dataDir, { quick: true })).toEqual([])
  await titles(dataDir)
  await sessionsPort(dataDir).change(id, { title: "New name" })
  expect((await summaries(dataDir, { quick: true })).map(({ title }) => title)).toEqual(["Old name"])
  expect(await titles(dataDir)).toEqual(["New name"])
})

test("a session is renamed, put away, thrown away and taken back", async () => {
  const { dataDir, folder } = world()
  const id = await closed(dataDir, folder("a"), "One", [user("do it"), answer("done")])
  const port = sessionsPort(dataDir)
  expect(await port.preview(id)).toEqual({ input: "do it", answer: "done" })
  await port.change(id, { title: " Renamed " })
  await port.change(id, { archived: true })
  expect(await titles(dataDir)).toEqual([])
  expect((await summaries(dataDir, { archived: true })).map(({ title, archived }) => [title, archived])).toEqual([
    ["Renamed", true],
  ])
  await port.change(id, { archived: false, tags: ["#Parser", "urgent parser"] })
  expect((await summaries(dataDir, { tags: ["urgent", "parser"] })).map(({ tags }) => tags)).toEqual([
    ["parser", "urgent"],
  ])
  expect(await summaries(dataDir, { tags: ["urgent", "other"] })).toEqual([])
  await port.remove(id)
  expect(await titles(dataDir)).toEqual([])
  expect(port.remove(id)).rejects.toThrow("there is no session")
  await port.restore(id)
  expect(await titles(dataDir)).toEqual(["Renamed"])
  expect(port.restore(id)).rejects.toThrow("there is no session")
  expect(port.change(id, { title: " " })).rejects.toThrow("empty")
  const held = await openSession({ dataDir, id, clock })
  cleanups.push(() => held.close())
  expect(port.remove(id)).rejects.toThrow("is held by")
})

test("a name is an id, a part of one, a path or a title; of an unknown one the near ones are told (8)", async () => {
  const { dataDir, folder } = world()
  const a = await closed(dataDir, folder("a"), "Mend the parser")
  const b = await closed(dataDir, folder("b"), "Write the manual")
  const { find } = sessionsPort(dataDir)
  expect(await find(a.slice(-8))).toEqual({ status: "one", id: a })
  expect(await find("mend the PARSER")).toEqual({ status: "one", id: a })
  expect(await find(sessionPaths(dataDir, b).folder)).toEqual({ status: "one", id: b })
  expect(await find(sessionPaths(dataDir, b).db)).toEqual({ status: "one", id: b })
  const near = await find("manual")
  expect(near.status === "none" && near.near.map(({ title }) => title)).toEqual(["Write the manual"])
  expect((await find("/no/such/path")).status).toBe("none")
})

test("an index that cannot be written is done without", async () => {
  const { dataDir, folder } = world()
  await closed(dataDir, folder("a"), "One", [user("needle")])
  mkdirSync(join(dataDir, "index.db"))
  writeFileSync(join(dataDir, "index.db", "x"), "")
  expect(withIndex(dataDir, () => 1)).toBe(null)
  expect(await titles(dataDir)).toEqual(["One"])
  expect(await search(dataDir, "needle")).toEqual([])
})

test("where the data folder takes no file, its sessions are searched all the same, by an index of this process", async () => {
  const { dataDir, folder } = world()
  await closed(dataDir, folder("a"), "One", [user("needle")])
  rmSync(join(dataDir, "index.db"), { force: true })
  // As on a read-only disk: not even the lock of the index can be opened for writing.
  rmSync(join(dataDir, "index.lock"), { force: true })
  mkdirSync(join(dataDir, "index.lock"))
  expect(await titles(dataDir)).toEqual(["One"])
  expect((await search(dataDir, "needle")).map(({ line }) => line)).toEqual(["needle"])
  await closed(dataDir, folder("a"), "Two", [user("another needle")])
  expect((await search(dataDir, "needle")).map(({ line }) => line)).toEqual(["another needle", "needle"])
  expect(readdirSync(dataDir).filter((name) => name.startsWith("index"))).toEqual(["index.lock"])
})
