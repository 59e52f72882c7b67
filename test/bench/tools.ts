/** The tools under load: as the executable runs them, beside what does the same without it, and a fuzz run of edit. */
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import type { JsonObject } from "../../src/std/json.ts"
import { builtBinary, type Machine } from "../support/binary.ts"
import { fuzzEdit } from "../support/edit-fuzz.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer } from "../support/model-server.ts"
import type { Answer } from "../support/model-script.ts"
import { range, repeat, timed, type Bench, type Timed } from "./measure.ts"

const runs = 5

/** A run of the executable whose model makes one call, or none. */
async function measured(
  prepare: (machine: Machine) => void,
  call: { readonly name: string; readonly args: JsonObject } | null,
  flags: readonly string[] = [],
): Promise<readonly Timed[]> {
  const last: Answer = { text: "done" }
  const server = await startModelServer({
    script: (request) => (call === null || request.results.length > 0 ? last : { toolCalls: [call] }),
  })
  using machine = localMachine(server)
  prepare(machine)
  const binary = await builtBinary()
  const one = () => timed([binary, "-p", "go", ...flags], { cwd: machine.work, env: { ...machine.env } })
  await one()
  const results = await repeat(runs, one)
  await server.stop()
  return results
}

/** What the call takes beyond a turn without one. */
function rows(name: string, results: readonly Timed[], idle: readonly Timed[]): readonly string[] {
  const failed = results.filter((result) => result.status !== 0).length
  const time = range(
    results.map(({ ms }) => ms),
    "ms",
  )
  const idleTime = range(
    idle.map(({ ms }) => ms),
    "ms",
  )
  const memory = range(
    results.map(({ peakRssMb }) => peakRssMb),
    "MB resident at most",
  )
  const idleMemory = range(
    idle.map(({ peakRssMb }) => peakRssMb),
    "MB",
  )
  return [
    `${name}: ${time}, a run without a call ${idleTime}${failed > 0 ? `; ${failed} FAILED` : ""}`,
    `${name}: ${memory}, a run without a call ${idleMemory}`,
  ]
}

/** 10 GB that take no room: some lines, a hole without end, and some lines. */
function sparse(path: string): void {
  const file = openSync(path, "w")
  const lines = Array.from({ length: 200_000 }, (_, at) => `line ${at + 1} of the beginning\n`).join("")
  writeSync(file, lines)
  ftruncateSync(file, 10_000_000_000)
  closeSync(file)
}

const read: Bench = {
  name: "read",
  async run() {
    const idle = await measured(() => {}, null)
    const call = { name: "read", args: { path: "big", offset: 100_000, limit: 5 } }
    const results = await measured(({ work }) => sparse(join(work, "big")), call)
    return rows("5 lines from line 100,000 of a file of 10 GB", results, idle)
  },
}

const output: Bench = {
  name: "output",
  async run() {
    const idle = await measured(() => {}, null)
    const command = "yes 'a line of output that a command may well print' | head -c 1000000000"
    const results = await measured(() => {}, { name: "bash", args: { command } })
    const plain = await repeat(runs, () =>
      timed(["/bin/sh", "-c", `${command} >/dev/null`], { cwd: "/", env: { PATH: "/usr/bin:/bin" } }),
    )
    const alone = range(
      plain.map(({ ms }) => ms),
      "ms",
    )
    return [...rows("1 GB of output", results, idle), `1 GB of output: the command alone, into nothing: ${alone}`]
  },
}

const treeFiles = 20_000

/** A large tree: 20,000 files of 100 lines, some of them ignored. */
function plant(root: string): void {
  const text = Array.from({ length: 100 }, (_, at) => `  const value${at} = compute(${at}) // some code\n`).join("")
  writeFileSync(join(root, ".gitignore"), "ignored/\n")
  for (let at = 0; at < treeFiles; at++) {
    const path = join(root, at % 10 === 0 ? "ignored" : "src", `folder${at % 200}`, `file${at}.ts`)
    if (at < 400) mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, at % 1_000 === 1 ? `${text}needle ${at}\n` : text)
  }
}

const grep: Bench = {
  name: "grep",
  async run() {
    const idle = await measured(() => {}, null)
    const call = { name: "grep", args: { pattern: "needle \\d+" } }
    const results = await measured(({ work }) => plant(work), call, ["--tools", "grep"])
    const server = await startModelServer({})
    using machine = localMachine(server)
    plant(machine.work)
    const { rgPath } = await import("@vscode/ripgrep")
    const alone = async (options: readonly string[]) =>
      range(
        (
          await repeat(runs, () =>
            timed([rgPath, "--no-config", "--hidden", "--no-require-git", ...options, "needle \\d+", "./"], {
              cwd: machine.work,
              env: { ...machine.env },
            }),
          )
        ).map(({ ms }) => ms),
        "ms",
      )
    const sorted = await alone(["--sort=path"])
    const parallel = await alone([])
    await server.stop()
    return [
      ...rows(`grep over ${treeFiles} files`, results, idle),
      `ripgrep itself over the same: ${sorted} in order, ${parallel} in any order`,
    ]
  },
}

const fuzzSeeds = 100_000

const fuzz: Bench = {
  name: "edit-fuzz",
  async run() {
    const counts = new Map<string, number>()
    const problems: string[] = []
    const started = performance.now()
    for (let seed = 1; seed <= fuzzSeeds; seed++) {
      const found = fuzzEdit(seed)
      counts.set(found.how, (counts.get(found.how) ?? 0) + 1)
      problems.push(...found.problems)
    }
    const seconds = ((performance.now() - started) / 1_000).toFixed(0)
    const hows = [...counts].sort((a, b) => b[1] - a[1]).map(([how, count]) => `${how} ${count}`)
    return [
      `seeds 1 to ${fuzzSeeds} in ${seconds} s: ${problems.length} problems`,
      `found by: ${hows.join(", ")}`,
      ...problems.slice(0, 20),
    ]
  },
}

export const toolBenches: readonly Bench[] = [read, output, grep, fuzz]
