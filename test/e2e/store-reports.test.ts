/** What went wrong with other agents' stores (field reports 3 to 31), tried on the executable. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer

const echo = ({ lastUser }: ModelRequest): Reply => ({ text: `answer to ${lastUser}` })

beforeAll(async () => {
  server = await startModelServer({ key: "k" })
})
beforeEach(() => server.script(echo))
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const cairn = (machine: Machine, ...args: string[]) => runBinary(machine, args)
const folderOf = (machine: Machine): string => join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")
const sessionsIn = (machine: Machine): readonly string[] =>
  existsSync(folderOf(machine)) ? readdirSync(folderOf(machine)) : []

type Listed = {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly interrupted: boolean
  readonly updatedAt: number
}

async function listed(machine: Machine): Promise<readonly Listed[]> {
  const { stdout } = await cairn(machine, "sessions", "list", "--json")
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Listed]))
}

/** Starts a run and kills it once the server has been asked `times` times. */
async function killedRun(machine: Machine, prompt: string, times = 1, flags: readonly string[] = []): Promise<void> {
  const before = server.requests.length
  const child = Bun.spawn([await builtBinary(), ...flags, "-p", prompt], {
    cwd: machine.work,
    env: machine.env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  })
  await eventually(
    () => server.requests.length >= before + times,
    () => "the model is asked",
  )
  child.kill("SIGKILL")
  await child.exited
}

test("a log whose tail was torn by a crash takes the next turn, and still has it at the start after (4)", async () => {
  using machine = localMachine(server)
  await cairn(machine, "-p", "one")
  server.script([{ hang: "before-headers" }])
  await killedRun(machine, "two", 1, ["-c"])
  const [id = ""] = sessionsIn(machine)
  // The last step was on its way to the log: it is as if the crash had come a moment sooner.
  const log = join(folderOf(machine), id, "ledger.db-wal")
  truncateSync(log, statSync(log).size - 300)
  server.script(echo)
  expect(await cairn(machine, "-c", "-p", "three")).toMatchObject({ status: 0, stdout: "answer to three\n" })
  expect((await cairn(machine, "-c", "-p", "four")).stdout).toBe("answer to four\n")
  const shown = (await cairn(machine, "sessions", "show", id)).stdout
  for (const text of ["one", "two", "three", "four"]) expect(shown).toContain(`answer to ${text}`)
  expect((await cairn(machine, "sessions", "check", id)).stdout).toContain("  ok\n")
})

test("odd separators in an input come back as they went, and the session goes on (5)", async () => {
  using machine = localMachine(server)
  const odd = "a\u2028b\u2029c\u0085d\u000be\u000cf"
  expect((await runBinary(machine, ["-p", "say"], { stdin: odd })).status).toBe(0)
  const [id = ""] = sessionsIn(machine)
  const { stdout } = await cairn(machine, "sessions", "show", id, "--json")
  expect(stdout).toContain(JSON.stringify(odd).slice(1, -1))
  expect((await cairn(machine, "-c", "-p", "more")).status).toBe(0)
  expect(server.requests.at(-1)?.bodyText).toContain(JSON.stringify(odd).slice(1, -1))
})

test("a run that is killed while its model is silent is listed with its input, as interrupted, wherever the kill hits (7, 29)", async () => {
  for (const hang of ["before-headers", "after-headers"] as const) {
    using machine = localMachine(server)
    server.script([{ hang }])
    await killedRun(machine, "do not forget this")
    expect(await listed(machine)).toMatchObject([{ title: "do not forget this", state: "ok", interrupted: true }])
    server.script(echo)
    expect(await cairn(machine, "-c", "-p")).toMatchObject({ status: 0, stdout: "answer to do not forget this\n" })
    expect(await listed(machine)).toMatchObject([{ interrupted: false }])
  }
})

