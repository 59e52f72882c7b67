/** `cairn sessions …` as a person uses it, on sessions that were made by runs and then met with an accident. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { self } from "../../src/ledger/holder.ts"
import { takeLock } from "../../src/ledger/lock.ts"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { configFor, localMachine, writeConfig } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({
    key: "k",
    script: ({ said }) => ({ text: `answer to ${said.at(-1)?.text ?? ""}` }),
  })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const cairn = (machine: Machine, ...args: string[]) => runBinary(machine, args)
const folderOf = (machine: Machine): string => join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")

type Listed = { readonly id: string; readonly title: string; readonly state: string }

async function listed(machine: Machine): Promise<readonly Listed[]> {
  const { stdout } = await cairn(machine, "sessions", "list", "--all", "--json")
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Listed]))
}

async function idOf(machine: Machine, title: string): Promise<string> {
  return (await listed(machine)).find((it) => it.title === title)?.id ?? ""
}

/** A machine with a session for each text. */
async function machineWith(...texts: string[]): Promise<Machine> {
  const machine = localMachine(server)
  for (const text of texts) expect((await cairn(machine, "-p", text)).status).toBe(0)
  return machine
}

test("field report 1: a session of NUL bytes is told by its path, hides no other, and is set aside when that is wanted", async () => {
  using machine = await machineWith("one", "two", "three", "four")
  const id = await idOf(machine, "two")
  const ledger = join(folderOf(machine), id, "ledger.db")
  writeFileSync(ledger, Buffer.alloc(400))

  const list = await cairn(machine, "sessions", "list")
  expect(list.status).toBe(0)
  for (const title of ["one", "three", "four"]) expect(list.stdout).toContain(title)
  expect(list.stderr).toContain(`1 session could not be read; --all says why: ${join(folderOf(machine), id)}`)
  const opened = await cairn(machine, "--session", id, "-p", "go on")
  expect(opened).toMatchObject({ status: 1, stdout: "" })
  expect(opened.stderr).toContain(
    `is damaged: file is not a database; "cairn sessions check ${id.slice(-8)}" says what is whole`,
  )
  // The newest of the folder is another one, and goes on.
  expect(await cairn(machine, "-c", "-p", "more")).toMatchObject({ status: 0, stdout: "answer to more\n" })

  const asked = await cairn(machine, "sessions", "check", "--all")
  expect(asked.status).toBe(1)
  expect(asked.stdout.match(/ {2}ok\n/g)).toHaveLength(3)
  expect(asked.stdout).toContain(`cairn sessions check ${id.slice(-8)} --accept`)
  expect(readFileSync(ledger)).toEqual(Buffer.alloc(400))
  const done = await cairn(machine, "sessions", "check", id, "--accept")
  expect(done).toMatchObject({ status: 0 })
  const aside = join(folderOf(machine), "..", "damaged", id, "ledger.db")
  expect(readFileSync(aside)).toEqual(Buffer.alloc(400))
  expect((await cairn(machine, "sessions", "check", "--all")).status).toBe(0)
})

test("what is whole of a damaged session goes on under another id, and says what is lost", async () => {
  using machine = await machineWith("remember the number seven")
  for (const text of ["a", "b", "c"]) await cairn(machine, "-c", "-p", text)
  const id = await idOf(machine, "remember the number seven")
  const ledger = join(folderOf(machine), id, "ledger.db")
  const bytes = readFileSync(ledger)
  writeFileSync(ledger, bytes.fill(0, 0, 100))
  const done = await cairn(machine, "sessions", "check", id, "--accept")
  expect(done.stdout).toMatch(/what is whole is in the session [0-9a-f]{8} now/)
  const [made] = await listed(machine)
  expect(made).toMatchObject({ title: "remember the number seven", state: "ok" })
  const shown = await cairn(machine, "sessions", "show", made?.id ?? "")
  expect(shown.stdout).toContain("remember the number seven")
  expect(shown.stdout).toContain("answer to c")
  expect(shown.stdout).toContain("This session was made of what could be read of a damaged one")
  expect(await cairn(machine, "-c", "-p", "and on")).toMatchObject({ status: 0, stdout: "answer to and on\n" })
  expect((await cairn(machine, "sessions", "check", "--all")).stdout).toMatch(/^[0-9a-f]{8} {2}ok\n$/)
})

