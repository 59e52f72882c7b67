/** `bun run bench race`: two processes race for a dead owner's session. CAIRN_RACES says how often. */
import { race } from "../support/race.ts"
import type { Bench } from "./measure.ts"

const races: Bench = {
  name: "race",
  async run() {
    const rounds = Number(process.env.CAIRN_RACES ?? 10_000)
    const { first, problems } = await race(rounds, Math.random)
    return [
      `${rounds} schedules: the first of the two won ${first}, the other ${rounds - first - problems.length}`,
      `schedules with no winner or two: ${problems.length}`,
      ...problems,
    ]
  },
}

export const raceBenches: readonly Bench[] = [races]
