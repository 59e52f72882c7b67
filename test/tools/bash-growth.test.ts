/** An output that grows without end: what is on the disk of it, what is told of it, and how it ends. */
import { expect, test } from "bun:test"
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { systemClock } from "../../src/std/clock.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { freedFact, OutputGrowth } from "../../src/tools/bash-growth.ts"
import { bashTool } from "../../src/tools/bash.ts"
import { supervised } from "../../src/tools/bash-watch.ts"
import { followCommand, startInFiles } from "../../src/tools/command.ts"
import { linuxTable } from "../../src/tools/processes.ts"
import { eventually } from "../support/eventually.ts"
import { textOf, workbench } from "./workbench.ts"

const MiB = 1024 * 1024

test("the head of a long output is freed while its command runs, its beginning and its end stay", async () => {
  using bench = workbench()
  const files = bench.files()
  let freed = 0
  let blocksMax = 0
  const remember = async (fact: JsonObject): Promise<void> => {
    freed = Math.max(freed, Number(fact[freedFact] ?? 0))
  }
  const progress = (): void => {
    const { size, blocks } = statSync(files.output)
    // What is freed is behind what comes by the moment that it takes to look.
    if (size > 4 * MiB) blocksMax = Math.max(blocksMax, blocks * 512 - (size - freed))
  }
  const command =
    "echo first; for i in $(seq 40); do head -c 500000 /dev/zero | tr '\\0' x; echo; sleep 0.02; done; echo last"
  const result = await bench.call(bashTool, { command }, { files, remember, progress, outputBytesMax: 2 * MiB })
  expect(textOf(result)).toMatch(/^first\n[^]*the last 2\.1 MB are in [^]*last$/)
  const { size, blocks } = statSync(files.output)
  expect(size).toBe(20_000_051)
  expect(blocks * 512).toBeLessThan(6 * MiB)
  expect(freed).toBeGreaterThan(12 * MiB)
  expect(freed).toBeLessThanOrEqual(size - 2 * MiB)
  expect(blocksMax).toBeLessThan(2 * MiB)
  expect(
    readFileSync(files.output)
      .subarray(size - 2 * MiB)
      .includes(0),
  ).toBe(false)
})

test("nothing is freed that could not be remembered, and the command goes on", async () => {
  using bench = workbench()
  const files = bench.files()
  const remember = async (fact: JsonObject): Promise<void> => {
    if (freedFact in fact) throw new Error("this session takes no more")
  }
  const command = "head -c 8000000 /dev/zero | tr '\\0' x; sleep 0.1"
  const result = await bench.call(bashTool, { command }, { files, remember, outputBytesMax: MiB })
  expect(result.isError).toBe(false)
  expect(statSync(files.output).blocks * 512).toBeGreaterThanOrEqual(8_000_000)
})

test("what was freed stays told where later on nothing more can be freed", async () => {
  using bench = workbench()
  const files = bench.files()
  const facts: unknown[] = []
  const told = Promise.withResolvers<void>()
  const remember = async (fact: JsonObject): Promise<void> => {
    if (facts.push(fact[freedFact]) === 3) told.resolve()
  }
  writeFileSync(files.output, Buffer.alloc(8 * MiB, "x"))
  const growth = new OutputGrowth(
    files.output,
    { kept: MiB, most: 64 * MiB, freed: 0 },
    bench.context({ files, remember }),
  )
  growth.grew(4 * MiB)
  await eventually(
    () => statSync(files.output).blocks * 512 < 6 * MiB,
    () => "nothing is freed",
  )
  // A pipe has no blocks that could be freed.
  rmSync(files.output)
  expect(Bun.spawnSync(["mkfifo", files.output]).exitCode).toBe(0)
  growth.grew(4 * MiB)
  await told.promise
  expect(facts).toEqual([3 * MiB, 7 * MiB, 3 * MiB])
})

test("an output at its last limit ends the command with all that it started, also what minds no broken pipe", async () => {
  using bench = workbench()
  const files = bench.files()
  const context = bench.context({ files })
  const most = 1_000_000
  const growth = new OutputGrowth(files.output, { most, freed: 0 }, context)
  const command = "trap '' PIPE; setsid sleep 300 & while :; do echo and on and on; done"
  const env = { PATH: process.env["PATH"] ?? "" }
  const started = startInFiles({ command, key: context.key, shell: "bash", cwd: bench.folder, env }, files, most)
  const onOutput = (bytes: Uint8Array, skipped: number): void => growth.grew(skipped + bytes.length)
  const { identity, gone } = started
  const { stop, survivors } = await supervised(
    started.pid,
    null,
    context,
    (signal) => followCommand({ files, identity, gone, clock: systemClock, signal, onOutput }),
    growth.over,
  )
  expect([stop, survivors]).toEqual([{ by: "output_limit" }, []])
  expect(linuxTable.commandProcesses(context.key, null)).toEqual([])
  expect(statSync(files.output).size).toBeLessThan(most + 512)
})
