/** The last look: opened once more as any other process would, everything is there, verifies, and could be sent to any provider. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { contextEntries, messagesOf } from "../../src/engine/context.ts"
import { entryRecord } from "../../src/engine/entries.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { openSession } from "../../src/ledger/open.ts"
import { stableText, type Json } from "../../src/std/json.ts"
import { requestProblems, simModels } from "./model.ts"
import type { Told } from "./people.ts"
import type { World } from "./world.ts"

export async function checkEnd(world: World, told: Told): Promise<void> {
  // In true time, since nothing is simulated any more; but for the wall clock, which the session knows.
  // Time stands still: nothing is so slow that it must be paced, on any machine, and no timer is ever due.
  const clock = { now: () => world.schedule.wall, monotonic: () => 0, after: () => () => undefined }
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
  for (const conversation of ledger.live.conversations.keys()) await checkNext(world, ledger, conversation)
  const left = readdirSync(join(world.sessionFolder, "spool")).filter((name) => name !== "unknown")
  if (left.length > 0) world.problem(`spools are left: ${left.join(", ")}`)
  await ledger.close()
}

/** What would be sent next is taken by every provider; so is what a fork at any entry would send. */
async function checkNext(world: World, ledger: Ledger, conversation: number): Promise<void> {
  const [model] = simModels
  const seen = await ledger.entries({ conversation })
  const some = seen.filter(() => world.chance.hit(0.1)).map(({ id }) => id)
  for (const to of [...some, seen.at(-1)?.id ?? 0]) {
    const { entries } = await contextEntries(ledger, conversation, to)
    const messages = messagesOf(entries)
    if (model === undefined || messages.length === 0) continue
    const request = { model, system: "S", tools: [], messages, thinking: "off" as const }
    for (const problem of requestProblems(request))
      world.problem(`the request of c${conversation} at e${to} would be refused: ${problem}`)
  }
}
