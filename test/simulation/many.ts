/** Many seeds, one after the other, and what they came to. */
import { rmSync } from "node:fs"
import { parseArgs } from "node:util"
import { runSeed, scratchFolder, type Outcome } from "./seed.ts"
import { Counts, nothingPlanted, type Planted } from "./world.ts"

const problemsShown = 8

function tell({ seed, problems, trace }: Outcome, plant: string, lines: number): void {
  const planted = plant === "" ? "" : ` --plant ${plant}`
  console.log(`seed ${seed} failed: "bun run simulate --seed ${seed}${planted}" fails in the same way`)
  for (const problem of problems.slice(0, problemsShown)) console.log(`  ${problem}`)
  if (lines > 0) console.log(trace.slice(-lines).join("\n"))
}

const totals = { faults: new Counts(), works: new Counts(), moments: new Counts() }

function list(what: string, counts: Counts): string {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  return `${what}: ${sorted.map(([name, count]) => `${name} ${count}`).join(", ")}`
}

function count(outcome: Outcome): void {
  totals.works.add("life", outcome.lives)
  for (const kind of ["faults", "works", "moments"] as const)
    for (const [name, n] of outcome[kind]) totals[kind].add(name, n)
}

const plants: Readonly<Record<string, Planted>> = {
  "": nothingPlanted,
  "no-flush": { ...nothingPlanted, noFlush: true },
  "wrong-class": { ...nothingPlanted, wrongClass: true },
  endless: { ...nothingPlanted, endless: true },
}

const options = {
  /** Only this one. */
  seed: { type: "string" },
  seeds: { type: "string", default: "100" },
  from: { type: "string", default: "1" },
  plant: { type: "string", default: "" },
  /** Lines of a failing seed's trace that are shown. */
  trace: { type: "string", default: "60" },
  /** How many seeds may fail before no more are run. */
  failures: { type: "string", default: "10" },
  /** Tells of each seed what it came to, in one word. */
  digests: { type: "boolean", default: false },
} as const

/** Runs what the arguments ask for; the exit status. */
export async function runMany(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options })
  const { plant } = values
  const planted = plants[plant]
  if (planted === undefined) throw new Error(`--plant takes ${Object.keys(plants).slice(1).join(", ")}`)
  const first = Number(values.seed ?? values.from)
  const end = first + (values.seed === undefined ? Number(values.seeds) : 1)
  const failed: number[] = []
  const started = performance.now()
  const scratch = scratchFolder()
  let [seed, commits] = [first, 0]
  try {
    for (; seed < end && failed.length < Number(values.failures); seed++) {
      const outcome = await runSeed(seed, planted, scratch)
      commits += outcome.commits
      count(outcome)
      if (values.digests) console.log(`${seed} ${outcome.digest}`)
      if (outcome.problems.length === 0) continue
      failed.push(seed)
      tell(outcome, plant, Number(values.trace))
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  const which = failed.length > 0 ? `: ${failed.join(", ")}` : ""
  console.log(`${seed - first} seeds in ${seconds} s, ${commits} commits; ${failed.length} failed${which}`)
  console.log(list("faults", totals.faults))
  console.log(list("died", totals.moments))
  console.log(list("done", totals.works))
  return failed.length === 0 ? 0 : 1
}