test("a session that is not there is an error, and makes no new one (8)", async () => {
  using machine = localMachine(server)
  expect(await cairn(machine, "--session", "ses_doesnotexist", "-p", "x")).toMatchObject({ status: 2, stdout: "" })
  expect(sessionsIn(machine)).toEqual([])
  await cairn(machine, "-p", "one")
  const [id = ""] = sessionsIn(machine)
  rmSync(join(folderOf(machine), id, "ledger.db"))
  const opened = await cairn(machine, "--session", id, "-p", "x")
  expect(opened).toMatchObject({ status: 1, stdout: "" })
  expect(opened.stderr).toContain("its file ledger.db is missing")
  expect(sessionsIn(machine)).toEqual([id])
})

test("eight runs at once in one folder are eight whole sessions (20)", async () => {
  using machine = localMachine(server)
  server.script((request) =>
    request.results.length < 3
      ? { toolCalls: [{ name: "bash", args: { command: `echo ${request.results.length} for ${request.lastUser}` } }] }
      : { text: `done ${request.lastUser}` },
  )
  const names = Array.from({ length: 8 }, (_, n) => `run ${n}`)
  const ended = await Promise.all(names.map((name) => cairn(machine, "-p", name)))
  expect(ended.map(({ status, stdout }) => [status, stdout])).toEqual(names.map((name) => [0, `done ${name}\n`]))
  expect((await listed(machine)).map(({ title }) => title).sort()).toEqual(names)
  const checked = await cairn(machine, "sessions", "check", "--all")
  expect(checked.stdout.match(/ {2}ok\n/g)).toHaveLength(8)
})

test("a second process that goes on with the same session is refused by name, and what it was told is in no request (21)", async () => {
  using machine = localMachine(server)
  await cairn(machine, "-p", "seed")
  const gate = Promise.withResolvers<void>()
  server.script((request) => ({ text: `answer to ${request.lastUser}`, until: gate.promise }))
  const before = server.requests.length
  const first = cairn(machine, "-c", "-p", "AAA")
  await eventually(
    () => server.requests.length > before,
    () => "the model is asked",
  )
  const second = await cairn(machine, "-c", "-p", "BBB")
  expect(second).toMatchObject({ status: 1, stdout: "" })
  expect(second.stderr).toMatch(/is held by process \d+ since/)
  gate.resolve()
  expect(await first).toMatchObject({ status: 0, stdout: "answer to AAA\n" })
  expect(server.requests.some(({ bodyText }) => bodyText.includes("BBB"))).toBe(false)
  // The lock of one that was killed blocks nobody.
  server.script([{ hang: "before-headers" }])
  await killedRun(machine, "CCC")
  server.script(echo)
  expect((await cairn(machine, "-c", "-p", "DDD")).status).toBe(0)
})

test("a turn that died between a result and the next request is finished without another input (28)", async () => {
  using machine = localMachine(server)
  server.script(({ results }) =>
    results.length === 0
      ? { toolCalls: [{ name: "bash", args: { command: "echo once >> ran" } }] }
      : { hang: "before-headers" },
  )
  await killedRun(machine, "go", 2)
  server.script(({ results }) => ({ text: `heard ${results.length}` }))
  expect(await cairn(machine, "-c", "-p")).toMatchObject({ status: 0, stdout: "heard 1\n" })
  expect(server.requests.at(-1)?.said.filter(({ role }) => role === "user")).toHaveLength(1)
  expect(await Bun.file(join(machine.work, "ran")).text()).toBe("once\n")
})

test("a record in the middle that was hit costs only itself: what came later is there, the loss is counted, and the time is the true one (3)", async () => {
  using machine = localMachine(server, { betterTitles: false })
  await cairn(machine, "-p", "one")
  for (const text of ["two", "three"]) await cairn(machine, "-c", "-p", text)
  const [id = ""] = sessionsIn(machine)
  const path = join(folderOf(machine), id, "ledger.db")
  const last = statSync(path).mtimeMs
  const bytes = readFileSync(path)
  for (let at = bytes.indexOf("answer to one"); at !== -1; at = bytes.indexOf("answer to one", at + 1)) {
    bytes.fill("~", at, at + "answer to one".length)
  }
  writeFileSync(path, bytes)
  utimesSync(path, last / 1_000, last / 1_000)

  const [shown] = await listed(machine)
  expect(shown).toMatchObject({ id, title: "one", state: "ok" })
  expect(Math.abs(Number(shown?.updatedAt) - last)).toBeLessThan(1_000)
  const asked = await cairn(machine, "sessions", "check", id)
  expect(asked.status).toBe(1)
  expect(asked.stdout).toContain("whole: 6 of 7 entries")
  await cairn(machine, "sessions", "check", id, "--accept")
  const [after] = await listed(machine)
  const text = (await cairn(machine, "sessions", "show", after?.id ?? "")).stdout
  for (const kept of ["one", "two", "three", "answer to two", "answer to three"]) expect(text).toContain(kept)
  expect(text).not.toContain("answer to one")
  expect(await cairn(machine, "-c", "-p", "four")).toMatchObject({ status: 0, stdout: "answer to four\n" })
})

