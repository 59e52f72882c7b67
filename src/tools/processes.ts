/**
 * The processes of a command: who they are, whether they still live, and how they are ended.
 *
 * - A process is known by pid, start time and boot: a pid alone may by now be someone else's.
 * - A command runs in a session of its own, led by our wrapper. What belongs to it bears the marker `CAIRN_CALL=<key>` in its environment
 *   (sessions of its own begun since included), or is in the wrapper's session. The wrapper and its direct children are ours, not the command's.
 * - Where there is no `/proc`, `ps` answers, and only the wrapper's group is known.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { sleep, type Clock } from "../std/clock.ts"
import type { JsonObject } from "../std/json.ts"
import { headChars } from "../std/lines.ts"

/** The wrapper of a command. Strings, since only their equality counts. */
export type Identity = { readonly pid: number; readonly startTime: string; readonly bootId: string }

export type Found = { readonly pid: number; readonly group: number; readonly command: string }

export type ProcessTable = {
  bootId(): string
  /** null where there is no such process, or only its exit status is left. */
  startTime(pid: number): string | null
  /** The wrapper of the call `key`, found by its command line; null where it has gone. */
  wrapper(key: string): number | null
  /** What belongs to the call `key`, whose wrapper is or was `leader` (null: not known). */
  commandProcesses(key: string, leader: number | null): readonly Found[]
}

export const markerName = "CAIRN_CALL"
/** What a wrapper calls itself in its command line; its call's key follows. */
export const wrapperName = "cairn"
/** Of a command line, for people. */
const commandChars = 200
/** How long a command has to end in its own way: after a stop, nothing is to be going on within a second. */
export const graceMs = 800
const lookMs = 20
/** How long to go on killing: what forks while it is killed, or hangs in the kernel, gets no more. */
const killMs = 2_000

/** A file under `/proc`, or null: the process is gone, or another user's. */
function procFile(path: string): string | null {
  try {
    return readFileSync(path, "latin1")
  } catch {
    // Gone between two looks, or not ours to see: both mean that there is nothing to end.
    return null
  }
}

type Stat = {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly startTime: string
}

function statOf(pid: number): Stat | null {
  const text = procFile(`/proc/${pid}/stat`)
  if (text === null) return null
  // The name stands in brackets and may hold anything: the fields begin after the last one.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state = "", parent, group, session] = fields
  const startTime = fields[19] ?? ""
  return { state, parent: Number(parent), group: Number(group), session: Number(session), startTime }
}

function isMarked(pid: number, marker: string): boolean {
  const environment = procFile(`/proc/${pid}/environ`)
  return environment !== null && `\0${environment}\0`.includes(`\0${marker}\0`)
}

/** Pids that may have been given out since `leader` was: those above it, or all once the numbers have begun again. */
function pidsSince(leader: number | null): readonly number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  if (leader === null) return pids
  const newest = Number(procFile("/proc/loadavg")?.trim().split(" ").at(-1))
  return newest > leader ? pids.filter((pid) => pid > leader) : pids
}

export const linuxTable: ProcessTable = {
  bootId: () => procFile("/proc/sys/kernel/random/boot_id")?.trim() ?? "",
  startTime(pid) {
    const stat = statOf(pid)
    return stat === null || stat.state === "Z" || stat.state === "X" ? null : stat.startTime
  },
  wrapper(key) {
    const words = Buffer.from(`\0${wrapperName}\0${key}\0`).toString("latin1")
    const isIt = (pid: number): boolean =>
      statOf(pid)?.session === pid && procFile(`/proc/${pid}/cmdline`)?.includes(words) === true
    return pidsSince(null).find(isIt) ?? null
  },
  commandProcesses(key, leader) {
    const marker = Buffer.from(`${markerName}=${key}`).toString("latin1")
    return pidsSince(leader).flatMap((pid) => {
      const stat = statOf(pid)
      if (stat === null || stat.state === "Z" || stat.state === "X") return []
      const inSession = leader !== null && stat.session === leader && pid !== leader && stat.parent !== leader
      if (!inSession && !isMarked(pid, marker)) return []
      const line = Buffer.from(procFile(`/proc/${pid}/cmdline`) ?? "", "latin1").toString()
      return [{ pid, group: stat.group, command: headChars(line.replaceAll("\0", " ").trim(), commandChars) }]
    })
  },
}

/** A process that bears the marker of some call; `since` in milliseconds since 1970. */
export type Marked = { readonly pid: number; readonly key: string; readonly since: number; readonly command: string }

