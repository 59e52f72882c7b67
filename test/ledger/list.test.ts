/**
 * Finding sessions: listed without being opened, looked into while others hold them, named by what people type,
 * deleted.
 */
import { afterEach, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SessionHeld } from "../../src/ledger/errors.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { deleteSession, listSessions, resolveSession } from "../../src/ledger/list.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { readEntries, readSession } from "../../src/ledger/peek.ts"
import { shortId, uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { aTask, say } from "../support/ledger-deeds.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function newData(): string {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  return dataDir
}

const clock = new ManualClock()

async function session(dataDir: string, id: string): Promise<Ledger> {
  const ledger = await createSession({ dataDir, id, clock })
  cleanups.push(() => ledger.close())
  return ledger
}

/** The whole id with a given end, for a given time. */
function idOf(at: number, end: string): string {
  return uuidv7(at, new Uint8Array(16)).slice(0, -end.length) + end
}

test("P12: sessions are listed by their last write, newest first, and a broken one hides no other", async () => {
  const dataDir = newData()
  expect(listSessions(dataDir)).toEqual([])
  const ids = [1_000, 2_000, 3_000, 4_000].map((at) => uuidv7(at))
  for (const id of ids) await (await session(dataDir, id)).close()
  const [plain = "", newer = "", damaged = "", gone = ""] = ids
  writeFileSync(sessionPaths(dataDir, newer).format, "cairn 99\n")
  writeFileSync(sessionPaths(dataDir, damaged).format, "?")
  rmSync(sessionPaths(dataDir, gone).db)
  mkdirSync(join(dataDir, "sessions", uuidv7(5_000)))
  mkdirSync(join(dataDir, "sessions", "something else"))
  writeFileSync(join(dataDir, "sessions", "a file"), "")
  for (const [n, id] of ids.entries()) {
    for (const path of [sessionPaths(dataDir, id).db, sessionPaths(dataDir, id).mark])
      if (existsSync(path)) utimesSync(path, n, 100 - n)
  }
  const listed = listSessions(dataDir)
  expect(listed.map(({ id, state, createdAt, updatedAt }) => [id, state, createdAt, updatedAt])).toEqual([
    [plain, "ok", 1_000, 100_000],
    [newer, "newer", 2_000, 99_000],
    [damaged, "damaged", 3_000, 98_000],
    [gone, "damaged", 4_000, 97_000],
  ])
  expect(listed.map(({ note }) => note !== "")).toEqual([false, true, true, true])
  expect(listed[0]?.bytes).toBe(statSync(sessionPaths(dataDir, plain).db).size)
})

test("a session tells its documents, its live work and its holder without being opened", async () => {
  const dataDir = newData()
  const id = uuidv7(1_000)
  const ledger = await session(dataDir, id)
  ledger.commit("relaxed", (tx) => {
    tx.setDocument(0, "title", "A walk")
    tx.setDocument(1, "model", "x")
    tx.setTask(tx.addTask(aTask).id, { status: "completed" })
    tx.addTask(aTask)
    tx.submit({ conversation: 1, requestId: "r", kind: "input", data: { text: "hello" } })
    for (const text of ["a", "b", "c"]) say(tx, text)
  })
  const look = async (): Promise<unknown> => {
    const peek = await readSession({ dataDir, id })
    if (peek.state !== "ok") return peek
    const { documents, tasks, submissions, entries, holder } = peek
    return {
      documents: documents.map(({ name, value }) => [name, value]),
      tasks: tasks.map(({ status, input }) => [status, input]),
      submissions: submissions.map(({ data }) => data),
      entries,
      holder: holder?.pid ?? null,
    }
  }
  const seen = {
    documents: [["title", "A walk"]],
    tasks: [["pending", { file: "a" }]],
    submissions: [{ text: "hello" }],
    entries: 3,
    holder: process.pid,
  }
  // In this process, by another, and closed: the same.
  expect(await look()).toEqual(seen)
  const script = `
    import { readSession } from ${JSON.stringify(join(import.meta.dir, "../../src/ledger/peek.ts"))}
    const peek = await readSession({ dataDir: ${JSON.stringify(dataDir)}, id: ${JSON.stringify(id)} })
    console.log(JSON.stringify([peek.state, peek.documents?.[0]?.value, peek.tasks?.length, peek.entries, peek.holder?.pid]))`
  const folder = sessionPaths(dataDir, id).folder
  const before = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs])
  const other = Bun.spawnSync([process.execPath, "-e", script])
  expect(JSON.parse(other.stdout.toString())).toEqual(["ok", "A walk", 1, 3, process.pid])
  expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs])).toEqual(before)
  ledger.commit("flushed", (tx) => say(tx, "unhindered"))
  await ledger.close()
  expect(await look()).toEqual({ ...seen, entries: 4, holder: null })
  const page = await readEntries({ dataDir, id }, 0, 2)
  expect(page.state === "ok" ? page.entries.map(({ data }) => data["text"]) : page).toEqual(["a", "b"])
  expect((await readSession({ dataDir, id: uuidv7(9) })).state).toBe("missing")
})

