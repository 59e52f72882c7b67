/**
 * One of two that race for a session: says `ready`, then for each line `<dataDir> <id> <spins>` spins so many times, opens, and says `won` or
 * `lost`; a winner lets go at the next line `close`. `spins` shifts the two against each other.
 */
import { SessionHeld } from "../../src/ledger/errors.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { openSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"

let ledger: Ledger | null = null
console.log("ready")
for await (const line of console) {
  if (line === "close") {
    await ledger?.close()
    ledger = null
    console.log("closed")
    continue
  }
  const [dataDir = "", id = "", spins] = line.split(" ")
  for (let n = 0, sum = 0; n < Number(spins); n++) sum += n
  try {
    ledger = await openSession({ dataDir, id, clock: systemClock })
    console.log(`won ${ledger.epoch} ${ledger.unclean}`)
  } catch (error) {
    console.log(
      error instanceof SessionHeld ? `lost to ${error.holder?.pid ?? "nobody yet"}` : `failed ${String(error)}`,
    )
  }
}
