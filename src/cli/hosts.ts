/**
 * Everything of ours that runs on this machine for this user: hosts, print runs, and commands that outlived their host.
 *
 * - Hosts are found by their sockets, print runs by the locks of their sessions, commands by what their calls remembered of them, what a command
 *   left running by the marker of its call.
 * - A socket that nobody listens on is swept.
 */
import type { Clock } from "../std/clock.ts"
import { sleep } from "../std/clock.ts"
import { isObject } from "../std/json.ts"
import { isAlive, self } from "../ledger/holder.ts"
import { listSessions } from "../ledger/list.ts"
import { readSession } from "../ledger/peek.ts"
import type { Task } from "../ledger/records.ts"
import type { HostInfo } from "../protocol/host.ts"
import { protocolVersion } from "../protocol/port.ts"
import type { SessionDocument } from "../protocol/records.ts"
import { markedProcesses, type Marked } from "../tools/processes.ts"
import { attachPort, type AttachedPort } from "../wire/attach.ts"
import { connectSocket, socketFolder, socketsIn, sweepSocket } from "../wire/socket.ts"
import { socketPlaces } from "./places.ts"

export type HostRow = {
  readonly pid: number
  /** `left`: a process that a command left running when it ended. */
  readonly kind: "host" | "print" | "command" | "left"
  readonly session: string | null
  readonly state: string
  readonly startedAt: number
  /** Its folder, or the command. */
  readonly about: string
}

type Reached = { readonly port: AttachedPort; readonly info: HostInfo }

async function reach(path: string): Promise<Reached | undefined> {
  if (await sweepSocket(path)) return undefined
  try {
    const hello = { protocol: protocolVersion, build: "", client: "ps", open: { how: "none" } } as const
    const port = await attachPort({ connect: (events) => connectSocket(path, events), hello })
    return { port, info: await port.host.request({ type: "hostInfo" }) }
  } catch {
    // A host that is just leaving, or of another protocol, cannot be asked: its session's lock still tells of it.
    return undefined
  }
}

async function reachAll(): Promise<readonly Reached[]> {
  const folder = socketFolder(socketPlaces())
  if (!folder.ok) return []
  const reached = await Promise.all(socketsIn(folder.path).map(reach))
  return reached.filter((host) => host !== undefined)
}

function runningCommand(task: Task): { pid: number; startTime: string; bootId: string } | undefined {
  const { pid, startTime, bootId } = task.facts
  if (typeof pid !== "number" || typeof startTime !== "string" || typeof bootId !== "string") return undefined
  const found = { pid, startTime, bootId }
  return isAlive(found, self()) ? found : undefined
}

function commandOf(task: Task): string {
  // A call of the agent's has its command among its arguments, one of the person's has it in its place.
  const { args, command } = task.input
  if (typeof command === "string") return command
  return isObject(args) && typeof args.command === "string" ? args.command : "a command"
}

/** What calls that have ended left running. Whoever asks may itself have been started by one, and is not meant. */
function leftRows(session: string, live: readonly Task[], marked: readonly Marked[]): readonly HostRow[] {
  const alive = new Set(live.map(({ id }) => `${session}:${id}`))
  return marked
    .filter(({ pid, key }) => key.startsWith(`${session}:`) && !alive.has(key) && pid !== process.pid)
    .map(({ pid, since, command }) => {
      return { pid, kind: "left", session, state: "left running", startedAt: since, about: command }
    })
}

async function sessionRows(dataDir: string, known: ReadonlySet<number>): Promise<readonly HostRow[]> {
  const rows: HostRow[] = []
  const marked = markedProcesses().filter(({ pid }) => !known.has(pid))
  for (const { id, holder } of listSessions(dataDir)) {
    const peek = await readSession({ dataDir, id })
    if (peek.state !== "ok") continue
    const folder =
      (peek.documents.find(({ name }) => name === "session")?.value as SessionDocument | undefined)?.folder ?? ""
    if (holder !== null && isAlive(holder, self()) && !known.has(holder.pid)) {
      const state = peek.tasks.length > 0 ? "working" : "idle"
      const kind = holder.socket === null ? "print" : "host"
      rows.push({ pid: holder.pid, kind, session: id, state, startedAt: holder.since, about: folder })
    }
    rows.push(...leftRows(id, peek.tasks, marked))
    for (const task of peek.tasks) {
      const running = runningCommand(task)
      if (running === undefined) continue
      rows.push({
        pid: running.pid,
        kind: "command",
        session: id,
        state: "running",
        startedAt: task.startedAt,
        about: commandOf(task),
      })
    }
  }
  return rows
}

export async function listHosts(dataDir: string): Promise<readonly HostRow[]> {
  const reached = await reachAll()
  const hosts = reached.map(({ info }): HostRow => {
    const clients = info.clients === 0 ? "no screen" : info.clients === 1 ? "1 screen" : `${info.clients} screens`
    const state = `${info.busy ? "working" : "idle"}, ${clients}`
    return { pid: info.pid, kind: "host", session: info.session, state, startedAt: info.startedAt, about: info.folder }
  })
  await Promise.all(reached.map(({ port }) => port.close()))
  return [...hosts, ...(await sessionRows(dataDir, new Set(hosts.map((host) => host.pid))))]
}

/** How long a host is given to go before it is left to itself. */
const goneMs = 10_000
const pollMs = 20

async function gone(pid: number, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + goneMs
  while (clock.monotonic() < deadline) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await sleep(clock, pollMs)
  }
}

function means(name: string, session: string | null): boolean {
  if (name === "all") return true
  const digits = name.replaceAll("-", "")
  const all = session?.replaceAll("-", "") ?? ""
  return all !== "" && (all.startsWith(digits) || all.endsWith(digits))
}

/** Ask the hosts that `name` means to stop, and wait until they have; print runs and commands get a TERM. The count of those that were told. */
export async function stopHosts(dataDir: string, name: string, now: boolean, clock: Clock): Promise<number> {
  const reached = await reachAll()
  const told: Promise<void>[] = []
  for (const { port, info } of reached) {
    if (means(name, info.session)) {
      await port.host.request({ type: "stop", how: now ? "pending" : "work" })
      told.push(gone(info.pid, clock))
    }
    await port.close()
  }
  const others = await sessionRows(dataDir, new Set(reached.map(({ info }) => info.pid)))
  // What was left running was meant to stay, and may be a terminal with a person in it: it is told, and ended by nobody here.
  for (const row of others.filter(({ session, kind }) => kind !== "left" && means(name, session))) {
    process.kill(row.kind === "command" ? -row.pid : row.pid, "SIGTERM")
    told.push(gone(row.pid, clock))
  }
  await Promise.all(told)
  return told.length
}
