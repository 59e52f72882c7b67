/**
 * A session's whole life on the executable, which ends itself at a named moment (`CAIRN_KILL=name:n`) and is opened again: what a client was
 * promised is compared with what then stands on the disk.
 *
 * - The life: a run that reads, edits, writes and runs a command with a long output, a steer into it, an answer that is refused once and asked
 *   for again, a stream and a command that are stopped, a compaction, an answer after it, and a command of the person's. Each step may be done
 *   again: its input bears the same request id, and what has happened already is not asked for twice.
 * - The model looks at the request alone, but for the refusal, which comes once.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Refusal, type Command } from "../../src/protocol/port.ts"
import type { EntryRecord, TaskRecord, ToolResultEntry } from "../../src/protocol/records.ts"
import type { View } from "../../src/protocol/view.ts"
import { runBinary, type Machine } from "./binary.ts"
import { localMachine } from "./local-model.ts"
import type { ModelRequest, Reply, Script } from "./model-script.ts"
import { startModelServer, type ModelServer } from "./model-server.ts"
import { bearersOf, waitGone } from "./process.ts"
import { startStdioHost, type StdioHost } from "./stdio-host.ts"

const work = "echo ran >> runs; seq 1 20000; exit 3"

/** What the model says. `refused`: whether the answer after the calls has been refused once already. */
function lifeScript(): Script {
  let refused = false
  const refuseOnce = (reply: Reply): Reply => {
    if (refused) return reply
    refused = true
    return { status: 503, body: { error: { message: "overloaded", type: "server_error" } } }
  }
  return (request) => replyTo(request, refuseOnce)
}

function replyTo(request: ModelRequest, refuseOnce: (reply: Reply) => Reply): Reply {
  const { lastUser, results } = request
  if (lastUser.startsWith("Summarize the conversation")) return { text: ["A summary ", "of it all."] }
  if (lastUser.endsWith("steer")) return refuseOnce({ text: ["I am ", "steered."] })
  if (lastUser.endsWith("slow")) return { text: ["slowly", { until: request.closed }] }
  // What it prints is not in its text, so that it is seen in the output alone.
  if (lastUser.endsWith("hold")) return { toolCalls: [{ name: "bash", args: { command: "echo he''ld; sleep 300" } }] }
  if (lastUser.endsWith("last")) return { text: ["This is ", "the end."] }
  if (results.length === 0)
    return { text: ["I ", { delayMs: 60 }, "look."], toolCalls: [{ name: "read", args: { path: "notes.txt" } }] }
  if (results.length === 1) {
    const edit = { path: "notes.txt", edits: [{ oldText: "count:", newText: "count: x" }] }
    const write = { path: "fresh.txt", content: "new\n" }
    return {
      toolCalls: [
        { name: "edit", args: edit },
        { name: "write", args: write },
      ],
    }
  }
  if (results.length === 3) return { toolCalls: [{ name: "bash", args: { command: work } }] }
  return refuseOnce({ text: ["The work ", "is done."] })
}

/** The host ended while a step was waited for. */
export class Died extends Error {}

/** What the client was told, whatever happened afterwards. */
export type Told = { readonly acknowledged: Set<string> }

export async function ask(host: StdioHost, command: Command): Promise<void> {
  try {
    await host.port.request(command)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Died()
  }
}

export async function say(
  host: StdioHost,
  told: Told,
  text: string,
  mode: "steer" | "followUp" = "followUp",
): Promise<void> {
  const content = [{ type: "text", text }] as const
  await ask(host, { type: "submit", conversation: 1, requestId: text, content, mode })
  told.acknowledged.add(text)
}

export async function until<T>(host: StdioHost, look: (view: View) => T | undefined): Promise<T> {
  const found = await host.until(look)
  if (found === undefined) throw new Died()
  return found
}

export const submission = (view: View, requestId: string) =>
  [...view.submissions.values()].find((item) => item.requestId === requestId)

export const userEntry = (view: View, text: string): EntryRecord | undefined =>
  view.entries.find(({ data }) => data.kind === "user" && JSON.stringify(data).includes(`"${text}"`))

/** Whether the input is in the transcript and no run stands. */
export const isOver = (view: View, text: string): true | undefined =>
  userEntry(view, text) !== undefined && view.tasks.size === 0 && !isQueued(view) ? true : undefined

const isQueued = (view: View): boolean => [...view.submissions.values()].some(({ status }) => status === "queued")