test("what people type names a session: all of its id, the beginning, or its last eight digits", async () => {
  const dataDir = newData()
  const ids = [idOf(1_000, "aaaa00000001"), idOf(1_000, "aaaa00000002"), idOf(90_000_000_000, "bbbb0000ab01")]
  for (const id of ids) await (await session(dataDir, id)).close()
  const [first = "", second = "", third = ""] = ids
  expect(resolveSession(dataDir, first)).toEqual({ status: "one", id: first })
  expect(resolveSession(dataDir, shortId(second))).toEqual({ status: "one", id: second })
  expect(resolveSession(dataDir, third.slice(0, 11).toUpperCase())).toEqual({ status: "one", id: third })
  expect(resolveSession(dataDir, first.replaceAll("-", ""))).toEqual({ status: "one", id: first })
  expect(resolveSession(dataDir, first.slice(0, 13))).toEqual({
    status: "several",
    ids: expect.arrayContaining([first, second]) as string[],
  })
  for (const name of ["", "xyz", "0000001", "ffffffff", "../etc", "%"])
    expect(resolveSession(dataDir, name)).toEqual({ status: "none" })
})

test("P10: a deleted session is gone with everything, and one that is held is not deleted", async () => {
  const dataDir = newData()
  const id = uuidv7(1_000)
  const ledger = await session(dataDir, id)
  expect(() => deleteSession({ dataDir, id }, clock.now())).toThrow(SessionHeld)
  ledger.commit("flushed", (tx) => say(tx, "still here"))
  await ledger.close()
  deleteSession({ dataDir, id }, clock.now())
  expect(readdirSync(join(dataDir, "sessions"))).toEqual([])
  expect(() => deleteSession({ dataDir, id }, clock.now())).toThrow()
  await expect(openSession({ dataDir, id, clock })).rejects.toThrow("there is no session")
})

test("a session's folder is for its owner alone, and holds what it should", async () => {
  const dataDir = newData()
  const id = uuidv7(1_000)
  await (await session(dataDir, id)).close()
  const { folder } = sessionPaths(dataDir, id)
  const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)])
  expect(Object.fromEntries(modes)).toEqual({
    "ledger.db": "600",
    lock: "600",
    mark: "600",
    format: "600",
    spool: "700",
    output: "700",
    blobs: "700",
  })
  expect([folder, join(dataDir, "sessions")].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700])
  await expect(createSession({ dataDir, id, clock })).rejects.toThrow("its folder exists")
  expect(existsSync(sessionPaths(dataDir, id).format)).toBe(true)
})

test("a session that cannot be made leaves nothing behind", async () => {
  const dataDir = newData()
  const id = uuidv7(1_000)
  mkdirSync(join(dataDir, "sessions"))
  writeFileSync(join(dataDir, "sessions", "x"), "")
  const file = join(dataDir, "sessions", "x")
  await expect(createSession({ dataDir: file, id, clock })).rejects.toThrow()
  expect(readdirSync(join(dataDir, "sessions"))).toEqual(["x"])
})
