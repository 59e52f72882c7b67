import { describe, expect, test } from "bun:test"
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../../src/std/clock.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { bashTool } from "../../src/tools/bash.ts"
import { followCommand, readStatus, startInFiles, type CommandSpec } from "../../src/tools/command.ts"
import {
  endCommand,
  identityOf,
  isAlive,
  linuxTable,
  psTable,
  storedIdentity,
  type Identity,
} from "../../src/tools/processes.ts"
import type { CallFiles, ToolContext, ToolResult } from "../../src/tools/tool.ts"
import { startWatchdog } from "../../src/tools/watchdog.ts"
import { eventually } from "../support/eventually.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { processes } from "../support/process.ts"
import { detail, textOf, workbench, type Workbench } from "./workbench.ts"

function specOf(bench: Workbench, command: string, key: string): CommandSpec {
  return { command, key, shell: "bash", cwd: bench.folder, env: { PATH: process.env["PATH"] ?? "" } }
}

async function adopted(
  bench: Workbench,
  files: CallFiles,
  key: string,
  facts: JsonObject,
  more: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const result = await bashTool.adopt?.({ command: "x", timeout: 1 }, facts, bench.context({ files, key, ...more }), {})
  if (result == null || result === "not started") throw new Error("this command can be adopted")
  return result
}

type Host = { readonly facts: JsonObject; kill(): Promise<void> }

/** Another process that runs `command` as a host would, up to the moment when it has remembered it. */
async function lonelyHost(
  bench: Workbench,
  files: CallFiles,
  key: string,
  command: string,
  path: string = process.env["PATH"] ?? "",
): Promise<Host> {
  const script = join(import.meta.dir, "lonely-host.ts")
  const argv = [process.execPath, script, bench.folder, files.output, files.status, key, command]
  const host = Bun.spawn(argv, { env: { ...process.env, PATH: path }, stdout: "pipe", stderr: "inherit" })
  let text = ""
  const reader = host.stdout.getReader()
  while (!text.includes("\n")) {
    const { value, done } = await reader.read()
    if (done) throw new Error("the host ended before it had begun")
    text += Buffer.from(value).toString()
  }
  return {
    facts: JSON.parse(text.slice(0, text.indexOf("\n"))) as JsonObject,
    async kill() {
      host.kill("SIGKILL")
      await host.exited
    },
  }
}

function follow(files: CallFiles, identity: Identity | null): ReturnType<typeof followCommand> {
  const { signal } = new AbortController()
  return followCommand({ files, identity, clock: systemClock, signal, onOutput: () => {} })
}

/** The watchdogs of `status`: ours, and the one of a host that ran for long enough. */
function watchers(status: string): readonly number[] {
  return processes()
    .filter(({ pid, name }) => name === "sh" && commandLine(pid).includes(`cairn-watch\0${status}\0`))
    .map(({ pid }) => pid)
}

/** What the watchdogs of `status` wait in; another process for each look. */
function watchersSleeps(status: string): readonly number[] {
  const parents = watchers(status)
  return processes()
    .filter(({ parent, name }) => name === "sleep" && parents.includes(parent))
    .map(({ pid }) => pid)
}

function commandLine(pid: number): string {
  return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : ""
}

