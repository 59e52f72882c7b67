/** `bun run bench kills`: kill -9 at random moments of a real task, each followed by `-c -p`. CAIRN_KILLS says how often. */
import { killMany } from "../support/kill-task.ts"
import type { Bench } from "./measure.ts"

const kills: Bench = {
  name: "kills",
  async run() {
    const times = Number(process.env.CAIRN_KILLS ?? 100)
    const summary = await killMany(times, Math.random)
    return [
      `${summary.kills} kills: ${summary.accepted} inputs had been accepted, ${summary.finishedBefore} tasks had ended before`,
      `lost inputs, doubled edits, doubled commands, failed resumes: ${summary.problems.length}`,
      `invalid requests: ${summary.invalidRequests.length}`,
      ...summary.problems,
      ...summary.invalidRequests,
    ]
  },
}

export const killBenches: readonly Bench[] = [kills]