test("outputs of calls are kept within what was asked for, oldest first, and the session says so (13)", async () => {
  const perCall = 1024 * 1024
  const perSession = 2 * perCall
  using machine = localMachine(server, {
    betterTitles: false,
    output: { maxBytes: perCall, maxSessionBytes: perSession },
  })
  server.script(({ results, lastUser }) =>
    results.length > 0
      ? { text: "done" }
      : { toolCalls: [{ name: "bash", args: { command: `yes ${lastUser} | head -c 1500000` } }] },
  )
  for (let n = 0; n < 4; n++)
    expect((await cairn(machine, ...(n === 0 ? [] : ["-c"]), "-p", `line${n}`)).status).toBe(0)
  const [id = ""] = sessionsIn(machine)
  const kept = join(folderOf(machine), id, "output")
  const sizes = readdirSync(kept).map((name) => statSync(join(kept, name)).size)
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(perCall)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(perSession)
  const shown = (await cairn(machine, "sessions", "show", id)).stdout
  expect(shown.split("The whole output is not kept any more.").length - 1).toBe(4 - sizes.length)
  expect(shown.split("The whole output: `").length - 1).toBe(sizes.length)
  expect(readdirSync(join(folderOf(machine), id, "spool"))).toEqual([])
})

test("sessions that are left by Ctrl+D, also in mid-answer, are listed; what was only typed is none, and stays as a draft (31)", async () => {
  using machine = localMachine(server, { betterTitles: false })
  const goOn = Promise.withResolvers<void>()
  server.script(({ lastUser }) =>
    lastUser === "second"
      ? { text: ["it begins", { until: goOn.promise }, " and ends"] }
      : echo({ lastUser } as ModelRequest),
  )
  const open = async (): Promise<Terminal> => {
    const terminal = await openTerminal({ command: [await builtBinary()], env: machine.env, cwd: machine.work })
    await terminal.shows("Ask anything")
    return terminal
  }
  const say = async (terminal: Terminal, text: string): Promise<void> => {
    await terminal.type(text)
    await terminal.shows(`› ${text}`)
    await terminal.keys("Enter")
  }
  const titles = async (): Promise<readonly string[]> => (await listed(machine)).map(({ title }) => title).toSorted()
  {
    await using terminal = await open()
    await say(terminal, "first")
    await terminal.shows("answer to first")
    await terminal.keys("C-d")
    expect(await terminal.ended()).toBe(0)
    expect(await titles()).toEqual(["first"])
  }
  {
    await using terminal = await open()
    await say(terminal, "second")
    await terminal.shows("it begins")
    await terminal.keys("C-d")
    await terminal.shows("Work is still running")
    await terminal.type("l")
    expect(await terminal.ended()).toBe(0)
    expect(await titles()).toEqual(["first", "second"])
    goOn.resolve()
    await eventually(
      async () => (await listed(machine)).every(({ interrupted }) => !interrupted),
      () => "the run does not end",
    )
  }
  {
    await using terminal = await open()
    await terminal.type("only a draft")
    await terminal.shows("› only a draft")
    terminal.kill()
  }
  expect(await titles()).toEqual(["first", "second"])
  await using terminal = await openTerminal({ command: [await builtBinary()], env: machine.env, cwd: machine.work })
  await terminal.shows("› only a draft")
  await terminal.keys("C-u")
  await terminal.shows("Ask anything")
  await terminal.keys("C-d")
  expect(await terminal.ended()).toBe(0)
  await cairn(machine, "stop", "all", "--now")
})
