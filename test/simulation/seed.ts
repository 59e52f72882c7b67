/** One seed: its simulation from beginning to end, in a folder of its own, and what it came to. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closeHandles, real, simulate } from "./disk.ts"
import { Simulation } from "./simulation.ts"
import { World, type Planted } from "./world.ts"

export type Outcome = {
  readonly seed: number
  readonly problems: readonly string[]
  readonly trace: readonly string[]
  readonly faults: ReadonlyMap<string, number>
  readonly works: ReadonlyMap<string, number>
  readonly moments: ReadonlyMap<string, number>
  readonly lives: number
  readonly commits: number
  /** The same for the same seed: everything that happened, in one word. */
  readonly digest: string
}

/** Errors that nobody caught while a simulation ran. */
const uncaught: unknown[] = []
process.on("unhandledRejection", (error) => uncaught.push(error))
process.on("uncaughtException", (error) => uncaught.push(error))

/** A folder for simulations, in memory where the machine has such a place. */
export function scratchFolder(): string {
  const memory = "/dev/shm"
  return mkdtempSync(join(real.existsSync(memory) ? memory : tmpdir(), "cairn-simulation-"))
}

/** A trace without what depends on where it was run: the folder, and names that follow from it. */
function nameless(trace: readonly string[], scratch: string): string {
  return trace
    .join("\n")
    .replaceAll(scratch, "")
    .replaceAll(/[0-9a-f]{16}\.tmp/g, "")
}

/** Runs the simulation of `seed` in a folder of its own below `scratch`. */
export async function runSeed(seed: number, planted: Planted, scratch: string): Promise<Outcome> {
  // The same name each time: paths are in requests, and the same seed is the same in all its bytes.
  const root = join(scratch, "world")
  rmSync(root, { recursive: true, force: true })
  real.mkdirSync(root)
  const world = new World(seed, planted, root)
  const simulation = new Simulation(world)
  try {
    await simulation.run()
  } catch (error) {
    world.problem(
      `an error that nobody expected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    )
  } finally {
    if (world.life !== null) world.life.bury()
    simulate(null)
    closeHandles()
  }
  await new Promise((resolve) => setImmediate(resolve))
  for (const error of uncaught.splice(0))
    world.problem(`nobody caught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  const digest = new Bun.CryptoHasher("sha256").update(nameless(world.trace, scratch)).digest("hex")
  return {
    seed,
    problems: world.problems,
    trace: world.trace,
    faults: world.faults,
    works: world.works,
    moments: world.moments,
    lives: simulation.lives,
    commits: simulation.told.seq,
    digest: digest.slice(0, 16),
  }
}