test("field report 9: garbage among many is counted and named, and the others are listed", async () => {
  using machine = await machineWith("one", "two")
  for (const [n, bytes] of [Buffer.alloc(0), Buffer.from([1, 2, 3, 255]), Buffer.from("[]")].entries()) {
    const folder = join(folderOf(machine), `01900000-0000-7000-8000-00000000000${n}`)
    mkdirSync(folder)
    writeFileSync(join(folder, "format"), "cairn 1\n")
    writeFileSync(join(folder, "ledger.db"), bytes)
  }
  const list = await cairn(machine, "sessions", "list")
  expect(list.stdout).toContain("one")
  expect(list.stdout).toContain("two")
  expect(list.stderr).toContain("3 sessions could not be read")
  expect((await listed(machine)).map(({ state }) => state).sort()).toEqual([
    "damaged",
    "damaged",
    "damaged",
    "ok",
    "ok",
  ])
})

test("a session whose log lost commits says how many, and goes on from what is there when that is accepted", async () => {
  using machine = await machineWith("the first thing")
  const id = await idOf(machine, "the first thing")
  const folder = join(folderOf(machine), id)
  // A ledger from before the second run, beside the mark from after it: a disk that lied.
  const before = readFileSync(join(folder, "ledger.db"))
  await cairn(machine, "-c", "-p", "the second thing")
  writeFileSync(join(folder, "ledger.db"), before)
  const opened = await cairn(machine, "-c", "-p", "more")
  expect(opened.status).toBe(1)
  expect(opened.stderr).toMatch(/\d+ acknowledged commits are missing \(marked \d+, found \d+\)/)
  expect((await cairn(machine, "sessions", "check", id)).stdout).toContain("  loss\n")
  expect((await cairn(machine, "sessions", "show", id)).stdout).toContain("the first thing")
  expect((await cairn(machine, "sessions", "check", id, "--accept")).status).toBe(0)
  expect(await cairn(machine, "-c", "-p", "more")).toMatchObject({ status: 0, stdout: "answer to more\n" })
})

test("a fork begins as a copy up to an entry and goes its own way; the other is as it was", async () => {
  using machine = await machineWith("question one")
  await cairn(machine, "-c", "-p", "question two")
  const id = await idOf(machine, "question one")
  const before = await cairn(machine, "sessions", "show", id, "--json")
  const entries = before.stdout
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line) as { id: number; data: { kind: string } })
  const first = entries.find(({ data }) => data.kind === "assistant")?.id ?? 0
  const made = JSON.parse((await cairn(machine, "sessions", "fork", id, `e${first}`, "--json")).stdout) as {
    id: string
    entry: number
  }
  expect(made.entry).toBe(first)
  const shown = (await cairn(machine, "sessions", "show", made.id)).stdout
  expect(shown).toContain("answer to question one")
  expect(shown).not.toContain("question two")
  expect(await cairn(machine, "--session", made.id, "-p", "another")).toMatchObject({
    status: 0,
    stdout: "answer to another\n",
  })
  const request = server.requests.at(-1)
  expect(request?.said.filter(({ role }) => role !== "system").map(({ text }) => text)).toEqual([
    "question one",
    "answer to question one",
    "another",
  ])
  expect(await cairn(machine, "--fork", id, "-p", "third")).toMatchObject({ status: 0, stdout: "answer to third\n" })
  expect(
    server.requests
      .at(-1)
      ?.said.filter(({ role }) => role === "user")
      .map(({ text }) => text),
  ).toEqual(["question one", "question two", "third"])
  expect(await cairn(machine, "sessions", "show", id, "--json")).toEqual(before)
  expect((await cairn(machine, "sessions", "check", "--all")).status).toBe(0)
  expect((await cairn(machine, "sessions", "fork", id, "e999")).status).toBe(2)
})

test("delete removes what is named, prune what is old or large, and a dry run nothing", async () => {
  using machine = await machineWith("one", "two", "three")
  const id = await idOf(machine, "two")
  expect((await cairn(machine, "sessions", "delete", id)).status).toBe(0)
  expect(existsSync(join(folderOf(machine), id))).toBe(false)
  expect((await cairn(machine, "sessions", "delete", id)).status).toBe(2)
  const dry = await cairn(machine, "sessions", "prune", "--older-than", "0s", "--dry-run")
  expect(dry.stdout.match(/would be deleted/g)).toHaveLength(2)
  expect(readdirSync(folderOf(machine))).toHaveLength(2)
  await cairn(machine, "sessions", "prune", "--older-than", "1d")
  await cairn(machine, "sessions", "prune", "--larger-than", "1GB")
  expect(readdirSync(folderOf(machine))).toHaveLength(2)
  await cairn(machine, "sessions", "prune", "--older-than", "0s")
  expect(readdirSync(folderOf(machine))).toEqual([])
  expect(await cairn(machine, "sessions", "prune", "--older-than", "soon")).toMatchObject({ status: 2 })
})

