/**
 * `bun run bench screen`: the full screen and its host as a person has them, in a terminal: how soon a key is seen, what both processes take of
 * memory and processor at rest and while a quick answer streams, and how long a long session takes to open.
 */
import { readFileSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { openSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { builtBinary, runBinary, type Machine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer } from "../support/model-server.ts"
import type { ModelRequest, Piece, Reply } from "../support/model-script.ts"
import { bearersOf, commandLine } from "../support/process.ts"
import { pssOf, range, repeat, type Bench } from "./measure.ts"
import { editor, Watched } from "./watched.ts"

const runs = 5
/** A character that no frame has but the one that ends an answer. */
const endMark = "■"

/** 2,000 tokens a second for ten seconds: twenty tokens of four characters each hundredth of a second. */
const pieces = 1_000
const pieceMs = 10
const pieceText = "a token or two of prose which goes on and on until the line is full of it again "

/** As fast as a command can print: a gigabyte. */
const flood = "yes 'a line of output that a command may well print' | head -c 1000000000"

function script(request: ModelRequest): Reply {
  if (request.results.length > 0) return { text: `it has printed\n\n${endMark}` }
  if (request.lastUser.includes("flood")) return { toolCalls: [{ name: "bash", args: { command: flood } }] }
  if (!request.lastUser.includes("stream")) return { text: `an answer to ${request.lastUser}` }
  const text = Array.from({ length: pieces }, (_, n): readonly Piece[] => [
    n % 8 === 7 ? `${pieceText}\n\n` : pieceText,
    { delayMs: pieceMs },
  ])
  return { text: [...text.flat(), `\n\n${endMark}`], usage: { input: 100, output: pieces * 20 } }
}

/** Milliseconds of the processor that a process has used. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function hostOf(machine: Machine): number {
  const hosts = bearersOf(`XDG_RUNTIME_DIR=${machine.env.XDG_RUNTIME_DIR}`)
  return hosts.find(({ pid }) => commandLine(pid).includes("--socket"))?.pid ?? 0
}

type Opened = { readonly screen: Watched; readonly host: number }

/** A screen with its host, both at rest. */
async function opened(machine: Machine, args: readonly string[], shows: string): Promise<Opened> {
  const screen = new Watched([await builtBinary(), ...args], machine)
  await screen.says(shows)
  await Bun.sleep(2_000)
  return { screen, host: hostOf(machine) }
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN

/** A machine for each run, so that no run finds what another left; the load of the real one is told beside the figures. */
async function measured<T>(once: (machine: Machine) => Promise<T>): Promise<readonly T[]> {
  const server = await startModelServer({ key: "k", script })
  try {
    return await repeat(runs, async () => {
      using machine = localMachine(server)
      try {
        return await once(machine)
      } finally {
        await runBinary(machine, ["stop", "all", "--now"])
      }
    })
  } finally {
    await server.stop()
  }
}

const load = (): string => `load of the machine ${loadavg()[0]?.toFixed(1) ?? "?"}`

const start: Bench = {
  name: "screen start",
  async run() {
    const results = await measured(async (machine) => {
      await using screen = new Watched([await builtBinary()], machine)
      screen.write("q")
      await screen.says(`\x1b[${editor.row};${editor.column + 1}H\x1b[?25h`)
      return screen.sinceStart
    })
    return [`start to the first echoed key: ${range(results, "ms")}, budget 150 ms; ${load()}`]
  },
}

const idleMs = 20_000
/** The runtime looks at its memory every second until nothing has happened for half a minute. */
const settledMs = 32_000

/** Milliseconds of the processor, of both, while nothing happens. */
async function idleCpu(pids: readonly number[]): Promise<number> {
  const used = (): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const before = used()
  await Bun.sleep(idleMs)
  return used() - before
}

const rest: Bench = {
  name: "screen at rest",
  async run() {
    const results = await measured(async (machine) => {
      const { screen, host } = await opened(machine, [], "Ask anything")
      await using _ = screen
      const memory = { screen: pssOf(screen.pid), host: pssOf(host) }
      const before = screen.bytes
      const cpu = await idleCpu([screen.pid, host])
      await Bun.sleep(settledMs - idleMs)
      const later = await idleCpu([screen.pid, host])
      return { memory, cpu, later, bytes: screen.bytes - before }
    })
    const memory = (of: (one: (typeof results)[number]["memory"]) => number): string =>
      range(
        results.map((result) => of(result.memory)),
        "MB",
      )
    return [
      `memory of both: ${memory(({ screen, host }) => screen + host)}, budget 90 MB; of the screen ${memory(({ screen }) => screen)}, of the host ${memory(({ host }) => host)}`,
      `processor in ${idleMs / 1_000} s: ${range(
        results.map(({ cpu }) => cpu),
        "ms",
      )} right after the start, ${range(
        results.map(({ later }) => later),
        "ms",
      )} from half a minute on, budget 20 ms; ${Math.max(...results.map(({ bytes }) => bytes))} bytes to the terminal at most; ${load()}`,
    ]
  },
}

const streaming: Bench = {
  name: "screen streaming",
  async run() {
    const results = await measured(async (machine) => {
      const { screen, host } = await opened(machine, [], "Ask anything")
      await using _ = screen
      const before = { screen: cpuOf(screen.pid), host: cpuOf(host), bytes: screen.bytes }
      const from = screen.length
      const began = performance.now()
      screen.write("stream\r")
      await screen.says(endMark, from)
      const seconds = (performance.now() - began) / 1_000
      return {
        seconds,
        screen: cpuOf(screen.pid) - before.screen,
        host: cpuOf(host) - before.host,
        bytes: (screen.bytes - before.bytes) / 1e6,
      }
    })
    const row = (of: (one: (typeof results)[number]) => number, unit: string): string => range(results.map(of), unit)
    return [
      `an answer of ${pieces * 20} tokens took ${row(({ seconds }) => seconds, "s")}`,
      `processor of both: ${row(({ screen, host }) => screen + host, "ms")}, budget 2500 ms; of the screen ${row(({ screen }) => screen, "ms")}, of the host ${row(({ host }) => host, "ms")}`,
      `to the terminal: ${row(({ bytes }) => bytes, "MB")}, budget 1.5 MB; ${load()}`,
    ]
  },
}

/** Keys of a person: some time apart, so that each has a frame of its own. */
async function keys(screen: Watched, count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let place = 1; place <= count; place++) {
    times.push(await screen.key(place))
    await Bun.sleep(40)
  }
  return times
}

const keysStreaming: Bench = {
  name: "screen keys while streaming",
  async run() {
    const results = await measured(async (machine) => {
      const { screen } = await opened(machine, [], "Ask anything")
      await using _ = screen
      screen.write("stream\r")
      await screen.says("answering")
      return p99(await keys(screen, 80))
    })
    return [`key to screen while 2,000 tokens/s stream, p99: ${range(results, "ms")}, budget 16 ms; ${load()}`]
  },
}

const keysFlooding: Bench = {
  name: "screen keys while a command floods",
  async run() {
    const results = await measured(async (machine) => {
      const { screen, host } = await opened(machine, [], "Ask anything")
      await using _ = screen
      const before = { screen: cpuOf(screen.pid), host: cpuOf(host) }
      const from = screen.length
      screen.write("flood\r")
      let over = false
      const end = screen.says(endMark, from).then(() => (over = true))
      await screen.says("running", from)
      const times: number[] = []
      let memory = 0
      for (let place = 1; !over && place <= 80; place++) {
        times.push(await screen.key(place))
        if (place % 10 === 0) memory = Math.max(memory, pssOf(screen.pid) + pssOf(host))
        await Bun.sleep(40)
      }
      await end
      const cpu = { screen: cpuOf(screen.pid) - before.screen, host: cpuOf(host) - before.host }
      return { key: p99(times), median: times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN, memory, cpu }
    })
    const row = (of: (one: (typeof results)[number]) => number, unit: string): string => range(results.map(of), unit)
    return [
      `key to screen while a command prints 1 GB: median ${row(({ median }) => median, "ms")}, p99 ${row(({ key }) => key, "ms")}; ${load()}`,
      `processor of the screen ${row(({ cpu }) => cpu.screen, "ms")}, of the host ${row(({ cpu }) => cpu.host, "ms")}; memory of both at most ${row(({ memory }) => memory, "MB")}`,
    ]
  },
}

const messages = 10_000

/** Makes the newest session of this machine `count` messages long, with more of what was said in it. */
async function lengthen(machine: Machine, count: number): Promise<void> {
  const dataDir = join(machine.env.XDG_DATA_HOME ?? "", "cairn")
  const { stdout } = await runBinary(machine, ["sessions", "list", "--json"])
  const { id } = JSON.parse(stdout.split("\n")[0] ?? "") as { id: string }
  const ledger = await openSession({ dataDir, id, clock: systemClock })
  const said = (await ledger.entries({ conversation: 1 })).filter(({ kind }) => /user|assistant/.test(kind))
  for (let done = 0; done < count; done += 500) {
    ledger.commit("relaxed", (tx) => {
      for (let n = 0; n < 500; n++) {
        const { kind, data } = said[n % said.length] ?? { kind: "note", data: {} }
        tx.addEntry({ conversation: 1, kind, data })
      }
    })
  }
  await ledger.close()
}

const long: Bench = {
  name: "screen long session",
  async run() {
    const results = await measured(async (machine) => {
      await runBinary(machine, ["-p", "something of some length, as people say it"])
      await lengthen(machine, messages)
      await using first = new Watched([await builtBinary(), "-c"], machine)
      await first.says("an answer to")
      const open = first.sinceStart
      await Bun.sleep(2_000)
      const memory = pssOf(first.pid) + pssOf(hostOf(machine))
      return { open, memory, key: p99(await keys(first, 80)) }
    })
    const row = (of: (one: (typeof results)[number]) => number, unit: string): string => range(results.map(of), unit)
    return [
      `${messages} messages, open to a usable screen: ${row(({ open }) => open, "ms")}, budget 300 ms`,
      `memory of both: ${row(({ memory }) => memory, "MB")}, budget 160 MB; key to screen, p99: ${row(({ key }) => key, "ms")}, budget 16 ms; ${load()}`,
    ]
  },
}

export const screenBenches: readonly Bench[] = [start, rest, streaming, keysStreaming, keysFlooding, long]
