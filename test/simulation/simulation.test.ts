/**
 * A fixed set of seeds; that a seed is the same each time; and that bugs which were put in on purpose are found.
 *
 * Each test is a process of its own, since a simulation takes the place of the runtime's file functions.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"

/** A simulation is counted in seeds and in operations, not in time: a busy machine is given what it needs. */
const ceilingMs = 600_000

type Run = { readonly status: number; readonly text: string }

async function simulate(...args: readonly string[]): Promise<Run> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "run.ts"), ...args], {
    stdout: "pipe",
    stderr: "inherit",
    // Where even this was not enough, the last seed that came to its end is in what was printed.
    timeout: ceilingMs - 10_000,
    killSignal: "SIGKILL",
  })
  const text = await new Response(child.stdout).text()
  return { status: await child.exited, text }
}

const digestLine = /^\d+ [0-9a-f]{16}$/gm

const kinds = {
  faults: [
    [
      "kill",
      "power cut",
      "torn log",
      "torn spool",
      "torn mark",
      "half written commit",
      "clock jump",
      "close",
      "client gone or back",
    ],
    ["late write", "unknown write", "rejected write", "busy write", "full disk", "refused file operation"],
    ["provider error", "stall", "empty answer", "bad summary", "file changed by someone else"],
  ].flat(),
  died: ["before commit", "after commit", "before a delta", "before the effect of \\w+", "after the effect of \\w+"],
  done: [
    ["submit", "abort", "withdraw", "amend", "send", "fork", "compact", "undo", "resume", "recovered to rest"],
    ["input to steer", "input to followUp", "fire that is unknown", "ask that is done", "edit that is done"],
    ["fire", "shoot", "post", "swap", "job"].map((tool) => `effect of ${tool}`),
  ].flat(),
} as const

test(
  "T36: random work with random faults of every kind breaks no promise, whatever the seed",
  async () => {
    const { status, text } = await simulate("--seeds", "150", "--digests")
    expect(text.replaceAll(digestLine, "").trim()).toMatch(/^150 seeds in .*; 0 failed\n/)
    expect(text.match(digestLine)).toHaveLength(150)
    expect(status).toBe(0)
    for (const [list, names] of Object.entries(kinds))
      for (const name of names) expect(text).toMatch(new RegExp(`^${list}: .*\\b${name} [1-9]`, "m"))
  },
  ceilingMs,
)

test(
  "a seed is the same each time, to the last commit",
  async () => {
    const runs = await Promise.all([1, 2].map(() => simulate("--seeds", "6", "--from", "500", "--digests")))
    const [one, other] = runs.map(({ text }) => text.match(digestLine))
    expect(one).toHaveLength(6)
    expect(other).toEqual(one)
  },
  ceilingMs,
)

const plants = [
  ["storage that says it has flushed and has not", "no-flush", /I11: commit \d+ was told, the ledger is at \d+/],
  ["a tool that says that it may run twice and may not", "wrong-class", /I10: t\d+ fire is "\w+" and happened 2 times/],
  ["work that never comes to an end", "endless", /it never comes to an end|it does not come to rest: t\d+/],
] as const

for (const [what, plant, found] of plants)
  test(
    `planted on purpose, ${what} is found, and fails again by its seed alone`,
    async () => {
      const more = ["--plant", plant, "--failures", "1", "--trace", "5"]
      const { status, text } = await simulate("--seeds", "100", ...more)
      expect(text).toMatch(found)
      expect(status).toBe(1)
      const seed = /"bun run simulate --seed (\d+) --plant/.exec(text)?.[1] ?? ""
      const again = await simulate("--seed", seed, ...more)
      expect(again.text.slice(0, again.text.indexOf("1 seeds in"))).toContain(found.exec(text)?.[0] ?? "nothing")
      expect(again.status).toBe(1)
    },
    ceilingMs,
  )
