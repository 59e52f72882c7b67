/** How a headless run may be ended from outside, at every stage, and what is left for the next one. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { openSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import type { Reply, Script } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({ key: "k" })
})
afterAll(async () => {
  expect(server.violations).toEqual([])
  await server.stop()
})

const half: Reply = { text: "half", hang: "mid" }
const command = (text: string): Reply => ({ toolCalls: [{ name: "bash", args: { command: text } }] })

type Started = {
  /** Its first request, or whatever else `until` waits for, has come. */
  kill(signal: NodeJS.Signals): void
  ended(): Promise<{ readonly status: number | null; readonly out: string; readonly err: string }>
}

/** Start the executable and wait until `until` holds, or until it has asked its model. */
async function started(
  machine: Machine,
  args: readonly string[],
  script: Script,
  until?: () => boolean,
): Promise<Started> {
  server.script(script)
  const first = server.requests.length
  const child = Bun.spawn([await builtBinary(), ...args], {
    cwd: machine.work,
    env: machine.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const texts = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  await server.request(first)
  if (until !== undefined)
    await eventually(until, () => `${args.join(" ")} has not come so far, status ${child.exitCode}`)
  return {
    kill: (signal) => child.kill(signal),
    async ended() {
      await child.exited
      const [out, err] = await texts
      return { status: child.exitCode, out, err }
    },
  }
}

const sessionsOf = (machine: Machine): string => join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")

for (const [signal, status] of [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`${signal} in mid-command ends the program at once, with its work pending, and the next one goes on`, async () => {
    using machine = localMachine(server)
    const [begun, release] = [join(machine.work, "begun"), join(machine.work, "release")]
    // It ends when the test wants it to, so that nothing but the agent's own leaving can end the agent.
    const run = await started(
      machine,
      ["-p", "go"],
      [command(`trap '' TERM HUP; echo so far; touch ${begun}; until [ -e ${release} ]; do sleep 0.05; done`)],
      () => existsSync(begun),
    )
    run.kill(signal)
    expect(await run.ended()).toEqual({
      status,
      out: "",
      err: "cairn: ended with its work pending; finish it with: cairn -c -p\n",
    })
    writeFileSync(release, "")
    server.script((request) => ({ text: `told: ${request.results[0]?.text ?? "nothing"}` }))
    const next = await runBinary(machine, ["-c", "-p"])
    expect(next.status).toBe(0)
    expect(next.stdout).toStartWith("told: so far\n")
  })

  test(`${signal} in mid-stream leaves the run pending, and -c -p brings it to its end`, async () => {
    using machine = localMachine(server)
    const run = await started(machine, ["-p", "go"], [half, { text: "whole" }])
    run.kill(signal)
    expect((await run.ended()).status).toBe(status)
    expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 0, stdout: "whole\n" })
  })
}

test("an interrupt while old work is finished first stops that work, and the new prompt is never sent", async () => {
  using machine = localMachine(server)
  const first = await started(machine, ["-p", "old work"], [half])
  first.kill("SIGKILL")
  await first.ended()
  const from = server.requests.length
  const second = await started(machine, ["-c", "-p", "brand new"], [half, { text: "never" }])
  second.kill("SIGINT")
  expect(await second.ended()).toMatchObject({ status: 130, out: "" })
  expect(server.requests.slice(from).map(({ lastUser }) => lastUser)).toEqual(["old work"])
  server.script([{ text: "on" }])
  expect(await runBinary(machine, ["-c", "-p", "next"])).toMatchObject({ status: 0, stdout: "on\n" })
})

test("an interrupt in the wait for a retry is the run's end: 130, then and whenever it is asked for", async () => {
  using machine = localMachine(server, { retry: { baseDelayMs: 60_000 } })
  const run = await started(machine, ["--mode", "json", "go"], [{ status: 503, body: "later" }])
  const told = async (): Promise<boolean> => (await runBinary(machine, ["sessions", "list"])).stdout.includes("go")
  await eventually(told, () => "the session is not listed")
  run.kill("SIGINT")
  expect((await run.ended()).status).toBe(130)
  expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 130, stdout: "" })
})

