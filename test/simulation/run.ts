/**
 * Simulations from a command line: `bun run simulate --seeds N --from S`. A failing seed is named with the end of its trace; `--seed N` runs it again, alone.
 *
 * `--plant no-flush | wrong-class | endless` puts a bug in on purpose; `--trace N` shows so many lines of a failing seed's trace.
 */
import { installDisk } from "./disk.ts"

installDisk()
// After that, and only then, whatever imports file functions.
const { runMany } = await import("./many.ts")
process.exit(await runMany(process.argv.slice(2)))
