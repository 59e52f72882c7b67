/**
 * A fixed set of seeds; that a seed is the same each time; and that bugs which were put in on purpose are found.
 *
 * Each test is a process of its own, since a simulation takes the place of the runtime's file functions.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"

/** A simulation is counted in seeds, not in time: a busy machine is given what it needs. */
const ceilingMs = 600_000

type Run = { readonly status: number; readonly text: string }

async function simulate(...args: readonly string[]): Promise<Run> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "run.ts"), ...args], {
    stdout: "pipe",
    stderr: "inherit",
  })
  const text = await new Response(child.stdout).text()
  return { status: await child.exited, text }
}

test(
  "random work with random faults breaks no promise, whatever the seed",
  async () => {
    const { status, text } = await simulate("--seeds", "16", "--from", "1")
    expect(text).toContain("16 seeds in ")
    expect(text).toContain("0 failed")
    expect(status).toBe(0)
  },
  ceilingMs,
)

test(
  "a seed is the same each time, to the last commit",
  async () => {
    const digests = ({ text }: Run): readonly string[] =>
      text.split("\n").filter((line) => /^\d+ [0-9a-f]{16}$/.test(line))
    const [one, other] = await Promise.all([1, 2].map(() => simulate("--seeds", "6", "--from", "500", "--digests")))
    expect(one === undefined ? [] : digests(one)).toHaveLength(6)
    expect(one === undefined ? [] : digests(one)).toEqual(other === undefined ? [] : digests(other))
  },
  ceilingMs,
)

test(
  "storage that says it has flushed and has not is found out",
  async () => {
    const { status, text } = await simulate("--seeds", "60", "--plant", "no-flush", "--failures", "1", "--trace", "5")
    expect(text).toMatch(/I11: commit \d+ was told, the ledger is at \d+/)
    expect(status).toBe(1)
  },
  ceilingMs,
)

test(
  "a tool that says that it may run twice and may not is found out",
  async () => {
    const { status, text } = await simulate(
      "--from",
      "30",
      "--seeds",
      "60",
      "--plant",
      "wrong-class",
      "--failures",
      "1",
      "--trace",
      "5",
    )
    expect(text).toMatch(/I10: t\d+ fire is "done" and happened 2 times/)
    expect(status).toBe(1)
  },
  ceilingMs,
)
