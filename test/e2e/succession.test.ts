/** A host hands its session to another one, as an upgrade does, and nothing is lost or done twice. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { isOlder } from "../../src/cli/connect.ts"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { bearersOf, commandLine, waitGone } from "../support/process.ts"
import { openTerminal, type Terminal } from "../support/tmux.ts"

let server: ModelServer
let gate = Promise.withResolvers<void>()

function script(request: ModelRequest): Reply {
  if (request.lastUser.includes("again")) return { text: "still here" }
  if (request.lastUser.includes("run") && request.results.length === 0) {
    const command = "for i in 1 2 3 4 5 6; do echo step $i; sleep 0.5; done; echo ran >> runs.txt"
    return { text: "Running.", toolCalls: [{ name: "bash", args: { command } }] }
  }
  if (request.results.length > 0) return { text: `it printed: ${request.results[0]?.text.split("\n").join(",")}` }
  return { text: ["first half ", { until: gate.promise }, "and second half"] }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

function hosts(machine: Machine): readonly number[] {
  return bearersOf(`XDG_RUNTIME_DIR=${machine.env.XDG_RUNTIME_DIR}`)
    .map(({ pid }) => pid)
    .filter((pid) => commandLine(pid)[1] === "host")
}

async function begin(machine: Machine, text: string): Promise<Terminal> {
  const command = [await builtBinary()]
  const terminal = await openTerminal({ command, env: machine.env, cwd: machine.work, width: 100, height: 30 })
  await terminal.shows("Ask anything")
  await terminal.type(text)
  await terminal.keys("Enter")
  return terminal
}

async function session(machine: Machine): Promise<string> {
  const listed = await runBinary(machine, ["sessions", "list", "--json"])
  return (JSON.parse(listed.stdout.split("\n")[0] ?? "") as { id: string }).id
}

/** A successor, as a newer executable starts one. */
async function successor(machine: Machine, ...flags: readonly string[]): Promise<Bun.Subprocess> {
  const words = [await builtBinary(), "host", await session(machine), "--succeed", ...flags]
  return Bun.spawn(words, { cwd: machine.work, env: machine.env, stdin: "ignore", stdout: "ignore", stderr: "ignore" })
}

async function end(machine: Machine, terminal: Terminal): Promise<void> {
  await terminal.kill()
  await runBinary(machine, ["stop", "all", "--now"])
  await waitGone(hosts(machine))
}

test("at the turn boundary the answer is whole, the successor holds the session, and the screen goes on with it", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  await using terminal = await begin(machine, "speak")
  await terminal.shows("first half")
  const [old] = hosts(machine)
  const before = server.requests.length
  const next = await successor(machine)
  gate.resolve()
  await terminal.shows("and second half")
  await waitGone([old ?? 0])
  expect(server.requests.length).toBe(before)
  expect(hosts(machine)).toEqual([next.pid])
  await terminal.type("again?")
  await terminal.keys("Enter")
  await terminal.shows("still here")
  await end(machine, terminal)
})

test("a running command is adopted by the successor: its whole output, once", async () => {
  using machine = localMachine(server)
  await using terminal = await begin(machine, "run it")
  await terminal.shows("step 2")
  const [old] = hosts(machine)
  await successor(machine)
  await waitGone([old ?? 0])
  await terminal.shows("it printed: step 1,step 2,step 3,step 4,step 5,step 6")
  expect(await Bun.file(`${machine.work}/runs.txt`).text()).toBe("ran\n")
  await end(machine, terminal)
})

test("at once, what is being asked is asked again", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  await using terminal = await begin(machine, "speak")
  await terminal.shows("first half")
  const before = server.requests.length
  const [old] = hosts(machine)
  await successor(machine, "--now")
  await waitGone([old ?? 0])
  gate.resolve()
  await terminal.shows("and second half")
  expect(server.requests.length).toBe(before + 1)
  await end(machine, terminal)
})

test("a successor that dies before it holds the session leaves it to whoever comes, and nothing is lost", async () => {
  gate = Promise.withResolvers()
  using machine = localMachine(server)
  await using terminal = await begin(machine, "speak")
  await terminal.shows("first half")
  const next = await successor(machine)
  await eventually(
    () => hosts(machine).length === 2,
    () => "the successor did not start",
  )
  next.kill("SIGKILL")
  gate.resolve()
  await terminal.shows("and second half")
  await terminal.type("again?")
  await terminal.keys("Enter")
  await terminal.shows("still here")
  await end(machine, terminal)
})

test("an older build is known by its numbers", () => {
  expect(isOlder("0.1.0", "0.1.1")).toBe(true)
  expect(isOlder("0.9.9", "0.10.0")).toBe(true)
  expect(isOlder("1.0.0", "1.0.0")).toBe(false)
  expect(isOlder("1.2.0", "1.1.9")).toBe(false)
})
