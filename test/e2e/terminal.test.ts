/** The terminal as the executable leaves it, whatever became of the program, and terminals that can do little. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { eventually } from "../support/eventually.ts"
import { localMachine } from "../support/local-model.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { processes } from "../support/process.ts"
import { Pty } from "../support/pty.ts"
import { openTerminal } from "../support/tmux.ts"

/** Ten times what a busy machine needs for a program in a terminal. */
setDefaultTimeout(60_000)

let server: ModelServer
/** Settled when the model may say the rest of a long answer. */
let rest = Promise.withResolvers<void>()

function script({ lastUser }: ModelRequest): Reply {
  if (lastUser.includes("pieces")) {
    return { text: Array.from({ length: 300 }, (_, piece) => `piece ${piece}${piece % 7 === 0 ? "\n\n" : " "}`) }
  }
  if (!lastUser.includes("long")) return { text: "the answer" }
  const lines = Array.from({ length: 4_000 }, (_, line) => `line ${line} of a long answer\n\n`)
  return { text: ["the beginning\n\n", { until: rest.promise }, lines.join(""), "the very end"] }
}

beforeAll(async () => {
  server = await startModelServer({ key: "k", script })
})
afterAll(() => server.stop())

const ready = "Ask anything"
const shellModes = [25]

/** A shell that runs `lines`; the terminal's settings as words wherever `stty` is one of them. */
function shell(machine: Machine, lines: string, env: Record<string, string> = {}): Pty {
  return new Pty(["sh", "-c", lines], { env: { ...machine.env, ...env }, cwd: machine.work })
}

/** The screen's process under that shell. */
function screenPid(pty: Pty): number | undefined {
  return processes().find(({ parent }) => parent === pty.pid)?.pid
}

async function kill(pty: Pty): Promise<void> {
  const pid = screenPid(pty)
  expect(pid).toBeDefined()
  process.kill(pid ?? 0, "SIGKILL")
}

const settings = "echo settings: $(stty -a | grep -oE -e '-?(icanon|echo|isig|opost)\\b' | sort -u | tr '\\n' ' ')"

test("after a screen was killed the next one leaves a terminal that a shell can use (110)", async () => {
  using machine = localMachine(server)
  const cairn = await builtBinary()
  await using pty = shell(machine, `${cairn}; echo again; ${cairn}; ${settings}`)
  await pty.says(ready)
  await kill(pty)
  await pty.says("again")
  const before = pty.text.length
  await pty.says(ready, before)
  pty.write("\x04")
  await pty.says("settings: echo icanon isig opost", before)
  expect(await pty.ended()).toBe(0)
  expect(pty.modes).toEqual(shellModes)
  await runBinary(machine, ["stop", "all", "--now"])
})

test("cairn reset-terminal puts right what a killed screen left behind (110)", async () => {
  using machine = localMachine(server)
  const cairn = await builtBinary()
  await using pty = shell(machine, `${cairn}; ${cairn} reset-terminal; ${settings}`)
  await pty.says(ready)
  expect(pty.modes).toContain(1049)
  await kill(pty)
  await pty.says("settings: echo icanon isig opost")
  expect(await pty.ended()).toBe(0)
  // Lines wrap again, too.
  expect(pty.modes).toEqual([7, ...shellModes])
  await runBinary(machine, ["stop", "all", "--now"])
})

test("a screen ends well, and a terminal is reset, on a machine that has no stty (110)", async () => {
  using machine = localMachine(server)
  const env = { ...machine.env, PATH: machine.work }
  await using pty = new Pty([await builtBinary()], { env, cwd: machine.work })
  await pty.says(ready)
  pty.write("\x04")
  expect(await pty.ended()).toBe(0)
  expect(pty.text).not.toContain("stty")
  expect(await runBinary(machine, ["reset-terminal"], { env })).toMatchObject({ status: 0, stderr: "" })
  await runBinary(machine, ["stop", "all", "--now"])
})

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGQUIT", 131],
] as const)("the executable that ends by %s gives the terminal back (110)", async (signal, status) => {
  using machine = localMachine(server)
  await using pty = new Pty([await builtBinary()], { env: { ...machine.env }, cwd: machine.work })
  await pty.says(ready)
  pty.kill(signal)
  expect(await pty.ended()).toBe(status)
  // The end of the program may be heard before its last bytes are read.
  await eventually(
    () => pty.modes.join() === shellModes.join(),
    () => `modes that are on: ${pty.modes.join(" ")}`,
  )
  await runBinary(machine, ["stop", "all", "--now"])
})

test("a terminal that reads nothing while a long answer comes has all of it afterwards, and hears keys again (133)", async () => {
  using machine = localMachine(server)
  rest = Promise.withResolvers<void>()
  await using terminal = await openTerminal({ command: [await builtBinary()], env: machine.env, cwd: machine.work })
  await terminal.shows(ready)
  await terminal.type("long")
  await terminal.shows("long")
  await terminal.keys("Enter")
  await terminal.shows("the beginning")
  const reader = processes().find(({ pid }) => pid === terminal.pid)?.parent ?? 0
  process.kill(reader, "SIGSTOP")
  rest.resolve()
  let shown = ""
  await eventually(
    async () => {
      const [id = ""] = readdirSync(join(machine.env.XDG_DATA_HOME ?? "", "cairn/sessions"))
      shown = (await runBinary(machine, ["sessions", "show", id])).stdout
      return shown.includes("the very end")
    },
    () => `the answer was never whole: ${shown.slice(-500)}`,
  )
  process.kill(reader, "SIGCONT")
  await terminal.shows("the very end")
  await terminal.type("still here")
  await terminal.shows("still here")
  await runBinary(machine, ["stop", "all", "--now"])
})

test("a streamed answer is painted inside synchronized frames, clears the screen never, and costs bytes by what changed (127)", async () => {
  using machine = localMachine(server)
  const env = { ...machine.env }
  await using pty = new Pty([await builtBinary()], { env, cwd: machine.work, columns: 200, rows: 60 })
  await pty.says(ready)
  pty.write("pieces")
  await pty.says("pieces")
  const before = pty.text.length
  pty.write("\r")
  await pty.says("state=working", before)
  await pty.says("state=idle", before)
  const streamed = pty.text.slice(before)
  expect(streamed).not.toContain("\x1b[2J")
  // What stands outside of frames is no painting: titles and states.
  const outside = streamed.replace(/\x1b\[\?2026h.*?\x1b\[\?2026l/gs, "").split("\x1b[?2026h")[0] ?? ""
  expect(outside.replace(/\x1b\].*?(?:\x07|\x1b\\)/gs, "")).toBe("")
  expect(streamed.length).toBeLessThan(400_000)
  pty.kill("SIGTERM")
  expect(await pty.ended()).toBe(143)
  await runBinary(machine, ["stop", "all", "--now"])
})

test("with one side that is no terminal nothing of a screen is written, only what print mode says", async () => {
  using machine = localMachine(server)
  const cairn = await builtBinary()
  await using pty = shell(machine, `${cairn} | cat; ${cairn} hello | cat; echo over`)
  await pty.says("there is no prompt")
  await pty.says("the answer")
  await pty.says("over")
  expect(pty.text).not.toContain("\x1b")
})