const commandRuns = ({ work }: TaskRecord): boolean =>
  work.kind === "toolCall" && work.name === "bash" && work.phase === "execute"

export type Step = (host: StdioHost, told: Told) => Promise<void>

export const stopped =
  (text: string, begun: (view: View) => boolean): Step =>
  async (host, told) => {
    await say(host, told, text)
    await until(host, (view) => (isOver(view, text) || begun(view) ? true : undefined))
    if (isOver(host.view(), text) === undefined) await ask(host, { type: "abort", conversation: 1 })
    await until(host, (view) => isOver(view, text))
  }

export const answered =
  (text: string): Step =>
  async (host, told) => {
    await say(host, told, text)
    await until(host, (view) => isOver(view, text))
  }

const isShell = ({ data }: EntryRecord): boolean => data.kind === "shell"
const isSummary = ({ data }: EntryRecord): boolean => data.kind === "compaction"

const life: readonly Step[] = [
  async (host, told) => {
    await say(host, told, "work")
    await until(host, (view) =>
      [...view.tasks.values()].some(commandRuns) || isOver(view, "work") === true ? true : undefined,
    )
    await say(host, told, "steer", "steer")
    await until(host, (view) => isOver(view, "steer"))
  },
  stopped("slow", (view) => JSON.stringify([...view.progress.values()]).includes("slowly")),
  stopped("hold", (view) => JSON.stringify([...view.progress.values()]).includes("held")),
  async (host) => {
    if (!host.view().entries.some(isSummary) && host.view().tasks.size === 0)
      await ask(host, { type: "compact", conversation: 1 })
    await until(host, (view) => (view.entries.some(isSummary) && view.tasks.size === 0 ? true : undefined))
  },
  answered("last"),
  async (host) => {
    const isBegun = ({ tasks, entries }: View): boolean => tasks.size > 0 || entries.some(isShell)
    if (!isBegun(host.view())) {
      const command = "echo mine >> mine; exit 5"
      await ask(host, { type: "shell", conversation: 1, command, excluded: false })
    }
    await until(host, (view) => (view.entries.some(isShell) && view.tasks.size === 0 ? true : undefined))
  },
]

export type Life = {
  /** The moment came, and ended the process. */
  readonly killed: boolean
  /** Each line names one broken promise. */
  readonly problems: readonly string[]
  readonly view: View
  readonly requests: readonly ModelRequest[]
}

/** The moments at which hosts end themselves, the first host's first: `name:n`, counted from its own start. */
export type Deaths = readonly string[]

export function sessionsOf(machine: Machine): readonly string[] {
  const folder = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions")
  return existsSync(folder) ? readdirSync(folder).filter((name) => existsSync(join(folder, name, "format"))) : []
}

/** Live it to its end, with a death at each moment of `deaths` in turn. */
export async function live(deaths: Deaths): Promise<Life> {
  const server = await startModelServer({ key: "k", script: lifeScript() })
  using machine = localMachine(server, { compaction: { keepRecentTokens: 20 }, retry: { baseDelayMs: 1 } })
  writeFileSync(join(machine.work, "notes.txt"), "title\ncount:\nend\n")
  const told: Told = { acknowledged: new Set() }
  try {
    const { killed, view } = await toEnd(machine, told, deaths)
    const problems = [...(await problemsOf(machine, server, view)), ...lost(view, told)]
    return { killed, view, problems, requests: server.requests }
  } finally {
    await server.stop()
  }
}

async function toEnd(
  machine: Machine,
  told: Told,
  deaths: Deaths,
): Promise<{ readonly killed: boolean; readonly view: View }> {
  let step = 0
  let killed = deaths.length > 0
  for (let opening = 0; ; opening++) {
    const [session] = sessionsOf(machine)
    const death = deaths[opening]
    const env: Readonly<Record<string, string>> = death === undefined ? {} : { CAIRN_KILL: death }
    const host = await startStdioHost(machine, { session, env })
    if (host === undefined) {
      if (death === undefined) throw new Error("the host does not open the session")
      continue
    }
    try {
      const { held } = await until(host, (view) => (view.session === "" ? undefined : view))
      // Three deaths at one step set it aside until a person says that it may go on.
      if (held !== null) await ask(host, { type: "resume" })
      for (; step < life.length; step++) await life[step]?.(host, told)
      await host.port.host.request({ type: "stop", how: "pending" }).catch(() => undefined)
      // The host may come to its moment only while it closes.
      if (death !== undefined) killed = (await host.ended) !== null
      else await host.ended
      return { killed: killed && opening >= deaths.length - 1, view: host.view() }
    } catch (error) {
      if (!(error instanceof Died)) throw error
      if ((await host.ended) !== "SIGKILL") throw new Error(`the host left by itself in step ${step}`)
      if (death === undefined) throw new Error(`the host was ended in step ${step}, and by nobody here`)
    }
  }
}

