/** Many seeds, one after the other, and what they came to. */
import { rmSync } from "node:fs"
import { parseArgs } from "node:util"
import { runSeed, scratchFolder, type Outcome } from "./simulation.ts"
import { nothingPlanted } from "./world.ts"

const problemsShown = 8

function tell({ seed, problems, trace }: Outcome, lines: number): void {
  console.log(`seed ${seed} failed: run it again with --from ${seed} --seeds 1`)
  for (const problem of problems.slice(0, problemsShown)) console.log(`  ${problem}`)
  if (lines > 0) console.log(trace.slice(-lines).join("\n"))
}

/** Runs what the arguments ask for; the exit status. */
export async function runMany(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: "string", default: "100" },
      from: { type: "string", default: "1" },
      plant: { type: "string", default: "" },
      trace: { type: "string", default: "60" },
      failures: { type: "string", default: "10" },
      digests: { type: "boolean", default: false },
    },
  })
  const planted = {
    ...nothingPlanted,
    noFlush: values.plant === "no-flush",
    wrongClass: values.plant === "wrong-class",
  }
  const totals = new Map<string, number>()
  const failed: number[] = []
  const started = performance.now()
  const scratch = scratchFolder()
  let [seeds, commits] = [0, 0]
  try {
    for (
      let seed = Number(values.from);
      seeds < Number(values.seeds) && failed.length < Number(values.failures);
      seed++, seeds++
    ) {
      const outcome = await runSeed(seed, planted, scratch)
      commits += outcome.commits
      totals.set("life", (totals.get("life") ?? 0) + outcome.lives)
      for (const [fault, count] of outcome.counts) totals.set(fault, (totals.get(fault) ?? 0) + count)
      if (values.digests) console.log(`${seed} ${outcome.digest}`)
      if (outcome.problems.length === 0) continue
      failed.push(seed)
      tell(outcome, Number(values.trace))
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  console.log(
    `${seeds} seeds in ${seconds} s, ${commits} commits; ${failed.length} failed${failed.length > 0 ? `: ${failed.join(", ")}` : ""}`,
  )
  console.log(
    [...totals]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([fault, count]) => `${fault}: ${count}`)
      .join(", "),
  )
  return failed.length === 0 ? 0 : 1
}
