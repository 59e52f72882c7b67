/** A disk that fails while a commit is written, on the executable: the session is opened again and goes on by what the file says, once a minute. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { bearersOf, commandLine, waitGone } from "../support/process.ts"
import { openTerminal } from "../support/tmux.ts"

let server: ModelServer

function script(request: ModelRequest): Reply {
  const [result] = request.results
  if (result !== undefined) return { text: `told: ${result.text}` }
  return { toolCalls: [{ name: "bash", args: { command: "echo x >> ran; cat ran" } }] }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const ran = (machine: Machine): string => {
  const path = join(machine.work, "ran")
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

/** More commits than this run has: the search for its last one ends here. */
const commitsMax = 60

for (const moment of ["commit", "committed"]) {
  const whether = moment === "commit" ? "and was not stored" : "and was stored"
  test(`whichever commit the disk fails at ${whether}, a printed run ends as if it had not, and its command ran once`, async () => {
    let failures = 0
    for (let n = 1; n <= commitsMax; n++) {
      using machine = localMachine(server)
      const run = await runBinary(machine, ["-p", "run it"], { env: { CAIRN_FAIL: `${moment}:${n}` } })
      expect({ n, status: run.status, out: run.stdout, ran: ran(machine) }).toEqual({
        n,
        status: 0,
        out: "told: x\n",
        ran: "x\n",
      })
      if (!run.stderr.includes("the session is opened again")) break
      failures = n
      expect((await runBinary(machine, ["sessions", "check", "--all"])).status).toBe(0)
    }
    expect(failures).toBeGreaterThan(8)
  }, 300_000)
}

test("a disk that fails twice within a minute ends a printed run, which says so; its work is pending and is done once", async () => {
  using machine = localMachine(server)
  const fails = { CAIRN_FAIL: "commit:6,commit:12" }
  const run = await runBinary(machine, ["-p", "run it"], { env: fails })
  expect(run).toMatchObject({ status: 1, stdout: "" })
  expect(run.stderr).toContain("it is not known whether the last commit was stored")
  expect(run.stderr).toContain("ended with its work pending; finish it with: cairn -c -p")
  expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 0, stdout: "told: x\n" })
  expect(ran(machine)).toBe("x\n")
})

/** Pids of the hosts of this machine: nobody else has its folder for sockets. */
function hosts(machine: Machine): readonly number[] {
  return bearersOf(`XDG_RUNTIME_DIR=${machine.env.XDG_RUNTIME_DIR}`)
    .map(({ pid }) => pid)
    .filter((pid) => commandLine(pid).includes("--socket"))
}

test("a host whose disk fails opens its session again by itself, and is only looked at after the second time", async () => {
  using machine = localMachine(server)
  const env = { ...machine.env, CAIRN_FAIL: "commit:6,commit:30" }
  const terminal = await openTerminal({
    command: [await builtBinary()],
    env,
    cwd: machine.work,
    width: 100,
    height: 30,
  })
  const refused = async (): Promise<boolean> => (await terminal.rows()).join(" ").includes("failed twice")
  try {
    await terminal.shows("Ask anything")
    await terminal.type("run it")
    await terminal.keys("Enter")
    await terminal.shows("told: x")
    const [host] = hosts(machine)
    expect(ran(machine)).toBe("x\n")
    for (let more = 1; more < commitsMax && !(await refused()); more++) {
      await terminal.type(`again ${more}`)
      await terminal.keys("Enter")
      await eventually(
        async () => ran(machine) === "x\n".repeat(more + 1) || (await refused()),
        () => `the work of input ${more} is not done: ${ran(machine)}`,
      )
    }
    await terminal.shows("failed twice")
    expect(hosts(machine)).toEqual(host === undefined ? [] : [host])
  } finally {
    await terminal.kill()
    for (const pid of hosts(machine)) process.kill(pid, "SIGKILL")
    await waitGone(hosts(machine))
  }
}, 120_000)
