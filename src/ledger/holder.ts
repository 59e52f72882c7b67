/**
 * Who a process is, so that a number that the system has used again is not taken for the process that had it before.
 *
 * - A process is (machine, boot, pid, start time). Same boot id means same kernel, whatever the machine calls itself.
 * - Nothing here signals a process; it only looks.
 */
import { readFileSync } from "node:fs"
import { hostname } from "node:os"

export type Self = {
  readonly pid: number
  readonly startTime: string
  readonly bootId: string
  readonly machine: string
}

/** Who this process is. */
export function self(): Self {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? "", bootId: bootId(), machine: machineName() }
}

/**
 * When the process `pid` began, in the system's own words; null where there is none, or only its unreaped remains.
 * Ticks since the boot on Linux, a date elsewhere.
 */
export function startTimeOf(pid: number): string | null {
  if (process.platform !== "linux") return ask(["ps", "-o", "lstart=", "-p", String(pid)])
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The name in brackets may hold spaces and brackets of its own: fields are counted after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const state = fields[0]
  return state === "Z" || state === "X" ? null : (fields[19] ?? null)
}

/** True where the process that `it` describes runs now, on this kernel. */
export function isAlive(it: Pick<Self, "pid" | "startTime" | "bootId">, here: Pick<Self, "bootId">): boolean {
  return it.bootId === here.bootId && it.pid > 0 && startTimeOf(it.pid) === it.startTime
}

/** True where a lock of `it` is of another kernel and another machine: its process cannot be looked at from here. */
export function isElsewhere(it: Pick<Self, "bootId" | "machine">, here: Pick<Self, "bootId" | "machine">): boolean {
  return it.bootId !== here.bootId && it.machine !== here.machine
}

function bootId(): string {
  if (process.platform !== "linux") return ask(["sysctl", "-n", "kern.bootsessionuuid"]) ?? ""
  return readText("/proc/sys/kernel/random/boot_id")?.trim() ?? ""
}

/** Images are copied with their machine id, and names change with the network: a machine is both. */
function machineName(): string {
  const id = readText("/etc/machine-id")?.trim() ?? ""
  return id === "" ? hostname() : `${hostname()}/${id.slice(0, 8)}`
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

function ask(command: string[]): string | null {
  const asked = Bun.spawnSync(command, { env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" } })
  const text = asked.stdout.toString().trim()
  return asked.exitCode === 0 && text !== "" ? text : null
}
