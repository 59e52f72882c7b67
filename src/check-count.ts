/** What a test run says, as counts that can be believed. */

export type Counts = { readonly passed: number; readonly failed: number }

export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed }
}

const summaryLine = /^Ran (\d+) tests? across \d+ files?\./m

/**
 * The tests that `output` of a run with exit status `status` tells of. Skipped ones count as failed, and so does whatever does not add up:
 * no summary (a test ended the process), a bad status without a failed test, tests that are in no count.
 */
export function countTests(output: string, status: number | null): Counts {
  const end = [...output.matchAll(new RegExp(summaryLine, "gm"))].at(-1)
  if (end === undefined) return { passed: linesWith(output, "(pass)"), failed: linesWith(output, "(fail)") + 1 }
  const block = output.slice(0, end.index).slice(-400)
  const count = (word: string): number => Number(new RegExp(`^ (\\d+) ${word}$`, "m").exec(block)?.[1] ?? 0)
  const passed = count("pass")
  const failed = Math.max(count("fail") + count("skip") + count("todo"), Number(end[1]) - passed)
  return { passed, failed: failed === 0 && status !== 0 ? 1 : failed }
}

function linesWith(output: string, mark: string): number {
  return output.split("\n").filter((line) => line.startsWith(`${mark} `)).length
}