test("a verb or an id that is not there says what there is", async () => {
  using machine = await machineWith("one")
  expect((await cairn(machine, "sessions", "burn")).stderr).toContain("show, log, check")
  const unknown = await cairn(machine, "sessions", "show", "ffffffff")
  expect(unknown.status).toBe(2)
  expect(unknown.stderr).toContain("there is no session ffffffff")
})

test("P11, T29: what a model was asked can be made again, byte for byte, also in a fork; and what differs is named", async () => {
  using machine = await machineWith("question one")
  await cairn(machine, "-c", "-p", "question two")
  const sent = server.requests.at(-1)?.bodyText
  const id = await idOf(machine, "question one")
  const made = await cairn(machine, "sessions", "request", id)
  expect(made).toMatchObject({ status: 0, stdout: `${sent}\n` })
  expect(made.stderr).toContain("identical to what was sent")
  const fork = JSON.parse((await cairn(machine, "sessions", "fork", id, "--json")).stdout) as { id: string }
  expect(await cairn(machine, "sessions", "request", fork.id)).toMatchObject({ status: 0, stdout: `${sent}\n` })

  writeConfig(machine, configFor(server.completionsUrl, {}, { maxTokens: 1_000 }))
  const differs = await cairn(machine, "sessions", "request", id)
  expect(differs.status).toBe(1)
  expect(differs.stderr).toContain(
    "differs: the model, its vendor or what the request was made of is set otherwise by now",
  )
  expect(await cairn(machine, "sessions", "request", id, "e999")).toMatchObject({ status: 2 })
})

test("a reader that wants no more of a list ends it without a word", async () => {
  using machine = await machineWith("one", "two")
  const binary = await builtBinary()
  const child = Bun.spawn(
    ["sh", "-c", `"$0" sessions show "$1" --json | head -c 10`, binary, await idOf(machine, "one")],
    {
      cwd: machine.work,
      env: machine.env,
      stdout: "pipe",
      stderr: "pipe",
    },
  )
  expect(await new Response(child.stdout).text()).toStartWith(`{"id":"`)
  expect(await new Response(child.stderr).text()).toBe("")
})

test("a session is exported as Markdown, as one page, and as a file of pi that comes in again and goes on", async () => {
  using machine = await machineWith("question one")
  await cairn(machine, "-c", "-p", "question two")
  const id = await idOf(machine, "question one")
  expect((await cairn(machine, "sessions", "export", id)).stdout).toContain("## You, ")
  expect((await cairn(machine, "sessions", "export", id, "--html")).stdout).toStartWith("<!doctype html>")
  const path = join(machine.work, "session.jsonl")
  expect(await cairn(machine, "sessions", "export", id, "--jsonl", "--output", path)).toMatchObject({
    status: 0,
    stdout: "",
  })
  writeFileSync(path, `${readFileSync(path, "utf8")}{"torn`)
  const done = await cairn(machine, "sessions", "import", path)
  expect(done.status).toBe(0)
  expect(done.stderr).toContain("1 lines could not be read")
  expect((await cairn(machine, "sessions", "check", "--all")).status).toBe(0)
  expect(await cairn(machine, "-c", "-p", "question three")).toMatchObject({
    status: 0,
    stdout: "answer to question three\n",
  })
  expect(
    server.requests
      .at(-1)
      ?.said.filter(({ role }) => role !== "system")
      .map(({ text }) => text),
  ).toEqual(["question one", "answer to question one", "question two", "answer to question two", "question three"])
  expect(await cairn(machine, "sessions", "export", id, "--md", "--html")).toMatchObject({ status: 2 })
  expect(await cairn(machine, "sessions", "import", join(machine.work, "none"))).toMatchObject({ status: 2 })
})