/** Inputs that were acknowledged and are not there, or not as what they were to become. */
function lost(view: View, told: Told): readonly string[] {
  const ends = { work: "done", steer: "done", slow: "unanswered", hold: "unanswered", last: "done" }
  const inputs = Object.keys(ends).map((text) => userEntry(view, text)?.id ?? 0)
  const problems = Object.entries(ends)
    .filter(([text, status]) => told.acknowledged.has(text) && (submission(view, text)?.status ?? status) !== status)
    .map(([text, status]) => `the input "${text}" is ${submission(view, text)?.status} instead of ${status}`)
  if (inputs.includes(0)) problems.push(`inputs are missing: ${inputs}`)
  if (inputs.some((id, at) => id < (inputs[at - 1] ?? 0))) problems.push(`inputs changed their order: ${inputs}`)
  const users = view.entries.filter(({ data }) => data.kind === "user").length
  if (users !== inputs.length) problems.push(`${users} inputs are in the transcript`)
  return problems
}

type Result = ToolResultEntry

export function resultsOf(view: View, tool: string): readonly Result[] {
  return view.entries
    .map(({ data }) => data)
    .filter((data): data is Result => data.kind === "toolResult" && "message" in data)
    .filter(({ message }) => message.toolName === tool)
}

function callsOf(view: View): number {
  const calls = view.entries.map(({ data }) => {
    if (data.kind !== "assistant" || !("message" in data) || !("stopReason" in data.message)) return 0
    if (data.message.stopReason !== "toolUse") return 0
    return data.message.content.filter((part) => part.type === "toolCall").length
  })
  return calls.reduce((sum, count) => sum + count, 0)
}

function fileProblems(machine: Machine, view: View): readonly string[] {
  const file = (name: string): string => {
    const path = join(machine.work, name)
    return existsSync(path) ? readFileSync(path, "utf8") : ""
  }
  const problems: string[] = []
  if (file("notes.txt") !== "title\ncount: x\nend\n") problems.push(`notes.txt is ${JSON.stringify(file("notes.txt"))}`)
  if (file("fresh.txt") !== "new\n") problems.push(`fresh.txt is ${JSON.stringify(file("fresh.txt"))}`)
  const known = resultsOf(view, "bash").every(({ outcome }) => outcome !== "unknown")
  if (file("runs") !== "ran\n" && (known || file("runs") !== ""))
    problems.push(`the command ran ${file("runs").length / 4} times`)
  const [shell, ...more] = view.entries.filter(isShell).map(({ data }) => data)
  if (more.length > 0) problems.push(`the person's command has ${more.length + 1} entries`)
  const isKnown = shell !== undefined && "exit" in shell && shell.exit === 5
  if (file("mine") !== "mine\n" && (isKnown || file("mine") !== "")) problems.push(`mine is ${file("mine")}`)
  const own = ["notes.txt", "fresh.txt", "runs", "mine"]
  const strays = readdirSync(machine.work).filter((name) => !own.includes(name))
  if (strays.length > 0) problems.push(`files were left: ${strays.join(", ")}`)
  return problems
}

async function problemsOf(machine: Machine, server: ModelServer, view: View): Promise<readonly string[]> {
  const problems = [...fileProblems(machine, view), ...server.violations]
  const results = view.entries.filter(({ data }) => data.kind === "toolResult").length
  if (results !== callsOf(view)) problems.push(`${callsOf(view)} calls have ${results} results`)
  const summaries = view.entries.filter(isSummary).length
  if (summaries !== 1) problems.push(`there are ${summaries} summaries`)
  const checked = await runBinary(machine, ["sessions", "check", "--all"])
  if (checked.status !== 0) problems.push(`sessions check: ${checked.stdout}${checked.stderr}`)
  const left = bearersOf(`HOME=${machine.home}`).map(({ pid }) => pid)
  await waitGone(left, 5_000).catch((error: Error) => problems.push(error.message))
  const [session = ""] = sessionsOf(machine)
  const spool = join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions", session, "spool")
  if (readdirSync(spool).length > 0) problems.push(`spools were left: ${readdirSync(spool).join(", ")}`)
  return problems
}
