/**
 * Ending a session's live holder, on request: the only code of the ledger that signals another process.
 *
 * - The process is looked at right before each signal: same machine, same boot, same pid, same start time, or nothing
 *   is sent.
 * - It is asked first and killed when it has not gone in time.
 */
import { sleep } from "../std/clock.ts"
import type { Clock } from "../std/clock.ts"
import type { Holder } from "./errors.ts"
import { isAlive } from "./holder.ts"
import type { Self } from "./holder.ts"

/** A host that is asked to go closes its session: flushes, and joins what runs. */
const askedMs = 3_000
/** A killed process goes when the kernel has cleaned up after it, which a stuck disk can hold up. */
const killedMs = 5_000
const lookMs = 20

/** True when the holder is gone, or was not there; false where it cannot be ended from here, or does not go. */
export async function endHolder(holder: Holder, here: Self, clock: Clock): Promise<boolean> {
  if (holder.pid === here.pid) return false
  return (await endWith("SIGTERM", askedMs, holder, here, clock)) || endWith("SIGKILL", killedMs, holder, here, clock)
}

async function endWith(
  signal: "SIGTERM" | "SIGKILL",
  patience: number,
  holder: Holder,
  here: Self,
  clock: Clock,
): Promise<boolean> {
  if (!isAlive(holder, here)) return true
  try {
    process.kill(holder.pid, signal)
  } catch (error) {
    // Somebody else's process, by its rights; or it went in this instant.
    if (error instanceof Error && "code" in error && error.code === "EPERM") return false
  }
  const until = clock.monotonic() + patience
  while (clock.monotonic() < until) {
    if (!isAlive(holder, here)) return true
    await sleep(clock, lookMs)
  }
  return !isAlive(holder, here)
}
