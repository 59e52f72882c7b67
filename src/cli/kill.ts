/**
 * Moments at which this process fails, for tests that want every one of them, and for whoever wants to see that nothing is lost.
 *
 * - `CAIRN_KILL=name:n`: it ends itself by SIGKILL the n-th time that it comes to the moment of that name.
 * - `CAIRN_FAIL=name:n,…`: there, before or after a commit is written, the disk is taken to fail, so that nobody knows whether it was.
 */
import type { Env } from "../home/env.ts"
import { Unknown } from "../ledger/storage.ts"
import { unwatched, type At } from "../std/moment.ts"

/** Of this process, whatever it opens. */
const counts = new Map<string, number>()

/** What is called at each moment; it counts by itself. */
export function killAt({ CAIRN_KILL: kill = "", CAIRN_FAIL: fail = "" }: Env): At {
  const failures = fail.split(",")
  if (kill === "" && fail === "") return unwatched
  return (point) => {
    const count = (counts.get(point) ?? 0) + 1
    counts.set(point, count)
    const moment = `${point}:${count}`
    if (moment === kill) process.kill(process.pid, "SIGKILL")
    if (failures.includes(moment)) throw new Unknown("the disk failed, as CAIRN_FAIL asked for")
  }
}
