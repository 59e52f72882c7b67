/**
 * A lock beside a small file of the person's, for read, change and write by several processes of this program.
 *
 * - The lock is a file made exclusively; whoever holds it for longer than any such change takes has died, and is passed over.
 */
import { open, rm, stat } from "node:fs/promises"
import { sleep, type Clock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"

/** No change of a small file takes so long: whoever holds the lock for longer has died, and the others wait a little longer than that. */
const staleMsDefault = 10_000
const waitMsMore = 5_000
const retryMs = 25

/** `act` while nobody else changes `path`; it takes less than `staleMs`. Throws an Error with a sentence when the lock cannot be had. */
export async function withFileLock<T>(
  path: string,
  clock: Clock,
  act: () => Promise<T>,
  staleMs = staleMsDefault,
): Promise<T> {
  const lock = `${path}.lock`
  const since = clock.monotonic()
  while (!(await take(lock))) {
    if (await isStale(lock, clock, staleMs)) await rm(lock, { force: true })
    else if (clock.monotonic() - since > staleMs + waitMsMore) {
      throw new Error(`${path} is locked by another process; if none is running, remove ${lock}.`)
    } else await sleep(clock, retryMs)
  }
  try {
    return await act()
  } finally {
    await rm(lock, { force: true })
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, "wx", 0o600)
    await file.close()
    return true
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false
    throw error
  }
}

async function isStale(lock: string, clock: Clock, staleMs: number): Promise<boolean> {
  try {
    return clock.now() - (await stat(lock)).mtimeMs > staleMs
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false
    throw error
  }
}
