/**
 * What a run may cost before it waits for the person.
 *
 * - Looked at before each request: what was asked for is paid, so a run ends up above its limit by one request at most.
 * - A run that waits does so through restarts too. Letting it go on allows it as much again.
 * - Only costs that are known count.
 */
import type { Live, Tx } from "../ledger/ledger.ts"
import type { Task } from "../ledger/records.ts"
import { assert } from "../std/assert.ts"
import type { Core } from "./core.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { append } from "./entries.ts"
import { countsOf, stored } from "./task.ts"

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`
}

/** What the run of a conversation has cost since it began, or was last let go on. */
function costOf(live: Live, conversation: number): number {
  const from = readDocument(live, conversation, "run")?.costFrom ?? 0
  return (readDocument(live, conversation, "usage")?.total.cost?.total ?? 0) - from
}

/** True where the run has to wait; it does so from then on, and says why. */
export function waitsForConsent(core: Core, task: Task): boolean {
  const of = core.options.settings.costPerRun
  const cost = costOf(core.ledger.live, task.conversation)
  if (of === undefined || cost < of) return false
  const text = `This run has cost ${dollars(cost)}, and limits.costPerRun is ${dollars(of)}: it goes on when you let it.`
  core.ledger.commit("flushed", (tx) => {
    append(tx, { conversation: task.conversation }, { kind: "notice", level: "warning", code: "cost_limit", text })
    tx.setTask(task.id, { status: "waiting", ...stored({ phase: "limit", cost, of, ...countsOf(task) }) })
  })
  return true
}

/** The person lets the run go on. Part of a commit. */
export function consent(tx: Tx, task: Task): void {
  const run = readDocument(tx.live, task.conversation, "run")
  assert(run !== undefined, `conversation ${task.conversation} waits at its limit without a run`)
  const costFrom = readDocument(tx.live, task.conversation, "usage")?.total.cost?.total ?? 0
  writeDocument(tx, task.conversation, "run", { ...run, costFrom })
  tx.setTask(task.id, { status: "running", ...stored({ phase: "prepare", ...countsOf(task) }) })
}
