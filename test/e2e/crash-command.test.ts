/** A command outlives the agent that started it, on the executable: killed, ended in order, and taken up by the next one. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openSession } from "../../src/ledger/open.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { systemClock } from "../../src/std/clock.ts"
import { builtBinary, runBinary, type Machine, type RunResult } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { bearersOf, waitGone } from "../support/process.ts"
import { startStdioHost } from "../support/stdio-host.ts"

let server: ModelServer

/** `run: <command>` is run; then the model says what it was told of it. Looks at the request alone. */
function script(request: ModelRequest): Reply {
  const [result] = request.results
  if (result !== undefined) return { text: `told: ${result.text}` }
  const { command, timeout } = JSON.parse(request.lastUser) as { command: string; timeout?: number }
  return { toolCalls: [{ name: "bash", args: { command, ...(timeout === undefined ? {} : { timeout }) } }] }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

type Host = { readonly pid: number; readonly events: () => string; end(signal: NodeJS.Signals): Promise<number | null> }

/** An agent that is asked to run a command, in its own process, with its events as they come. */
async function begin(machine: Machine, prompt: object | null): Promise<Host> {
  const words = prompt === null ? ["-c"] : [JSON.stringify(prompt)]
  const child = Bun.spawn([await builtBinary(), "--mode", "json", ...words], {
    cwd: machine.work,
    env: machine.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  })
  let text = ""
  const reading = (async () => {
    for await (const bytes of child.stdout) text += Buffer.from(bytes).toString()
  })()
  return {
    pid: child.pid,
    events: () => text,
    async end(signal) {
      child.kill(signal)
      await Promise.all([child.exited, reading])
      return child.exitCode
    },
  }
}

function sessionFolder(machine: Machine): string {
  const sessions = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")
  const [id] = readdirSync(sessions)
  return join(sessions, id ?? "")
}

/** What the command has written, or its status, while its call is open. */
function spooled(machine: Machine, end: ".out" | ".status"): string {
  const folder = join(sessionFolder(machine), "spool")
  if (!existsSync(folder)) return ""
  const name = readdirSync(folder).find((file) => file.endsWith(end))
  return name === undefined ? "" : readFileSync(join(folder, name), "utf8")
}

async function spools(machine: Machine, end: ".out" | ".status", wanted: RegExp): Promise<void> {
  await eventually(
    () => existsSync(join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")) && wanted.test(spooled(machine, end)),
    () => `the command's ${end} never has ${wanted}`,
  )
}

const resumed = (machine: Machine): Promise<RunResult> => runBinary(machine, ["-c", "-p"])

/** Processes of calls that this machine's agents made. */
function running(machine: Machine): readonly number[] {
  return bearersOf(`HOME=${machine.home}`).map(({ pid }) => pid)
}

/** Some may end by themselves meanwhile. */
async function killed(pids: readonly number[]): Promise<void> {
  Bun.spawnSync(["kill", "-9", ...pids.map(String)], { stderr: "ignore" })
  await waitGone(pids)
}

const counting = "sh -c 'for i in 1 2 3 4 5 6; do echo $i; sleep 1; done; exit 3'"
const counted = "told: 1\n2\n3\n4\n5\n6\n\n[Exit status 3.]\n"

test("row 10, T32: a command whose agent is killed at its second second and reopened at its fourth gives its whole output and status, once", async () => {
  using machine = localMachine(server)
  const before = server.requests.length
  const first = await begin(machine, { command: `echo x >> runs; ${counting}` })
  await spools(machine, ".out", /2\n/)
  await first.end("SIGKILL")
  await spools(machine, ".out", /4\n/)
  const second = await resumed(machine)
  expect(second).toMatchObject({ status: 0, stdout: counted })
  expect(readFileSync(join(machine.work, "runs"), "utf8")).toBe("x\n")
  // The request that made the call, and the one that was told of its end: nothing was asked twice.
  expect(server.requests.length - before).toBe(2)
})

test("row 11: a command that ended while nobody was there gives its whole output and status, once", async () => {
  using machine = localMachine(server)
  const first = await begin(machine, { command: `echo x >> runs; ${counting}` })
  await spools(machine, ".out", /2\n/)
  await first.end("SIGKILL")
  await spools(machine, ".status", /^exit 3\n/)
  expect(await resumed(machine)).toMatchObject({ status: 0, stdout: counted })
  expect(await resumed(machine)).toMatchObject({ status: 0, stdout: counted })
  expect(readFileSync(join(machine.work, "runs"), "utf8")).toBe("x\n")
})

test("what an adopted command prints is told to whoever watches, from its first line on", async () => {
  using machine = localMachine(server)
  const first = await begin(machine, { command: "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two" })
  await spools(machine, ".out", /one\n/)
  await first.end("SIGKILL")
  const second = await begin(machine, null)
  await eventually(
    () => /tool_execution_update.*one/.test(second.events()),
    () => `no update came: ${second.events()}`,
  )
  await Bun.write(join(machine.work, "go"), "")
  await eventually(
    () => second.events().includes("agent_settled"),
    () => "the adopted command does not end",
  )
  expect(second.events()).toContain("told: one\\ntwo")
  await second.end("SIGKILL")
})

test("row 24: an agent that is ended in order lets its command go on; the next one goes by what is left of its time", async () => {
  using machine = localMachine(server)
  const first = await begin(machine, { command: "echo begun; sleep 300", timeout: 3 })
  await spools(machine, ".out", /begun\n/)
  expect(await first.end("SIGTERM")).toBe(143)
  expect(spooled(machine, ".status")).toStartWith("running")
  const second = await resumed(machine)
  expect(second.stdout).toBe("told: begun\n\n[Timed out after 3 s: the command and all that it started were ended.]\n")
  await waitGone(running(machine))
})

test("killed again and again over one command, its agents take it up each time", async () => {
  using machine = localMachine(server)
  let agent = await begin(machine, { command: "echo begun; while [ ! -e go ]; do sleep 0.02; done; echo end" })
  for (let death = 0; death < 5; death++) {
    await eventually(
      () => /tool_execution_update.*begun/.test(agent.events()),
      () => `the command is not taken up after ${death} deaths: ${agent.events()}`,
    )
    await agent.end("SIGKILL")
    agent = await begin(machine, null)
  }
  await Bun.write(join(machine.work, "go"), "")
  await eventually(
    () => agent.events().includes("agent_settled"),
    () => "the command is not taken up at last",
  )
  expect(agent.events()).toContain("told: begun\\nend")
  await agent.end("SIGKILL")
})

test("a command whose agent dies before it has noted how to find it is found all the same", async () => {
  using machine = localMachine(server)
  const command = "echo begun; while [ ! -e go ]; do sleep 0.02; done; exit 4"
  const died = await runBinary(machine, ["-p", JSON.stringify({ command })], { env: { CAIRN_KILL: "remember:1" } })
  expect(died.signal).toBe("SIGKILL")
  const second = await begin(machine, null)
  await eventually(
    () => /tool_execution_update.*begun/.test(second.events()),
    () => `the command is not taken up: ${second.events()}`,
  )
  await Bun.write(join(machine.work, "go"), "")
  await eventually(
    () => second.events().includes("agent_settled"),
    () => "the adopted command does not end",
  )
  expect(second.events()).toContain("told: begun\\n\\n[Exit status 4.]")
  await second.end("SIGKILL")
})

test("T32: a stop of an adopted command ends it with all that it started, whatever it does about it", async () => {
  const commands = [
    "trap '' TERM; echo begun; while :; do sleep 0.05; done",
    "setsid sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' & echo begun; sleep 300",
  ]
  for (const command of commands) {
    using machine = localMachine(server)
    const first = await begin(machine, { command })
    await spools(machine, ".out", /begun\n/)
    await first.end("SIGKILL")
    const second = await begin(machine, null)
    await eventually(
      () => /tool_execution_update.*begun/.test(second.events()),
      () => "the command is not taken up",
    )
    expect(await second.end("SIGINT")).toBe(130)
    expect(second.events()).toContain("Interrupted: the command and all that it started were ended.")
    await waitGone(running(machine))
  }
})

test("a command that ends its own group while nobody is there: its status where a shell was left to write it, else unknown", async () => {
  const rows = [
    ["TERM", "told: begun\n\n[Exit status 143 (SIGTERM).]\n"],
    ["KILL", /^told: begun\n\n\[Cairn ended while the command ran\. Whether it did what it was to do is unknown/],
  ] as const
  for (const [signal, told] of rows) {
    using machine = localMachine(server)
    const command = `echo begun; while [ ! -e go ]; do sleep 0.02; done; kill -${signal} 0; echo never`
    const first = await begin(machine, { command })
    await spools(machine, ".out", /begun\n/)
    const left = running(machine).filter((pid) => pid !== first.pid)
    await first.end("SIGKILL")
    await Bun.write(join(machine.work, "go"), "")
    await waitGone(left)
    const { stdout } = await resumed(machine)
    expect(stdout).toMatch(told instanceof RegExp ? told : new RegExp(`^${RegExp.escape(told)}$`))
  }
})

async function ledgerOf(machine: Machine): Promise<Ledger> {
  const dataDir = join(machine.env.XDG_DATA_HOME ?? "", "cairn")
  const [id = ""] = readdirSync(join(dataDir, "sessions"))
  return openSession({ dataDir, id, clock: systemClock })
}

/** What the calls of the session remembered of their processes, changed as if by a reboot or by a pid that is someone else's now. */
async function changeFacts(machine: Machine, facts: { readonly [name: string]: string | number }): Promise<void> {
  const ledger = await ledgerOf(machine)
  ledger.commit("flushed", (tx) => {
    for (const task of [...tx.live.tasks.values()]) {
      if (task.kind === "toolCall") tx.setTask(task.id, { facts: { ...task.facts, ...facts } })
    }
  })
  await ledger.close()
}

test("T32: a pid that is someone else's by now is left alone, and the outcome is unknown", async () => {
  using machine = localMachine(server)
  await using other = Bun.spawn(["sleep", "300"])
  const first = await begin(machine, { command: "echo begun; sleep 300" })
  await spools(machine, ".out", /begun\n/)
  const left = running(machine).filter((pid) => pid !== first.pid)
  await first.end("SIGKILL")
  await killed(left)
  await changeFacts(machine, { pid: other.pid })
  expect((await resumed(machine)).stdout).toStartWith("told: begun\n\n[Cairn ended while the command ran.")
  expect(other.exitCode).toBeNull()
  other.kill()
})

test("after a reboot a status that was written is the truth, and without one the outcome is unknown", async () => {
  const rows = [
    ["echo begun; exit 5", /^exit/, "told: begun\n\n[Exit status 5.]\n"],
    ["echo begun; sleep 300", /^running/, "told: begun\n\n[Cairn ended while the command ran."],
  ] as const
  for (const [command, status, told] of rows) {
    using machine = localMachine(server)
    const hold = "while [ ! -e go ]; do sleep 0.02; done; "
    const first = await begin(machine, { command: hold + command })
    await spools(machine, ".status", /^running/)
    const left = running(machine).filter((pid) => pid !== first.pid)
    await first.end("SIGKILL")
    await Bun.write(join(machine.work, "go"), "")
    await spools(machine, ".out", /begun\n/)
    await spools(machine, ".status", status)
    await (status.source === "^running" ? killed(running(machine)) : waitGone(left))
    await changeFacts(machine, { bootId: "another-boot" })
    expect((await resumed(machine)).stdout).toStartWith(told)
  }
})

test("a host that is told to stop goes at once, and its command goes on until the next host has taken it up", async () => {
  using machine = localMachine(server)
  const first = await startStdioHost(machine)
  if (first === undefined) throw new Error("the host does not start")
  const text = JSON.stringify({ command: "echo begun; while [ ! -e go ]; do sleep 0.02; done; exit 7" })
  const content = [{ type: "text", text }] as const
  await first.port.request({ type: "submit", conversation: 1, requestId: "r", content, mode: "followUp" })
  await spools(machine, ".out", /begun\n/)
  await first.port.host.request({ type: "stop", how: "pending" })
  expect(await first.ended).toBeNull()
  expect(spooled(machine, ".status")).toStartWith("running")
  await Bun.write(join(machine.work, "go"), "")
  expect((await resumed(machine)).stdout).toBe("told: begun\n\n[Exit status 7.]\n")
})

test("a session in which the person only ran a command is kept when its host goes, and listed by it", async () => {
  using machine = localMachine(server)
  const host = await startStdioHost(machine)
  if (host === undefined) throw new Error("the host does not start")
  await host.port.request({ type: "shell", conversation: 1, command: "echo mine >> mine", excluded: false })
  await host.port.host.request({ type: "stop", how: "pending" })
  expect(await host.ended).toBeNull()
  expect((await runBinary(machine, ["sessions", "list"])).stdout).toContain("! echo mine")
  expect(readFileSync(join(machine.work, "mine"), "utf8")).toBe("mine\n")
})

test("what a command leaves running when it ends is told in its result and by cairn ps, and is nobody's to stop (33)", async () => {
  using machine = localMachine(server)
  const run = await runBinary(machine, ["-p", JSON.stringify({ command: "sleep 300 & echo left" })])
  const [, pid = ""] = /Still running: (\d+) sleep 300/.exec(run.stdout) ?? []
  const rows = (await runBinary(machine, ["ps", "--json"])).stdout.trim().split("\n")
  expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual([
    expect.objectContaining({ pid: Number(pid), kind: "left", state: "left running", about: "sleep 300" }),
  ])
  expect((await runBinary(machine, ["stop", "all"])).stderr).toContain("nothing is running")
  await killed([Number(pid)])
  expect((await runBinary(machine, ["ps"])).stdout).toBe("")
})
