/**
 * Conversations that belong to a task: a stop flows down to them, and they do not outlive what asked for them.
 *
 * - Who owns what stands in the records, so a stop that a crash has cut short is carried on at the next opening.
 */
import { Poisoned } from "../ledger/errors.ts"
import { StaleOwner, type Ledger, type Live, type Tx } from "../ledger/ledger.ts"
import { Rejected } from "../ledger/storage.ts"
import type { Change } from "../ledger/records.ts"
import { isLive } from "../ledger/records.ts"

/** `conversation`, and all that its tasks own, and so on down. */
export function ownedBy(live: Live, conversation: number): ReadonlySet<number> {
  const owned = new Set([conversation])
  // An owner is made before what it owns, so one pass in the order of ids reaches all.
  for (const { id, owner } of live.conversations.values())
    if (owner !== null && owned.has(owner.conversation)) owned.add(id)
  return owned
}

/** Mark the work of these conversations as stopped. Part of a commit. */
export function markStopped(tx: Tx, conversations: ReadonlySet<number>, reason: string): void {
  for (const task of [...tx.live.tasks.values()]) {
    if (conversations.has(task.conversation) && task.abort === null) tx.setTask(task.id, { abort: { reason } })
  }
}

/** Conversations with work that nobody has stopped, though their owner has ended, or the owner of that. */
function forsaken(live: Live): ReadonlySet<number> {
  const without = new Set<number>()
  for (const { id, owner } of live.conversations.values()) {
    if (owner !== null && (!live.tasks.has(owner.task) || without.has(owner.conversation))) without.add(id)
  }
  const unstopped = [...live.tasks.values()].filter(({ abort }) => abort === null)
  return new Set(unstopped.map(({ conversation }) => conversation).filter((id) => without.has(id)))
}

/** Stop what nobody waits for any more. `changes`: what has just been committed; all is looked at where left out. */
export function stopForsaken(ledger: Ledger, changes?: readonly Change[]): void {
  if (changes?.every((change) => change.type !== "task" || isLive(change.task)) === true) return
  const conversations = forsaken(ledger.live)
  if (conversations.size === 0 || ledger.health().state === "read-only") return
  try {
    ledger.commit("flushed", (tx) => markStopped(tx, conversations, "its owner has ended"))
  } catch (error) {
    // A session that is lost is told as such by whatever works on it; the next opening comes by here again.
    if (!(error instanceof StaleOwner || error instanceof Poisoned || error instanceof Rejected)) throw error
  }
}