/** Every process of this user that bears a marker; none where environments cannot be read. */
export function markedProcesses(): readonly Marked[] {
  if (process.platform !== "linux") return []
  return pidsSince(null).flatMap((pid) => {
    const environment = procFile(`/proc/${pid}/environ`)
    const key = environment?.split("\0").find((one) => one.startsWith(`${markerName}=`))
    const line = Buffer.from(procFile(`/proc/${pid}/cmdline`) ?? "", "latin1").toString()
    const since = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.mtimeMs
    // What has ended and was not waited for has no command line.
    if (key === undefined || line === "" || since === undefined) return []
    const command = headChars(line.replaceAll("\0", " ").trim(), commandChars)
    return [{ pid, key: key.slice(markerName.length + 1), since: Math.round(since), command }]
  })
}

function ps(...args: readonly string[]): string {
  const run = Bun.spawnSync(["ps", ...args], { env: { LC_ALL: "C", PATH: "/usr/bin:/bin:/usr/sbin:/sbin" } })
  return run.success ? run.stdout.toString() : ""
}

export const psTable: ProcessTable = {
  bootId: () => Bun.spawnSync(["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]).stdout.toString().trim(),
  startTime(pid) {
    const [state, ...time] = ps("-o", "stat=,lstart=", "-p", `${pid}`).trim().split(/\s+/)
    return state === undefined || state === "" || state.startsWith("Z") ? null : time.join(" ")
  },
  wrapper(key) {
    const lines = ps("-A", "-o", "pid=,pgid=,command=").split("\n")
    const found = lines
      .map((line) => line.trim().split(/\s+/))
      .find(([pid, group, ...words]) => {
        return pid === group && words.join(" ").includes(` ${wrapperName} ${key} `)
      })
    return found === undefined ? null : Number(found[0])
  },
  commandProcesses(_key, leader) {
    if (leader === null) return []
    return ps("-A", "-o", "pid=,ppid=,pgid=,stat=,command=")
      .split("\n")
      .flatMap((line) => {
        const [, pid, parent, group, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
        const its = Number(group) === leader && Number(pid) !== leader && Number(parent) !== leader
        if (!its || state?.startsWith("Z")) return []
        return [{ pid: Number(pid), group: leader, command: headChars(command, commandChars) }]
      })
  },
}

export const processTable: ProcessTable = process.platform === "linux" ? linuxTable : psTable

/** Who `pid` is; null where it has ended already. */
export function identityOf(pid: number, table: ProcessTable = processTable): Identity | null {
  const startTime = table.startTime(pid)
  return startTime === null ? null : { pid, startTime, bootId: table.bootId() }
}

/** An identity as it was stored, or null where none was. */
export function storedIdentity(facts: JsonObject): Identity | null {
  const { pid, startTime, bootId } = facts
  if (typeof pid !== "number" || typeof startTime !== "string" || typeof bootId !== "string") return null
  return { pid, startTime, bootId }
}

export function isAlive(identity: Identity, table: ProcessTable = processTable): boolean {
  return table.bootId() === identity.bootId && table.startTime(identity.pid) === identity.startTime
}

/** Signal a process, or with a negative pid a group; false where there is none that may be signalled. */
export function signal(pid: number, name: "SIGTERM" | "SIGCONT" | "SIGKILL"): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    // It has ended, which is what was wanted; or it is another user's, which nobody here can end.
    return false
  }
}

/**
 * End what the call `key` started, in its own way first: TERM to the whole group and to each that left it, then KILL. Gives what would not die.
 * `leader` is the wrapper where it is alive. It and its children let TERM pass, so that output and status are still written.
 */
export async function endCommand(
  key: string,
  leader: number | null,
  clock: Clock,
  table: ProcessTable = processTable,
): Promise<readonly Found[]> {
  // The group at once, so that no shell goes on to its next command because only its child was ended.
  const grouped = table.commandProcesses(key, leader).filter(({ group }) => group === leader)
  // By what it runs, too: our own shell lets TERM pass, and may become the command only after that.
  const asked = new Map(grouped.map(({ pid, command }) => [pid, command]))
  if (leader !== null) {
    signal(-leader, "SIGTERM")
    signal(-leader, "SIGCONT")
  }
  const killAt = clock.monotonic() + graceMs
  const endAt = killAt + killMs
  for (;;) {
    const left = table.commandProcesses(key, leader)
    const now = clock.monotonic()
    // While the wrapper is there, what it is to run may be yet to come.
    const wrapped = leader !== null && table.startTime(leader) !== null
    if (left.length === 0 && wrapped && now >= killAt) signal(-leader, "SIGKILL")
    if ((left.length === 0 && !wrapped) || now >= endAt) return left
    for (const { pid, command } of left) {
      if (now >= killAt) signal(pid, "SIGKILL")
      else if (asked.get(pid) !== command) askToEnd(pid)
      asked.set(pid, command)
    }
    await sleep(clock, lookMs)
  }
}

/** Once for each process, since many take a second TERM for impatience and leave their work undone. */
function askToEnd(pid: number): void {
  signal(pid, "SIGTERM")
  // A stopped process gets its TERM when it goes on.
  signal(pid, "SIGCONT")
}
