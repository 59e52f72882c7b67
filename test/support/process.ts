/**
 * Looking at other processes, for tests that start real ones.
 *
 * - Linux only: it reads `/proc`. A process that goes while it is looked at is simply not there.
 */
import { readdirSync, readFileSync } from "node:fs"
import { eventually } from "./eventually.ts"

export type ProcessInfo = {
  readonly pid: number
  readonly parent: number
  readonly state: string
  readonly name: string
}

/** The text of a file under `/proc`, or undefined where the process has gone or is another user's. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return undefined
  }
}

function infoOf(pid: number): ProcessInfo | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name stands in brackets and may hold anything, also brackets.
  const close = stat.lastIndexOf(")")
  const [state = "", parent = "0"] = stat.slice(close + 2).split(" ")
  return { pid, parent: Number(parent), state, name: stat.slice(stat.indexOf("(") + 1, close) }
}

/** Every process of this machine that can be seen, those that have ended but were not waited for (`Z`) left out. */
export function processes(): readonly ProcessInfo[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => infoOf(Number(name)))
    .filter((info) => info !== undefined && info.state !== "Z" && info.state !== "X") as ProcessInfo[]
}

export function isAlive(pid: number): boolean {
  const info = infoOf(pid)
  return info !== undefined && info.state !== "Z" && info.state !== "X"
}

/** Children of `pid`, their children, and so on; `pid` itself left out. */
export function descendants(pid: number): readonly ProcessInfo[] {
  const all = processes()
  const below = (parent: number): ProcessInfo[] =>
    all.filter((info) => info.parent === parent).flatMap((info) => [info, ...below(info.pid)])
  return below(pid)
}

/** Processes whose environment has `entry`, such as `CAIRN_CALL=t9`. */
export function bearersOf(entry: string): readonly ProcessInfo[] {
  return processes().filter((info) => (read(`/proc/${info.pid}/environ`) ?? "").split("\0").includes(entry))
}

/** Ends a process without asking it; one that has gone meanwhile is as good. */
export function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Waits until none of `pids` is alive; throws naming those that stay. */
export async function waitGone(pids: readonly number[], ceilingMs = 30_000): Promise<void> {
  await eventually(
    () => pids.every((pid) => !isAlive(pid)),
    () => `still alive: ${pids.filter(isAlive).join(", ")}`,
    ceilingMs,
  )
}

/** The words of a process's command line; empty where it has gone. */
export function commandLine(pid: number): readonly string[] {
  return (read(`/proc/${pid}/cmdline`) ?? "").split("\0").slice(0, -1)
}
