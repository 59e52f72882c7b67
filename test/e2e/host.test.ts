/** The screen and its host as two processes: either may die, and the work goes on. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runBinary, builtBinary, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { eventually } from "../support/eventually.ts"
import { bearersOf, commandLine, waitGone } from "../support/process.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer
/** What lets the answer that is being streamed go on to its end. */
let gate = Promise.withResolvers<void>()

function script(request: ModelRequest): Reply {
  const asked = request.lastUser.includes("slow")
  if (!asked) return { text: `quick answer to ${request.lastUser}` }
  return { text: ["first half ", { until: gate.promise }, "and second half"] }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

async function screen(
  machine: Machine,
  args: readonly string[] = [],
  size = { width: 100, height: 30 },
): Promise<Terminal> {
  return openTerminal({ command: [await builtBinary(), ...args], env: machine.env, cwd: machine.work, ...size })
}

/** Pids of the hosts of this machine: nobody else has its folder for sockets. */
function hosts(machine: Machine): readonly number[] {
  return bearersOf(`XDG_RUNTIME_DIR=${machine.env.XDG_RUNTIME_DIR}`)
    .map(({ pid }) => pid)
    .filter((pid) => commandLine(pid).includes("--socket"))
}

/** What the files of this machine keep of drafts that no session has yet. */
function drafts(machine: Machine): string {
  const folder = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "screen")
  // Made with the first draft.
  if (!existsSync(folder)) return ""
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n")
}

async function asked(terminal: Terminal, text: string): Promise<void> {
  await terminal.shows("Ask anything")
  await terminal.type(text)
  await terminal.keys("Enter")
}

/** Screens first: one that still stands would start its host again. */
async function ended(machine: Machine, ...screens: readonly Terminal[]): Promise<void> {
  await Promise.all(screens.map((terminal) => terminal.kill()))
  await runBinary(machine, ["stop", "all", "--now"])
  await waitGone(hosts(machine))
}

test("T34: a host killed in mid-answer is started again by its screen, and the run goes on to its end", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  await using terminal = await screen(machine)
  await asked(terminal, "be slow")
  await terminal.shows("first half")
  const [host] = hosts(machine)
  process.kill(host ?? 0, "SIGKILL")
  await eventually(
    () => hosts(machine).some((pid) => pid !== host),
    () => "no new host was started",
  )
  gate.resolve()
  await terminal.shows("and second half")
  await terminal.shows("asked again")
  await ended(machine, terminal)
})

test("where a terminal can only take lines, a host killed in mid-answer is started again too, and what is said next is answered", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  const command = ["env", "TERM=dumb", await builtBinary()]
  await using terminal = await openTerminal({ command, env: machine.env, cwd: machine.work, width: 80, height: 24 })
  await terminal.shows(">")
  await terminal.type("be slow")
  await terminal.keys("Enter")
  await terminal.shows("first half")
  for (const pid of hosts(machine)) process.kill(pid, "SIGKILL")
  gate.resolve()
  await terminal.shows("and second half")
  await terminal.type("thanks")
  await terminal.keys("Enter")
  await terminal.shows("quick answer to thanks")
  await terminal.type("/quit")
  await terminal.keys("Enter")
  expect(await terminal.ended()).toBe(0)
  await ended(machine)
})

test("T34: a screen killed in mid-answer leaves its host at work, and another screen shows it, also in mid-answer", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  {
    await using first = await screen(machine)
    await asked(first, "be slow")
    await first.shows("first half")
    process.kill(first.pid, "SIGKILL")
    await waitGone([first.pid])
  }
  expect(hosts(machine)).toHaveLength(1)
  await using second = await screen(machine, ["-c"])
  await second.shows("first half")
  gate.resolve()
  await second.shows("and second half")
  expect(hosts(machine)).toHaveLength(1)
  await ended(machine, second)
})

test("a terminal that is lost ends the screen and not the work; attach shows what was done (35)", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  {
    await using first = await screen(machine)
    await asked(first, "be slow")
    await first.shows("first half")
    await first.kill()
    await waitGone([first.pid])
  }
  gate.resolve()
  const listed = await runBinary(machine, ["ps"])
  expect(listed.stdout).toMatch(/\bhost\b.*no screen/)
  await using second = await screen(machine, ["attach"])
  await second.shows("and second half")
  await ended(machine, second)
})

