/**
 * Benchmarks: `bun run bench [name …]`. Figures are medians of several runs on this machine, reported beside their budget, asserted nowhere.
 */
import { abortBenches } from "./abort.ts"
import { printBenches } from "./print.ts"
import { indexBenches } from "./index.ts"
import { killBenches } from "./kills.ts"
import { ledgerBenches } from "./ledger.ts"
import { providerBenches } from "./providers.ts"
import { raceBenches } from "./race.ts"
import { frameBenches } from "./frames.ts"
import { scrollbackBenches } from "./scrollback.ts"
import { screenBenches } from "./screen.ts"
import type { Bench } from "./measure.ts"
import { toolBenches } from "./tools.ts"

const benches: readonly Bench[] = [
  ...printBenches,
  ...killBenches,
  ...abortBenches,
  ...raceBenches,
  ...ledgerBenches,
  ...indexBenches,
  ...toolBenches,
  ...providerBenches,
  ...screenBenches,
  ...frameBenches,
  ...scrollbackBenches,
]

const wanted = process.argv.slice(2)
const chosen = benches.filter((bench) => wanted.length === 0 || wanted.some((name) => bench.name.includes(name)))
if (chosen.length === 0) {
  process.stderr.write(`no bench is named so; there are: ${benches.map((bench) => bench.name).join(", ")}\n`)
  process.exitCode = 2
}
for (const bench of chosen) {
  for (const row of await bench.run()) process.stdout.write(`${bench.name}: ${row}\n`)
}
