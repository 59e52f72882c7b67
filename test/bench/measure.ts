/** Measuring whole processes: wall time, memory, and the median of several. */
import { readFileSync } from "node:fs"

export type Bench = { readonly name: string; run(): Promise<readonly string[]> }

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function range(values: readonly number[], unit: string): string {
  const round = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return `${round(median(values))} ${unit} (${round(least)} to ${round(most)}, ${values.length} runs)`
}

/** Proportional set size of a living process, in MB; the maximum of what is seen while it runs is what counts. */
export function pssOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

export type Timed = { readonly ms: number; readonly peakRssMb: number; readonly status: number }

/** Run a command to its end; the peak of its resident memory is the kernel's own count. */
export async function timed(
  command: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<Timed> {
  const started = performance.now()
  const child = Bun.spawn([...command], { ...options, stdin: "ignore", stdout: "ignore", stderr: "ignore" })
  const status = await child.exited
  const ms = performance.now() - started
  return { ms, peakRssMb: (child.resourceUsage()?.maxRSS ?? 0) / 1024 / 1024, status }
}

export async function repeat<T>(times: number, once: (n: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = []
  for (let n = 0; n < times; n++) results.push(await once(n))
  return results
}