test("two screens on one host see the same, and either may speak", async () => {
  gate = Promise.withResolvers()
  gate.resolve()
  using machine = localMachine(server)
  await using one = await screen(machine)
  await asked(one, "from one")
  await one.shows("quick answer to from one")
  await using two = await screen(machine, ["-c"], { width: 60, height: 20 })
  await two.shows("quick answer to from one")
  await asked(two, "from two")
  await one.shows("quick answer to from two")
  expect(hosts(machine)).toHaveLength(1)
  await ended(machine, one, two)
})

test("an idle host leaves with its last screen, and a session in which nothing was said leaves no trace", async () => {
  using machine = localMachine(server)
  await using terminal = await screen(machine)
  await terminal.shows("Ask anything")
  await eventually(
    () => hosts(machine).length === 1,
    () => "no host was started",
  )
  const before = hosts(machine)
  await terminal.keys("C-c", "C-c")
  expect(await terminal.ended()).toBe(0)
  await waitGone(before)
  expect((await runBinary(machine, ["sessions", "list", "--all"])).stdout).toBe("")
  expect((await runBinary(machine, ["ps"])).stdout).toBe("")
})

test("what was typed before the host answered is not lost, and the draft survives a kill of either process", async () => {
  using machine = localMachine(server)
  {
    await using terminal = await screen(machine)
    await terminal.shows("Ask anything")
    await terminal.type("half a thought")
    await terminal.shows("half a thought")
    await eventually(
      async () => (await runBinary(machine, ["ps"])).stdout.includes("host"),
      () => "no host",
    )
    for (const pid of hosts(machine)) process.kill(pid, "SIGKILL")
    await terminal.shows("half a thought")
    await terminal.type(" and more")
    await terminal.shows("half a thought and more")
    await eventually(
      () => drafts(machine).includes("half a thought and more"),
      () => `the draft was not saved: ${drafts(machine)}`,
    )
    process.kill(terminal.pid, "SIGKILL")
    await waitGone([terminal.pid])
  }
  await using again = await screen(machine)
  await again.shows("half a thought and more")
  await ended(machine, again)
})

test("a host that was stopped stays stopped while its screen stands, until the person says something", async () => {
  gate = Promise.withResolvers()
  gate.resolve()
  using machine = localMachine(server)
  await using terminal = await screen(machine)
  await asked(terminal, "one")
  await terminal.shows("quick answer to one")
  const before = hosts(machine)
  expect((await runBinary(machine, ["stop", "all"])).status).toBe(0)
  await terminal.shows("The host was stopped")
  await waitGone(before)
  expect(hosts(machine)).toEqual([])
  await terminal.type("two")
  await terminal.keys("Enter")
  await terminal.shows("quick answer to two")
  await ended(machine, terminal)
})

test("work that is kept for the next time ends with its host, and goes on when somebody comes back", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  {
    await using first = await screen(machine)
    await asked(first, "be slow")
    await first.shows("first half")
    await first.keys("C-x", "q")
    await first.shows("Keep it for the next time")
    await first.keys("k")
    expect(await first.ended()).toBe(0)
  }
  await waitGone(hosts(machine))
  expect((await runBinary(machine, ["ps"])).stdout).toBe("")
  expect((await runBinary(machine, ["sessions", "list"])).stdout).toContain("interrupted")
  await using second = await screen(machine, ["-c"])
  gate.resolve()
  await second.shows("and second half")
  await ended(machine, second)
})

test("stop ends a host and its work, and the next start says what was interrupted", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  await using terminal = await screen(machine)
  await asked(terminal, "be slow")
  await terminal.shows("first half")
  process.kill(terminal.pid, "SIGKILL")
  const running = hosts(machine)
  await runBinary(machine, ["stop", "all", "--now"])
  await waitGone(running)
  const listed = await runBinary(machine, ["sessions", "list"])
  expect(listed.stdout).toContain("interrupted")
  gate.resolve()
  expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 0, stdout: "first half and second half\n" })
})