test("T20: a run that is killed again and again at the same step still goes on when it is told to, and says so", async () => {
  using machine = localMachine(server)
  for (let kill = 0; kill < 5; kill++) {
    const run = await started(machine, kill === 0 ? ["-p", "go"] : ["-c", "-p"], [half])
    run.kill("SIGKILL")
    await run.ended()
  }
  server.script([{ text: "at last" }])
  const last = await runBinary(machine, ["-c", "-p"])
  expect(last).toMatchObject({ status: 0, stdout: "at last\n" })
  expect(last.stderr).toMatch(/^cairn: finishing what was interrupted first\n/)
})

test("work from before a reboot waits until somebody says that it may go on", async () => {
  using machine = localMachine(server)
  const first = await started(machine, ["-p", "go"], [half])
  first.kill("SIGTERM")
  await first.ended()
  const [id = ""] = readdirSync(sessionsOf(machine))
  const ledger = await openSession({ dataDir: dirname(sessionsOf(machine)), id, clock: systemClock })
  ledger.commit("flushed", (tx) => tx.setDocument(0, "boot", { id: "another start of this machine" }, 1))
  await ledger.close()
  server.script([{ text: "whole" }])
  // Asking is no answer: it is asked again.
  for (const args of [
    ["-c", "-p"],
    ["-c", "-p", "more"],
  ]) {
    const asked = await runBinary(machine, args)
    expect(asked).toMatchObject({ status: 1, stdout: "" })
    expect(asked.stderr).toMatch(/^cairn: [^\n]*interrupted[^\n]*--resume[^\n]*\n$/)
  }
  expect(await runBinary(machine, ["-c", "-p", "--resume"])).toMatchObject({ status: 0, stdout: "whole\n" })
})

test("work that was begun in one folder is finished there, wherever its session is named", async () => {
  using machine = localMachine(server)
  const elsewhere = join(machine.folder, "elsewhere")
  mkdirSync(elsewhere)
  const first = await started(machine, ["-p", "go"], [half])
  first.kill("SIGKILL")
  await first.ended()
  const { id } = JSON.parse((await runBinary(machine, ["sessions", "list", "--json"])).stdout) as { id: string }
  server.script([
    { toolCalls: [{ name: "write", args: { path: "made.txt", content: "here\n" } }] },
    { text: "made" },
    { text: "no such model" },
  ])
  const second = await runBinary(machine, ["--session", id.slice(-8), "--mode", "json"], { cwd: elsewhere })
  expect(second.status).toBe(0)
  expect(JSON.parse(second.stdout.split("\n")[0] ?? "")).toMatchObject({ type: "session", id, cwd: machine.work })
  expect(readdirSync(machine.work)).toEqual(["made.txt"])
  expect(readdirSync(elsewhere)).toEqual([])
})

test("flags that cannot be are refused in a sentence, and work that waits goes on waiting in order", async () => {
  using machine = localMachine(server)
  const first = await started(machine, ["-p", "go"], [half])
  first.kill("SIGTERM")
  await first.ended()
  server.script(() => ({ text: "whole" }))
  const refused = await runBinary(machine, ["-c", "-p", "--model", "nowhere/x"])
  expect(refused).toMatchObject({ status: 1, stdout: "" })
  expect(refused.stderr).toMatch(/^cairn: There is no provider "nowhere"[^\n]*\n$/)
  expect(await runBinary(machine, ["-c", "-p"])).toMatchObject({ status: 0, stdout: "whole\n" })
})

test("an interrupt of a program that still waits for piped input is its end: 130, and nothing is left", async () => {
  using machine = localMachine(server)
  const child = Bun.spawn([await builtBinary(), "-p", "go"], {
    cwd: machine.work,
    env: machine.env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  })
  // It says what it waits for, and then waits on.
  const said = await child.stderr.getReader().read()
  expect(new TextDecoder().decode(said.value)).toContain("waiting for the end of the piped input")
  child.kill("SIGINT")
  expect(await child.exited).toBe(130)
  expect(existsSync(sessionsOf(machine))).toBe(false)
})

test("a process that ends before its input was taken leaves no session behind", async () => {
  using machine = localMachine(server)
  const closed = Bun.spawn(["sh", "-c", `"$1" --mode json go | true`, "sh", await builtBinary()], {
    cwd: machine.work,
    env: machine.env,
    stdin: "ignore",
    stderr: "ignore",
  })
  await closed.exited
  const left = readdirSync(sessionsOf(machine))
  const listed = await runBinary(machine, ["sessions", "list"])
  // Told in time, it leaves nothing; else what it leaves is a session like any other.
  expect(listed.stdout.trim().split("\n").filter(Boolean)).toHaveLength(left.length)
})
