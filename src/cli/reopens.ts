/**
 * How often a disk may fail at a commit: after the first time the session is opened again, which tells what was stored; a second time within a
 * minute it is a disk that cannot be relied on.
 */
import { Poisoned } from "../ledger/errors.ts"
import type { Clock } from "../std/clock.ts"
import { assemble, type AssembleOptions, type Assembled } from "./assemble.ts"
import { noteBoot } from "./consent.ts"

const apartMs = 60_000

export class Reopens {
  readonly #clock: Clock
  #last = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True where the session may be opened again now; then it counts. */
  take(): boolean {
    const now = this.#clock.monotonic()
    if (now - this.#last < apartMs) return false
    this.#last = now
    return true
  }
}

/** An engine on a ledger; null where the disk failed in its first commits. Where there is none, the ledger is closed. */
export async function assembledOn(options: AssembleOptions): Promise<Assembled | null> {
  const { ledger, consent } = options
  try {
    if (consent === "now" && ledger.health().state !== "read-only") noteBoot(ledger)
    return await assemble(options)
  } catch (error) {
    const inDoubt = error instanceof Poisoned
    await ledger.close(inDoubt ? process.pid : undefined)
    if (inDoubt) return null
    throw error
  }
}
