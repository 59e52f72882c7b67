/** What all conversations of a session took, added up in pages so that the work goes on beside it. */
import { sleep } from "../std/clock.ts"
import { addStats, noStats, type Stats } from "../protocol/stats.ts"
import type { Core } from "./core.ts"
import { entryRecord } from "./entries.ts"

const pageEntries = 200

export async function sessionStats({ ledger, clock }: Core): Promise<Stats> {
  let stats = noStats
  for (const { id, parent } of [...ledger.live.conversations.values()]) {
    for (let before: number | undefined; ;) {
      // From its fork on: what came before belongs to the conversation that said it.
      const page = await ledger.entries({ conversation: id, after: parent?.entry ?? 0, before, limit: pageEntries })
      stats = page.map(entryRecord).reduce(addStats, stats)
      before = page[0]?.id
      if (before === undefined || page.length < pageEntries) break
      await sleep(clock, 0)
    }
  }
  return stats
}