describe("a command whose host is killed", () => {
  test("goes on, and its output and end are found from the files alone", async () => {
    using bench = workbench()
    const files = bench.files()
    const host = await lonelyHost(
      bench,
      files,
      "killed:1",
      "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 7",
    )
    await host.kill()
    const identity = storedIdentity(host.facts)
    expect(identity !== null && isAlive(identity)).toBe(true)
    expect(readStatus(files.status)).toBeNull()
    const following = follow(files, identity)
    bench.put("go", "")
    expect(await following).toEqual({ ending: { how: "exit", code: 7 }, held: false })
    expect(readFileSync(files.output, "utf8")).toBe("one\ntwo\n")
  })

  test("and that ended meanwhile has its true result after a restart", async () => {
    using bench = workbench()
    const files = bench.files()
    const host = await lonelyHost(bench, files, "ended:1", "sleep 0.2; echo done; exit 4")
    await host.kill()
    await follow(files, storedIdentity(host.facts))
    const result = await adopted(bench, files, "ended:1", host.facts)
    expect([result.isError, textOf(result), detail(result, "exit")]).toEqual([true, "done\n\n[Exit status 4.]", 4])
  })

  test("and that still runs is adopted: its whole output and its true status come", async () => {
    using bench = workbench()
    const files = bench.files()
    const command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; sleep 300 & exit 5"
    const host = await lonelyHost(bench, files, "adopted:1", command)
    await eventually(
      () => statSync(files.output).size > 0,
      () => "no output came",
    )
    await host.kill()
    let seen = ""
    const progress = (text: string): void => {
      seen += text
      if (seen === "one\n") bench.put("go", "")
    }
    const result = await adopted(bench, files, "adopted:1", host.facts, { progress })
    expect(await endCommand("adopted:1", null, systemClock)).toEqual([])
    expect(textOf(result)).toMatch(/^one\ntwo\n\n\[Exit status 5\. Still running: \d+ sleep 300\.\]$/)
    expect(seen).toBe("one\ntwo\n")
    expect(readFileSync(files.status, "utf8")).toMatch(new RegExp(`^exit 5\\n\\s+${process.pid} +\\n$`))
  })

  test("and was adopted can be interrupted, and ends at its deadline", async () => {
    using bench = workbench()
    for (const how of ["Interrupted", "Timed out"]) {
      const files = bench.files()
      const key = `adopted-${how}:1`
      const host = await lonelyHost(bench, files, key, "sleep 300")
      await host.kill()
      const stop = new AbortController()
      const facts = { ...host.facts, deadline: how === "Timed out" ? systemClock.now() + 100 : null }
      const adopting = adopted(bench, files, key, facts, { signal: stop.signal })
      if (how === "Interrupted") stop.abort()
      expect(textOf(await adopting)).toContain(`[${how}`)
      expect(linuxTable.commandProcesses(key, null)).toEqual([])
    }
  })

  test("and whose end nobody can tell is not adopted", async () => {
    using bench = workbench()
    const files = bench.files()
    const facts = { pid: 1, startTime: "never", bootId: "another" }
    expect(await bashTool.adopt?.({ command: "x" }, facts, bench.context({ files }), {})).toBeNull()
    expect(await bashTool.adopt?.({ command: "x" }, {}, bench.context(), {})).toBeNull()
  })

  test("for which the disk had no room is not adopted, and what still runs of it is ended (12)", async () => {
    using bench = workbench()
    // A file system of the kernel has no room for files.
    const files = { output: "/proc/self/output", status: "/proc/self/no-status", begun: "/proc/self/begun" }
    const host = await lonelyHost(bench, files, "piped:1", "sleep 300")
    await host.kill()
    const context = bench.context({ files, key: "piped:1" })
    expect(await bashTool.adopt?.({ command: "x" }, host.facts, context, {})).toBeNull()
    const result = await bashTool.recover?.({ command: "x" }, host.facts, context)
    expect(result?.isError).toBe(true)
    expect(linuxTable.commandProcesses("piped:1", null)).toEqual([])
  })

  test("and that still runs is ended after a restart, with the output so far", async () => {
    using bench = workbench()
    const files = bench.files()
    const key = "running:1"
    const host = await lonelyHost(bench, files, key, "echo begun; setsid sleep 300 & sleep 301; echo never")
    await eventually(
      () => statSync(files.output).size > 0,
      () => "no output came",
    )
    await host.kill()
    const result = await bashTool.recover?.({ command: "x" }, host.facts, bench.context({ files, key }))
    if (result === undefined) throw new Error("bash recovers")
    expect(textOf(result)).toMatch(
      /^begun\n[^]*\[Cairn ended while the command ran\. Whether it did what it was to do is unknown/,
    )
    expect(textOf(result)).not.toContain("never")
    expect(result.isError).toBe(true)
    expect(linuxTable.commandProcesses(key, null)).toEqual([])
  })

  test("before it could remember anything is found by its wrapper, adopted and remembered", async () => {
    using bench = workbench()
    const files = bench.files()
    const key = "forgotten:1"
    const command = "echo one; while [ ! -e go ]; do sleep 0.02; done; exit 6"
    const host = await lonelyHost(bench, files, key, command)
    await host.kill()
    const { pid, startTime } = host.facts
    // Between its fork and its own program it has no command line.
    await eventually(
      () => linuxTable.wrapper(key) !== null,
      () => "the wrapper is not found",
    )
    expect([linuxTable.wrapper(key), psTable.wrapper(key)]).toEqual([pid as number, pid as number])
    const remembered: JsonObject[] = []
    const remember = async (fact: JsonObject): Promise<void> => {
      remembered.push(fact)
      bench.put("go", "")
    }
    const result = await bashTool.adopt?.({ command }, {}, bench.context({ files, key, remember }), {})
    expect(result == null || result === "not started" ? result : textOf(result)).toBe("one\n\n[Exit status 6.]")
    expect(remembered).toEqual([expect.objectContaining({ pid, startTime, deadline: null })])
    expect([linuxTable.wrapper(key), psTable.wrapper(key)]).toEqual([null, null])
  })

  test("flushes its output and its status at its end, and leaves that to its host where one is there", async () => {
    using bench = workbench()
    const files = bench.files()
    const bin = bench.path("bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "sync"), `#!/bin/sh\necho "$@" >>${bench.path("synced")}\n`, { mode: 0o755 })
    const path = `${bin}:${process.env["PATH"] ?? ""}`
    const host = await lonelyHost(bench, files, "synced:1", "while [ ! -e go ]; do sleep 0.02; done", path)
    await host.kill()
    bench.put("go", "")
    await follow(files, storedIdentity(host.facts))
    expect(bench.get("synced")).toBe(`${files.status} ${files.output}\n`)
    const key = "synced:2"
    await bench.call(bashTool, { command: "true" }, { files: bench.files(), key, env: { PATH: path } })
    await eventually(
      () => linuxTable.wrapper(key) === null,
      () => "the wrapper stays",
    )
    expect(bench.get("synced")).toBe(`${files.status} ${files.output}\n`)
  })

  test("before it could remember anything is found by its marker", async () => {
    using bench = workbench()
    const files = bench.files()
    const key = "unremembered:1"
    const host = await lonelyHost(bench, files, key, "echo begun; sleep 300")
    await eventually(
      () => linuxTable.commandProcesses(key, null).length > 0,
      () => "the command did not begin",
    )
    await host.kill()
    const result = await bashTool.recover?.({ command: "x" }, {}, bench.context({ files, key }))
    expect(result?.isError).toBe(true)
    expect(linuxTable.commandProcesses(key, null)).toEqual([])
  })

  test("is not ended where its pid is now someone else's", async () => {
    using bench = workbench()
    const own = identityOf(process.pid)
    if (own === null) throw new Error("this process lives")
    const facts = { ...own, startTime: "1" }
    const result = await bashTool.recover?.(
      { command: "x" },
      facts,
      bench.context({ files: bench.files(), key: "none:1" }),
    )
    if (result === undefined) throw new Error("bash recovers")
    expect(textOf(result)).toMatch(/^\(no output\)\n\n\[Cairn ended while/)
    expect(isAlive({ ...own, bootId: "another boot" })).toBe(false)
  })

  test("is ended by its watchdog at its deadline, and not before its host has died", async () => {
    using bench = workbench()
    const files = bench.files()
    const host = await lonelyHost(
      bench,
      files,
      "watched:1",
      "trap 'echo bye; exit 9' TERM; echo begun; while :; do sleep 0.05; done",
    )
    const identity = storedIdentity(host.facts)
    if (identity === null) throw new Error("the host remembers who it started")
    const watch = { status: files.status, leader: identity.pid, deadlineSeconds: 1, orphanSeconds: 600, stepSeconds: 1 }
    const end = startWatchdog(watch)
    try {
      const looks = new Set<number>()
      await eventually(
        () => watchersSleeps(files.status).every((pid) => looks.add(pid)) && looks.size > 2,
        () => "the watchdog does not look",
      )
      expect(readStatus(files.status)).toBeNull()
      await host.kill()
      expect(await follow(files, identity)).toEqual({ ending: { how: "exit", code: 9 }, held: false })
      expect(readFileSync(files.output, "utf8")).toMatch(/^begun\n(Terminated\n)?bye\n$/)
    } finally {
      end()
      for (const pid of watchers(files.status)) process.kill(-pid, "SIGKILL")
    }
  })

  test("and that nobody asked after is killed where it will not end", async () => {
    using bench = workbench()
    const files = bench.files()
    const host = await lonelyHost(bench, files, "orphan:1", "trap '' TERM; echo begun; while :; do sleep 0.05; done")
    const identity = storedIdentity(host.facts)
    if (identity === null) throw new Error("the host remembers who it started")
    await eventually(
      () => statSync(files.output).size > 0,
      () => "no output came",
    )
    await host.kill()
    const end = startWatchdog({
      status: files.status,
      leader: identity.pid,
      deadlineSeconds: null,
      orphanSeconds: 1,
      stepSeconds: 1,
    })
    try {
      expect(await follow(files, identity)).toEqual({ ending: { how: "signal", name: "SIGKILL" }, held: false })
      await eventually(
        () => linuxTable.commandProcesses("orphan:1", identity.pid).length === 0,
        () => "what was killed is still there",
      )
    } finally {
      end()
      for (const pid of watchers(files.status)) process.kill(-pid, "SIGKILL")
    }
  })
})

test("a status is valid only as a whole first line", () => {
  using bench = workbench()
  const rows = [
    ["exit 0\n", { how: "exit", code: 0 }],
    ["exit 130\n     \n1234   \n", { how: "exit", code: 130 }],
    ["signal 9\n", { how: "signal", name: "SIGKILL" }],
    ["running   \n12   \n", null],
    ["exit 0", null],
    ["exit \n", null],
    ["exit 99999\n", null],
    ["", null],
    ["\0\0\0\0\n", null],
  ] as const
  for (const [text, ending] of rows) {
    writeFileSync(bench.path("status"), text)
    expect(readStatus(bench.path("status"))).toEqual(ending)
  }
  expect(readStatus(bench.path("missing"))).toBeNull()
})

test("output beyond its limit ends the command, and the file stays within it", async () => {
  using bench = workbench()
  const files = bench.files()
  const started = startInFiles(specOf(bench, "yes", "much:1"), files, 1_000_000)
  const { signal } = new AbortController()
  const { identity, gone } = started
  const { ending } = await followCommand({ files, identity, gone, clock: systemClock, signal, onOutput: () => {} })
  expect(ending).toEqual({ how: "exit", code: 141 })
  expect(statSync(files.output).size).toBeLessThanOrEqual(1_000_448)
})

test("what a command prints after a silence is seen at once, not at the next look", async () => {
  using bench = workbench()
  const files = bench.files()
  writeFileSync(files.output, "begun\n")
  writeFileSync(files.status, "running\n")
  const clock = new ManualClock()
  const over = new AbortController()
  let text = ""
  const onOutput = (bytes: Uint8Array): void => void (text += Buffer.from(bytes).toString())
  const following = followCommand({
    files,
    identity: identityOf(process.pid),
    clock,
    signal: over.signal,
    onOutput,
  })
  // It has become quiet: it is looked at every 100 ms.
  await eventually(
    () => {
      if (clock.pending[0] !== 100) void clock.advance(33)
      return clock.pending[0] === 100
    },
    () => `waits for ${clock.pending.join()}`,
  )
  const before = clock.monotonic()
  appendFileSync(files.output, "more\n")
  await eventually(
    () => text === "begun\nmore\n",
    () => text,
  )
  expect(clock.monotonic()).toBe(before)
  over.abort()
  await following
})

test("the wrapper is not found by what is in the command", async () => {
  using bench = workbench()
  const files = bench.files()
  const { gone } = startInFiles(specOf(bench, "pgrep -f needle-in-it | wc -l; true", "words:1"), files)
  await gone
  expect(readFileSync(files.output, "utf8").trim()).toBe("1")
})

test("ps tells of the same processes where there is no /proc", async () => {
  using bench = workbench()
  const files = bench.files()
  const started = startInFiles(specOf(bench, "sleep 300 & sleep 301", "ps:1"), files)
  const names = (table: typeof psTable): readonly string[] =>
    table.commandProcesses("ps:1", started.pid).map(({ command }) => command)
  await eventually(
    () => names(linuxTable).filter((name) => name.startsWith("sleep")).length === 2,
    () => `${names(linuxTable)}`,
  )
  expect([...names(psTable)].filter((name) => name.startsWith("sleep")).sort()).toEqual(["sleep 300", "sleep 301"])
  const time = psTable.startTime(started.pid)
  expect(time).toMatch(/\d\d:\d\d:\d\d/)
  expect(await endCommand("ps:1", started.pid, systemClock, psTable)).toEqual([])
  await started.gone
  expect(names(linuxTable)).toEqual([])
  expect(psTable.startTime(started.pid)).toBeNull()
})

test("a process that was stopped ends too", async () => {
  using bench = workbench()
  const files = bench.files()
  const started = startInFiles(specOf(bench, "kill -STOP $$; echo never", "stopped:1"), files)
  await eventually(
    () =>
      linuxTable
        .commandProcesses("stopped:1", started.pid)
        .some(({ pid }) => /State:\s+T/.test(readFileSync(`/proc/${pid}/status`, "utf8"))),
    () => "it did not stop",
  )
  expect(await endCommand("stopped:1", started.pid, systemClock)).toEqual([])
  await started.gone
  expect(readStatus(files.status)).toEqual({ how: "exit", code: 143 })
})
