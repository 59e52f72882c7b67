/** Whether a command has begun is decided once, whoever dies or wakes in between. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { systemClock } from "../../src/std/clock.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { claimIntent, claimOf, claimUnstarted } from "../../src/tools/bash-claim.ts"
import { bashTool } from "../../src/tools/bash.ts"
import { followCommand, startInFiles, type CommandSpec } from "../../src/tools/command.ts"
import { linuxTable, processTable } from "../../src/tools/processes.ts"
import type { CallFiles } from "../../src/tools/tool.ts"
import { eventually } from "../support/eventually.ts"
import { detail, textOf, workbench, type Workbench } from "./workbench.ts"

function specOf(bench: Workbench, command: string, key: string): CommandSpec {
  return { command, key, shell: "bash", cwd: bench.folder, env: { PATH: process.env["PATH"] ?? "" } }
}

async function end(files: CallFiles, started: ReturnType<typeof startInFiles>): Promise<unknown> {
  const { signal } = new AbortController()
  const { identity, gone } = started
  const { ending } = await followCommand({ files, identity, gone, clock: systemClock, signal, onOutput: () => {} })
  return ending
}

/** What a host that comes after a death is told, for the files and the intent that the dead one left. */
async function afterDeath(bench: Workbench, files: CallFiles, intent: JsonObject, key: string): Promise<unknown> {
  // Its own claims have names of their own.
  const later = { ...files, begun: `${files.begun}.later` }
  const result = await bashTool.adopt?.({ command: "x" }, {}, bench.context({ files: later, key }), intent)
  return result === null || result === "not started" ? result : "adopted"
}

test("a command that was marked and never started has not begun, also for a host after the one that found out", async () => {
  using bench = workbench()
  const files = bench.files()
  const prepared = await bashTool.prepare?.({ command: "x" }, bench.context({ files }))
  if (prepared?.ok !== true) throw new Error("bash prepares")
  expect(prepared.intent).toEqual({ claim: basename(files.begun), bootId: processTable.bootId() })
  expect(await afterDeath(bench, files, prepared.intent, "never:1")).toBe("not started")
  expect(await afterDeath(bench, files, prepared.intent, "never:1")).toBe("not started")
})

test("a wrapper that comes late, of an agent that was thought dead, runs nothing", async () => {
  using bench = workbench()
  const files = bench.files()
  const intent = claimIntent(files)
  expect(await afterDeath(bench, files, intent, "late:1")).toBe("not started")
  const started = startInFiles(specOf(bench, "touch ran", "late:1"), files)
  expect(await end(files, started)).toEqual({ how: "lost" })
  expect(existsSync(bench.path("ran"))).toBe(false)
  expect(statSync(files.output).size).toBe(0)
})

test("a command that has begun is never taken for one that has not, dead or alive", async () => {
  using bench = workbench()
  const files = bench.files()
  const intent = claimIntent(files)
  const command = "echo begun; while [ ! -e go ]; do sleep 0.02; done; kill -KILL 0"
  const started = startInFiles(specOf(bench, command, "begun:1"), files)
  // What it does first is to claim the call.
  await eventually(
    () => readFileSync(files.output, "utf8") === "begun\n",
    () => "the command did not begin",
  )
  const adopting = afterDeath(bench, files, intent, "begun:1")
  bench.put("go", "")
  expect(await adopting).toBe("adopted")
  await started.gone
  expect(linuxTable.wrapper("begun:1")).toBeNull()
  // As if no status had been written.
  writeFileSync(files.status, "running\n")
  expect(await afterDeath(bench, files, intent, "begun:1")).toBeNull()
  expect(readFileSync(files.begun, "utf8")).toBe("")
  expect(statSync(files.begun).mode & 0o777).toBe(0o600)
})

test("nothing is certain after a reboot, nor of a call that was to run in a pipe", async () => {
  using bench = workbench()
  const files = bench.files()
  const intent = claimIntent(files)
  expect(await afterDeath(bench, files, { ...intent, bootId: "another boot" }, "boot:1")).toBeNull()
  expect(await afterDeath(bench, files, { ...intent, bootId: "" }, "boot:1")).toBeNull()
  expect(existsSync(files.begun)).toBe(false)
  expect(await afterDeath(bench, files, {}, "pipe:1")).toBeNull()
  // A file system of the kernel has no room for files: the call runs in a pipe.
  const full = { output: "/proc/self/output", status: "/proc/self/no-status", begun: "/proc/self/begun" }
  expect(await bashTool.prepare?.({ command: "x" }, bench.context({ files: full }))).toEqual({ ok: true, intent: {} })
})

test("of a wrapper and a host that ask at the same moment exactly one wins", async () => {
  using bench = workbench()
  for (let round = 0; round < 20; round++) {
    const files = bench.files()
    const claim = claimOf(claimIntent(files), files)
    if (claim === null) throw new Error("an intent names its claim")
    const started = startInFiles(specOf(bench, `touch ran-${round}`, `race:${round}`), files)
    const isUnstarted = claimUnstarted(claim)
    await started.gone
    expect(existsSync(bench.path(`ran-${round}`))).toBe(!isUnstarted)
  }
})

test("a command runs under the mask of its agent, not under that of its claim", async () => {
  using bench = workbench()
  const files = bench.files()
  const started = startInFiles(specOf(bench, "umask", "mask:1"), files)
  await end(files, started)
  expect(Number.parseInt(readFileSync(files.output, "utf8"), 8)).toBe(process.umask())
})

const forget = (): Promise<void> => Promise.reject(new Error("the ledger is closed"))

test("a command in a pipe that cannot be remembered is ended: nobody could go on with it", async () => {
  using bench = workbench()
  const key = "forgotten-pipe:1"
  const failed = bench.call(bashTool, { command: "sleep 300" }, { files: null, key, remember: forget })
  expect(await failed.catch((error: Error) => error.message)).toBe("the ledger is closed")
  expect(linuxTable.commandProcesses(key, null)).toEqual([])
})

test("a command in files that cannot be remembered is found by its key, and gone on with", async () => {
  using bench = workbench()
  const key = "forgotten-files:1"
  const files = bench.files()
  const command = "while [ ! -e go ]; do sleep 0.02; done; echo all; exit 3"
  const failed = bench.call(bashTool, { command }, { files, key, remember: forget })
  expect(await failed.catch((error: Error) => error.message)).toBe("the ledger is closed")
  await eventually(
    () => existsSync(files.begun),
    () => "the command did not begin",
  )
  const adopted = bashTool.adopt?.({ command }, {}, bench.context({ files, key }), claimIntent(files))
  bench.put("go", "")
  const result = await adopted
  if (result === undefined || result === null || result === "not started") throw new Error("nobody went on with it")
  expect([textOf(result), detail(result, "exit")]).toEqual(["all\n\n[Exit status 3.]", 3])
})
