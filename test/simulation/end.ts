/** The last look: opened once more as any other process would, everything is there, verifies, and could be sent to any provider. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { contextEntries, messagesOf } from "../../src/engine/context.ts"
import { entryRecord } from "../../src/engine/entries.ts"
import { openSession } from "../../src/ledger/open.ts"
import { stableText, type Json } from "../../src/std/json.ts"
import { requestProblems, simModels } from "./model.ts"
import type { Told } from "./people.ts"
import type { World } from "./world.ts"

export async function checkEnd(world: World, told: Told): Promise<void> {
  const clock = { now: () => world.schedule.wall, monotonic: () => performance.now(), after: () => () => undefined }
  const ledger = await openSession({ dataDir: world.dataDir, id: world.id, clock })
  for (const sentence of await ledger.verify(true)) world.problem(`I9: ${sentence}`)
  if (ledger.unclean) world.problem("the session was closed, and its next owner believes in a death")
  for (const task of ledger.live.tasks.values()) world.problem(`t${task.id} (${task.kind}) is alive at the end`)
  for (const [id, { text }] of told.entries) {
    const entry = await ledger.entry(id)
    const now = entry === undefined ? "nothing" : stableText(entryRecord(entry) as unknown as Json)
    if (now !== text) world.problem(`e${id} was told as ${text.slice(0, 200)} and is ${now.slice(0, 200)}`)
  }
  for (const [id, { record }] of told.submissions) {
    const now = await ledger.submission(id)
    if (now?.requestId !== record.requestId)
      world.problem(`s${id} was told as ${record.requestId} and is ${now?.requestId}`)
  }
  const { entries } = await contextEntries(ledger, 1, ledger.live.tail(1))
  const [model] = simModels
  const messages = messagesOf(entries)
  if (model !== undefined && messages.length > 0) {
    const request = { model, system: "S", tools: [], messages, thinking: "off" as const }
    for (const problem of requestProblems(request)) world.problem(`the next request would be refused: ${problem}`)
  }
  const left = readdirSync(join(world.sessionFolder, "spool")).filter((name) => name !== "unknown")
  if (left.length > 0) world.problem(`spools are left: ${left.join(", ")}`)
  await ledger.close()
}
