/** Start-up and print mode: the executable as a person runs it, the model at zero latency. */
import { statSync } from "node:fs"
import { builtBinary, tempMachine } from "../support/binary.ts"
import { localMachine } from "../support/local-model.ts"
import { startModelServer } from "../support/model-server.ts"
import { range, repeat, timed, type Bench, type Timed } from "./measure.ts"

const runs = 10

function rows(name: string, budget: string, results: readonly Timed[]): readonly string[] {
  const failed = results.filter((result) => result.status !== 0).length
  const ms = range(
    results.map((result) => result.ms),
    "ms",
  )
  const memory = range(
    results.map((result) => result.peakRssMb),
    "MB resident at most",
  )
  return [`${name}: ${ms}, budget ${budget}; ${memory}${failed > 0 ? `; ${failed} FAILED` : ""}`]
}

const size: Bench = {
  name: "size",
  async run() {
    const bytes = statSync(await builtBinary()).size
    return [`executable ${(bytes / 1024 / 1024).toFixed(1)} MiB (${(bytes / 1e6).toFixed(1)} MB), budget 155 MB`]
  },
}

function flag(name: string): Bench {
  return {
    name: name.slice(2),
    async run() {
      using machine = tempMachine()
      const binary = await builtBinary()
      const results = await repeat(runs, () => timed([binary, name], { cwd: machine.work, env: { ...machine.env } }))
      return rows(name, "40 ms", results)
    },
  }
}

const word: Bench = {
  name: "print",
  async run() {
    const server = await startModelServer({ key: "k", script: () => ({ text: "yes" }) })
    using machine = localMachine(server)
    const binary = await builtBinary()
    const results = await repeat(runs, () =>
      timed([binary, "-p", "hi"], { cwd: machine.work, env: { ...machine.env } }),
    )
    await server.stop()
    return rows("one word", "150 ms", results)
  },
}

export const printBenches: readonly Bench[] = [size, flag("--version"), flag("--help"), word]
