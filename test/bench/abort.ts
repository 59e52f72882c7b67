/**
 * `bun run bench abort`: how long it takes from a stop until nothing is going on, and until no process of the stopped call is left, on the
 * executable, at each kind of moment. CAIRN_ABORTS says how often at each. Bounds: idle within 1 s, no process after 3 s.
 */
import type { View } from "../../src/protocol/view.ts"
import { runOf } from "../../src/protocol/view.ts"
import { localMachine } from "../support/local-model.ts"
import type { ModelRequest, Reply } from "../support/model-script.ts"
import { startModelServer } from "../support/model-server.ts"
import { bearersOf, waitGone } from "../support/process.ts"
import { startStdioHost, type StdioHost } from "../support/stdio-host.ts"
import { range, type Bench } from "./measure.ts"

const times = Number(process.env.CAIRN_ABORTS ?? 20)

type Moment = {
  readonly name: string
  /** What the model does with it. */
  readonly reply: (request: ModelRequest) => Reply
  /** The moment has come. */
  readonly here: (view: View) => boolean
  /** How often it is stopped there. */
  readonly stops?: number
}

const calls = (...commands: readonly string[]): Reply => ({
  toolCalls: commands.map((command) => ({ name: "bash", args: { command } })),
})
const shows = (text: string) => (view: View) => JSON.stringify([...view.progress.values()]).includes(text)
const works = (view: View): boolean => view.tasks.size > 0
const inRetry = ({ tasks }: View): boolean =>
  [...tasks.values()].some(({ work }) => work.kind === "generation" && work.phase === "retry")

const moments: readonly Moment[] = [
  { name: "before the request", reply: ({ closed }) => ({ text: ["x", { until: closed }] }), here: works },
  {
    name: "in mid-stream",
    reply: ({ closed }) => ({ text: ["flow", "ing", { until: closed }] }),
    here: shows("flowing"),
  },
  {
    name: "in a silent stream",
    reply: ({ closed }) => ({ text: [{ until: closed }] }),
    here: (view) => [...view.tasks.values()].some(({ work }) => work.kind === "generation" && work.phase === "request"),
  },
  {
    name: "while calls are made ready",
    reply: () => calls("sleep 60", "sleep 61", "sleep 62"),
    here: ({ tasks }) => [...tasks.values()].some(({ work }) => work.kind === "toolCall"),
  },
  { name: "while a command runs", reply: () => calls("echo ru''ns; sleep 60"), here: shows("runs") },
  {
    name: "while three commands run, with servers behind them",
    reply: () => calls("sleep 63 & sleep 60", "setsid sleep 64 & nohup sleep 65 & sleep 61", "echo ru''ns; sleep 62"),
    here: shows("runs"),
  },
  {
    name: "while a command tidies up at its end",
    reply: () => calls("trap 'sleep 0.3; echo bye' EXIT TERM; echo ru''ns; sleep 60"),
    here: shows("runs"),
  },
  {
    name: "while a command runs that ignores it",
    reply: () => calls("trap '' INT TERM; echo ru''ns; while :; do sleep 0.05; done"),
    here: shows("runs"),
  },
  {
    name: "twice, while a command runs that ignores it",
    reply: () => calls("trap '' INT TERM; echo ru''ns; while :; do sleep 0.05; done"),
    here: shows("runs"),
    stops: 2,
  },
  {
    name: "in the wait for a retry",
    reply: () => ({ status: 503, body: { error: { message: "busy", type: "server_error" } } }),
    here: inRetry,
  },
]

const isIdle = (view: View): boolean => runOf(view, 1) === undefined && view.tasks.size === 0

async function say(host: StdioHost, text: string): Promise<void> {
  const content = [{ type: "text", text }] as const
  await host.port.request({
    type: "submit",
    conversation: 1,
    requestId: crypto.randomUUID(),
    content,
    mode: "followUp",
  })
}

const until = (host: StdioHost, wanted: (view: View) => boolean): Promise<true | undefined> =>
  host.until((view) => (wanted(view) ? true : undefined))

/** Milliseconds from the stop to idle, and to the end of the last process. */
async function stopAt(
  host: StdioHost,
  begin: () => Promise<unknown>,
  { here, stops = 1 }: Pick<Moment, "here" | "stops">,
  home: string,
): Promise<readonly [number, number]> {
  const begun = begin()
  await until(host, here)
  const started = performance.now()
  for (let stop = 0; stop < stops; stop++) await host.port.request({ type: "abort", conversation: 1 })
  await until(host, isIdle)
  const idle = performance.now() - started
  await waitGone(
    bearersOf(`HOME=${home}`)
      .map(({ pid }) => pid)
      .filter((pid) => pid !== host.pid),
  )
  const gone = performance.now() - started
  await begun
  await say(host, "and now")
  await until(host, (view) => view.entries.at(-1)?.data.kind === "assistant" && isIdle(view))
  return [idle, gone]
}

async function measured(moment: Moment): Promise<string> {
  const server = await startModelServer({
    key: "k",
    script: (request) => (request.lastUser.endsWith("and now") ? { text: "at once" } : moment.reply(request)),
  })
  using machine = localMachine(server)
  const host = await startStdioHost(machine)
  if (host === undefined) throw new Error("the host does not start")
  const idle: number[] = []
  const gone: number[] = []
  for (let n = 0; n < times; n++) {
    const [a, b] = await stopAt(host, () => say(host, `go ${n}`), moment, machine.home)
    idle.push(a)
    gone.push(b)
  }
  await host.kill()
  await server.stop()
  return `${moment.name}: idle ${range(idle, "ms")}, no process left ${range(gone, "ms")}, requests refused: ${server.violations.length}`
}

/** A summary that is being made, which the person asked for. */
async function compaction(): Promise<string> {
  const server = await startModelServer({
    key: "k",
    script: ({ lastUser, closed }) =>
      lastUser.startsWith("Summarize") ? { text: ["so ", { until: closed }] } : { text: "at once" },
  })
  using machine = localMachine(server, { compaction: { keepRecentTokens: 20 } })
  const host = await startStdioHost(machine)
  if (host === undefined) throw new Error("the host does not start")
  for (const text of ["one", "two", "three"]) {
    await say(host, text.repeat(100))
    await until(host, isIdle)
  }
  const idle: number[] = []
  const here = ({ tasks }: View): boolean => [...tasks.values()].some(({ work }) => work.kind === "other")
  for (let n = 0; n < times; n++) {
    const [a] = await stopAt(
      host,
      () => host.port.request({ type: "compact", conversation: 1 }),
      { here },
      machine.home,
    )
    idle.push(a)
  }
  await host.kill()
  await server.stop()
  return `while a summary is made: idle ${range(idle, "ms")}, requests refused: ${server.violations.length}`
}

const abort: Bench = {
  name: "abort",
  async run() {
    const rows: string[] = []
    for (const moment of moments) rows.push(await measured(moment))
    return [...rows, await compaction()]
  },
}

export const abortBenches: readonly Bench[] = [abort]