test("a log is followed while somebody works on the session", async () => {
  using machine = await machineWith("question one")
  const id = await idOf(machine, "question one")
  const follower = Bun.spawn([await builtBinary(), "sessions", "log", id, "--json", "--follow"], {
    cwd: machine.work,
    env: machine.env,
    stdout: "pipe",
  })
  const told: string[] = []
  const reading = (async () => {
    for await (const chunk of follower.stdout) told.push(new TextDecoder().decode(chunk))
  })()
  await eventually(
    () => told.join("").includes("answer to question one"),
    () => told.join(""),
  )
  await cairn(machine, "-c", "-p", "question two")
  await eventually(
    () => told.join("").includes("answer to question two"),
    () => told.join(""),
  )
  follower.kill()
  await follower.exited
  await reading
  const ids = told
    .join("")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: number }).id)
  expect(ids).toEqual([...new Set(ids)].sort((one, two) => one - two))
  expect((await cairn(machine, "sessions", "log", id)).stdout).toContain("## You, ")
})

test("a row that changed under a run that was killed stops the next one before it asks anybody", async () => {
  using machine = await machineWith("question one")
  const id = await idOf(machine, "question one")
  const path = join(folderOf(machine), id, "ledger.db")
  const db = new Database(path)
  db.run("UPDATE entries SET data = replace(data, 'question one', 'question 0ne')")
  db.run("UPDATE meta SET clean = 0")
  db.close()
  const before = server.requests.length
  const opened = await cairn(machine, "-c", "-p", "more")
  expect(opened).toMatchObject({ status: 1, stdout: "" })
  expect(opened.stderr).toMatch(/entries \d+: not what was written/)
  expect(server.requests.length).toBe(before)
  expect((await cairn(machine, "sessions", "check", id, "--accept")).stdout).toMatch(/whole: \d of \d entries/)
})

test("old output in a session that is named is pruned; what was said stays, and the session goes on", async () => {
  using machine = localMachine(server)
  server.script(({ results, lastUser }) =>
    results.length === 0
      ? { toolCalls: [{ name: "bash", args: { command: "printf 'the %s' result" } }] }
      : { text: `answer to ${lastUser}` },
  )
  try {
    await cairn(machine, "-p", "run it")
    const id = await idOf(machine, "run it")
    expect((await cairn(machine, "sessions", "prune", id)).status).toBe(2)
    expect((await cairn(machine, "sessions", "prune", id, "--older-than", "0s")).status).toBe(0)
    const shown = (await cairn(machine, "sessions", "show", id)).stdout
    expect(shown).toContain("answer to run it")
    expect(shown).toContain("*[toolResult, pruned]*")
    expect(shown).not.toContain("the result")
    const asked = await cairn(machine, "sessions", "request", id)
    expect(asked.stderr).toContain("pruned: what it was made of is not kept any more")
    expect((await cairn(machine, "sessions", "check", id)).stdout).toContain("  ok\n")
    server.script(({ lastUser }) => ({ text: `answer to ${lastUser}` }))
    expect(await cairn(machine, "-c", "-p", "more")).toMatchObject({ status: 0, stdout: "answer to more\n" })
  } finally {
    server.script(({ said }) => ({ text: `answer to ${said.at(-1)?.text ?? ""}` }))
  }
})

test("of a session that somebody holds old output stays, its tags too where nobody can be asked, and who holds it is told", async () => {
  using machine = await machineWith("held")
  const id = await idOf(machine, "held")
  const holder = self()
  const lock = takeLock({ session: id, path: join(folderOf(machine), id, "lock"), self: holder, now: Date.now() })
  lock.name(1, Date.now())
  const told = await cairn(machine, "sessions", "prune", id, "--older-than", "0s")
  const untagged = await cairn(machine, "sessions", "tag", id, "urgent")
  lock.abandon()
  for (const { status, stdout, stderr } of [told, untagged]) {
    expect([status, stdout]).toEqual([1, ""])
    expect(stderr).toContain(`${holder.pid}`)
    expect(stderr).not.toContain("bug")
  }
})

