/**
 * `bun run bench ledger`: what durability costs. Commits of both classes, an append to a spool, opening long sessions, and the bytes that a turn
 * writes, by file, as the system counts them (strace; where there is none, that is said).
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { builtBinary } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer } from "../support/model-server.ts"
import { median, type Bench } from "./measure.ts"

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string => ((sorted[Math.floor(sorted.length * share)] ?? 0) * 1_000).toFixed(0)
  return `p50 ${at(0.5)} µs, p99 ${at(0.99)} µs (${times.length})`
}

/** Milliseconds of each of `times` calls. */
function timesOf(times: number, work: (n: number) => void): readonly number[] {
  return Array.from({ length: times }, (_, n) => {
    const started = performance.now()
    work(n)
    return performance.now() - started
  })
}

function place(dataDir: string): { readonly dataDir: string; readonly id: string; readonly clock: typeof systemClock } {
  return { dataDir, id: uuidv7(Date.now()), clock: systemClock }
}

async function inFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-bench-"))
  try {
    return await work(dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const said = "x".repeat(400)
const add = (ledger: Ledger, flush: "flushed" | "relaxed", text: string): void =>
  void ledger.commit(flush, (tx) => tx.addEntry({ conversation: 1, kind: "note", data: { text } }))

const costs: Bench = {
  name: "ledger costs",
  run: () =>
    inFolder(async (dataDir) => {
      const ledger = await createSession(place(dataDir))
      const flushed = timesOf(500, () => add(ledger, "flushed", said))
      const relaxed = timesOf(10_000, () => add(ledger, "relaxed", said))
      const spool = ledger.spools.open(99, 1)
      const append = timesOf(10_000, () => spool.append(said))
      spool.close()
      await ledger.close()
      const fileSystem = statfsSync(dataDir).type.toString(16)
      return [
        `a flushed commit of one entry: ${quantiles(flushed)}, on a file system of type 0x${fileSystem}`,
        `a relaxed commit of one entry: ${quantiles(relaxed)}`,
        `an append of 400 bytes to a spool: ${quantiles(append)}`,
      ]
    }),
}

async function filled(dataDir: string, entries: number): Promise<ReturnType<typeof place>> {
  const session = place(dataDir)
  const ledger = await createSession(session)
  for (let done = 0; done < entries; done += 500) {
    ledger.commit("relaxed", (tx) => {
      for (let n = 0; n < 500; n++) tx.addEntry({ conversation: 1, kind: "note", data: { text: said } })
    })
  }
  await ledger.close()
  return session
}

const opening: Bench = {
  name: "ledger opening",
  run: () =>
    inFolder(async (dataDir) => {
      const rows: string[] = []
      for (const entries of [10_000, 100_000]) {
        const session = await filled(dataDir, entries)
        const times: number[] = []
        const before = process.memoryUsage().rss
        let after = before
        for (let n = 0; n < 5; n++) {
          const started = performance.now()
          const ledger = await openSession(session)
          await ledger.entries({ conversation: 1, limit: 200 })
          times.push(performance.now() - started)
          after = Math.max(after, process.memoryUsage().rss)
          await ledger.close()
        }
        const size = statSync(sessionPaths(dataDir, session.id).db).size / 2 ** 20
        const grown = (after - before) / 2 ** 20
        rows.push(
          `${entries} entries, ${size.toFixed(0)} MB: open, with the newest page, ${median(times).toFixed(1)} ms, ${grown.toFixed(1)} MB of memory`,
        )
      }
      return rows
    }),
}

/** Bytes written by file name, from the lines of `strace -f -y`. */
function written(trace: string, folder: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const line of trace.split("\n")) {
    const call = /(?:pwrite64|write|pwritev2?|writev)\(\d+<([^>]+)>.*\) += (\d+)$/.exec(line)
    const path = call?.[1] ?? ""
    if (!path.startsWith(folder)) continue
    const name = path.includes("/spool/") ? "spool" : (path.split("/").at(-1) ?? "")
    sums.set(name, (sums.get(name) ?? 0) + Number(call?.[2]))
  }
  return sums
}

const answerBytes = 32 * 1024

async function bytesOf(
  text: string | readonly (string | { readonly delayMs: number })[],
): Promise<ReadonlyMap<string, number>> {
  const server = await startModelServer({ script: [{ text }], key: "k" })
  try {
    using machine = localMachine(server)
    const trace = join(machine.folder, "trace")
    const strace = [
      "strace",
      "-f",
      "-y",
      "-e",
      "trace=write,pwrite64,writev,pwritev,pwritev2",
      "-e",
      "signal=none",
      "-o",
      trace,
    ]
    const child = Bun.spawn([...strace, await builtBinary(), "-p", "go"], {
      cwd: machine.work,
      env: machine.env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    })
    await child.exited
    return written(readFileSync(trace, "utf8"), join(machine.env.XDG_DATA_HOME ?? "", "cairn", "sessions"))
  } finally {
    await server.stop()
  }
}

function bytesRow(what: string, sums: ReadonlyMap<string, number>): string {
  const total = [...sums.values()].reduce((sum, bytes) => sum + bytes, 0)
  const parts = [...sums].sort((a, b) => b[1] - a[1]).map(([name, bytes]) => `${name} ${bytes}`)
  return `${what}: ${total} bytes (${parts.join(", ")})`
}

const growth: Bench = {
  name: "ledger bytes",
  async run() {
    if (Bun.which("strace") === null) return ["there is no strace here to count what is written"]
    const short = await bytesOf("done")
    // At the pace of a quick model: pieces of 40 bytes, 2,000 tokens a second.
    const pieces = Array.from({ length: Math.ceil(answerBytes / 40) }, () => ["y".repeat(40), { delayMs: 5 }]).flat()
    const long = await bytesOf(pieces)
    const total = (sums: ReadonlyMap<string, number>): number =>
      [...sums.values()].reduce((sum, bytes) => sum + bytes, 0)
    const more = total(long) - total(short)
    return [
      bytesRow("a new session with one short turn", short),
      bytesRow("a new session with an answer of 32 KB", long),
      `for the answer alone: ${(more / answerBytes).toFixed(1)} × its size (budget 6 ×)`,
    ]
  },
}

export const ledgerBenches: readonly Bench[] = [costs, opening, growth]
