/**
 * Whether interrupted work goes on by itself: naming the session is consent, unless the work is old or from before a reboot.
 *
 * - Which start of the machine a session's work last went on in is a document of its own: a process's start says nothing once it is gone.
 */
import type { Ledger } from "../ledger/ledger.ts"
import { self } from "../ledger/holder.ts"
import { isObject } from "../std/json.ts"
import { maxAgeMs } from "./assemble.ts"
import type { Person } from "./person.ts"

const bootDocument = "boot"

/** To be asked before {@link noteBoot}. */
export function consentOf(person: Person, ledger: Ledger, now: number): "now" | "ask" {
  const oldest = Math.min(now, ...[...ledger.live.tasks.values()].map((task) => task.startedAt))
  const boot = lastBoot(ledger)
  const rebooted = boot !== undefined && boot !== self().bootId
  return rebooted || now - oldest > maxAgeMs(person) ? "ask" : "now"
}

function lastBoot(ledger: Ledger): string | undefined {
  const value = ledger.live.document(0, bootDocument)?.value
  return isObject(value) && typeof value.id === "string" ? value.id : undefined
}

/** Remembers that the session's work went on in this start of the machine. */
export function noteBoot(ledger: Ledger): void {
  const { bootId } = self()
  if (lastBoot(ledger) === bootId) return
  ledger.commit("relaxed", (tx) => tx.setDocument(0, bootDocument, { id: bootId }, 1))
}