test("sessions are tagged, listed and searched by their tags from a shell", async () => {
  using machine = await machineWith("mend the parser", "write the manual")
  const parser = (await idOf(machine, "mend the parser")).slice(-8)
  const tag = (...args: string[]) => cairn(machine, "sessions", "tag", ...args)
  expect(await tag(parser, "#Code", "urgent")).toMatchObject({ status: 0, stdout: "#code #urgent\n" })
  expect(await tag("write the manual", "text,code")).toMatchObject({ status: 0, stdout: "#text #code\n" })
  expect(JSON.parse((await tag(parser, "--json")).stdout)).toMatchObject({ tags: ["code", "urgent"] })

  const titles = async (...args: string[]): Promise<readonly string[]> => {
    const { stdout } = await cairn(machine, "sessions", "list", "--json", ...args)
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as Listed).title]))
  }
  expect((await titles("--tag", "code")).toSorted()).toEqual(["mend the parser", "write the manual"])
  expect(await titles("--tag", "urgent,code", "--all")).toEqual(["mend the parser"])
  expect((await cairn(machine, "sessions", "list")).stdout).toContain("mend the parser  #code #urgent")
  const found = await cairn(machine, "sessions", "search", "answer to", "--tag", "text")
  expect(found.stdout).toContain("answer to write the manual")
  expect(found.stdout).not.toContain("parser")
  expect(await tag(parser, "urgent", "--remove")).toMatchObject({ status: 0, stdout: "#code\n" })
  const none = await cairn(machine, "sessions", "list", "--tag", "urgent")
  expect(none).toMatchObject({ status: 0, stdout: "" })
  expect(none.stderr).toContain("there are no sessions with #urgent in ")
  expect(await tag(parser, "--remove")).toMatchObject({ status: 2, stdout: "" })
})

test("sessions of a folder are found when it becomes a repository, is opened through a link, is moved, and under its repository elsewhere", async () => {
  using machine = localMachine(server)
  const at = (name: string): Machine => ({ ...machine, work: join(machine.work, name) })
  const git = (folder: string, ...args: readonly string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    expect(Bun.spawnSync(["git", "-C", folder, ...identity, ...args], { env: machine.env }).exitCode).toBe(0)
  }
  const titles = async (name: string): Promise<readonly string[]> => {
    const { stdout } = await cairn(at(name), "sessions", "list", "--json")
    return stdout
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as Listed).title]))
      .toSorted()
  }
  mkdirSync(at("project").work)
  await cairn(at("project"), "-p", "before")
  git(at("project").work, "init", "-q")
  writeFileSync(join(at("project").work, "a.txt"), "a\n")
  git(at("project").work, "add", ".")
  git(at("project").work, "commit", "-q", "-m", "first")
  expect(await titles("project")).toEqual(["before"])
  await cairn(at("project"), "-p", "after")
  symlinkSync(at("project").work, at("link").work)
  expect(await titles("link")).toEqual(["after", "before"])
  await cairn(at("link"), "-p", "linked")

  renameSync(at("project").work, at("moved").work)
  expect(await titles("moved")).toEqual(["after", "before", "linked"])
  // A clone of a repository whose folder is gone goes on where that was.
  git(machine.work, "clone", "-q", "moved", "clone")
  rmSync(at("moved").work, { recursive: true })
  expect(await titles("clone")).toEqual(["after", "linked"])
  expect((await listed(machine)).map(({ title }) => title).toSorted()).toEqual(["after", "before", "linked"])
})

test("what sessions took is told by model and by tool, of one, of this folder and of all", async () => {
  using machine = localMachine(server)
  const usage = { input: 600, cacheRead: 400, output: 50 }
  server.script(({ results, lastUser }) =>
    lastUser === "look" && results.length === 0
      ? { toolCalls: [{ name: "bash", args: { command: "exit 1" } }], usage }
      : { text: "done", usage },
  )
  await cairn(machine, "-p", "look")
  const other = { ...machine, work: join(machine.work, "other") }
  mkdirSync(other.work)
  await cairn(other, "-p", "plain")
  const stats = async (on: Machine, ...args: readonly string[]) =>
    JSON.parse((await cairn(on, "sessions", "stats", "--json", ...args)).stdout) as Record<string, unknown>
  expect(await stats(machine)).toMatchObject({
    sessions: 2,
    inputs: 2,
    models: { "local/test-model": { answers: 3, usage: { input: 1_800, cacheRead: 1_200, output: 150 } } },
    tools: { bash: { calls: 1, failed: 1 } },
  })
  expect(await stats(other, "--here")).toMatchObject({ sessions: 1, inputs: 1, tools: {} })
  const [one] = (await listed(machine)).filter(({ title }) => title === "look")
  expect(await stats(other, one?.id ?? "")).toMatchObject({ sessions: 1, tools: { bash: { calls: 1 } } })
  const text = (await cairn(machine, "sessions", "stats")).stdout
  for (const said of ["2 sessions, 2 inputs", "local/test-model", "40 %", "bash"]) expect(text).toContain(said)
  server.script(({ said }) => ({ text: `answer to ${said.at(-1)?.text ?? ""}` }))
})
