/** Whether interrupted work goes on by itself: naming the session is consent, unless the work is old or from before a reboot. */
import type { Ledger } from "../ledger/ledger.ts"
import { maxAgeMs } from "./assemble.ts"
import type { Person } from "./person.ts"

export function consentOf(person: Person, ledger: Ledger, now: number): "now" | "ask" {
  const oldest = Math.min(now, ...[...ledger.live.tasks.values()].map((task) => task.startedAt))
  return now - oldest > maxAgeMs(person) ? "ask" : "now"
}
