/**
 * When a conversation is compacted by itself: behind its work before the window is full, before the next request when it is, and not where that
 * has not helped lately.
 *
 * - After a compaction there is none until a tenth of the window is new: what is kept may be large by itself.
 * - Two failures in a row with one model end it: then the person chooses. A summary that they ask for and get begins anew.
 */
import { estimateMessages, estimateRequest } from "../message/estimate.ts"
import { modelName, type Model } from "../providers/model.ts"
import type { Task } from "../ledger/records.ts"
import type { Live, Tx } from "../ledger/ledger.ts"
import { messagesOf } from "./context.ts"
import type { Core } from "./core.ts"
import { isFull, isNearlyFull, roomOf, sizeOf, unknownWindow, type Room } from "./cut.ts"
import { readDocument, writeDocument, type CompactionDocument } from "./documents.ts"
import { append, dataOf } from "./entries.ts"
import type { Built } from "./request.ts"
import { compactionKind, countsOf } from "./task.ts"

/** `stop`: the request is too long, and making room for it has failed before. */
export type CompactionPlan = "none" | "behind" | "first" | "stop"

const failuresMax = 2
/** Of the window. */
const freshShare = 0.1

/** `fresh`: tokens that came since the last compaction; infinite where there was none. Pure. */
export function planOf(size: number, room: Room, fresh: number, failures: number): CompactionPlan {
  const full = isFull(size, room)
  if (!(full || isNearlyFull(size, room)) || fresh < room.window * freshShare) return "none"
  if (failures >= failuresMax) return full ? "stop" : "none"
  return full ? "first" : "behind"
}

/** What to do before this request is sent. */
export async function compactionPlan(core: Core, task: Task, built: Built): Promise<CompactionPlan> {
  const { compaction } = core.options.settings
  if (!compaction.enabled || countsOf(task).compactions > 0) return "none"
  const room = roomOf(built.model.contextWindow, compaction)
  const { live } = core.ledger
  const usage = readDocument(live, task.conversation, "usage")
  const last = built.request.messages.findLastIndex((message) => message.role === "assistant")
  const since = estimateMessages(built.request.messages.slice(last + 1))
  const size = sizeOf(estimateRequest(built.request), usage?.context ?? 0, since)
  // What came since is read only where it matters.
  if (planOf(size, room, Infinity, 0) === "none") return "none"
  return planOf(
    size,
    room,
    await freshTokens(core, task.conversation),
    failuresOf(live, task.conversation, built.model),
  )
}

async function freshTokens(core: Core, conversation: number): Promise<number> {
  const head = await core.ledger.newestHead(conversation)
  if (head === undefined || dataOf(head)?.kind !== "compaction") return Infinity
  return estimateMessages(messagesOf(await core.ledger.entries({ conversation, after: head.id })))
}

const emptyCompaction: CompactionDocument = { failures: 0, model: "", head: 0 }

function failuresOf(live: Live, conversation: number, model: Model): number {
  const known = readDocument(live, conversation, "compaction")
  return known?.model === modelName(model) ? known.failures : 0
}

/** A compaction that nobody asked for has failed. Part of a commit. */
export function countFailure(tx: Tx, conversation: number, model: string): void {
  const known = readDocument(tx.live, conversation, "compaction") ?? emptyCompaction
  const failures = known.model === model ? known.failures + 1 : 1
  writeDocument(tx, conversation, "compaction", { ...known, failures, model })
}

/** A compaction keeps what comes from entry `head` on; false where another one keeps less already. Part of a commit. */
export function takePlace(tx: Tx, conversation: number, head: number): boolean {
  const known = readDocument(tx.live, conversation, "compaction") ?? emptyCompaction
  if (head <= known.head) return false
  writeDocument(tx, conversation, "compaction", { ...known, failures: 0, head })
  return true
}

/** The compaction of this conversation's own past that is under way, if one is. */
export function underWay(live: Live, conversation: number): Task | undefined {
  return [...live.tasks.values()].find(
    (task) =>
      task.kind === compactionKind &&
      task.conversation === conversation &&
      task.abort === null &&
      task.input["branch"] === undefined,
  )
}

/** Tells, once for each model, that its window is only assumed. Part of a commit. */
export function tellWindow(tx: Tx, conversation: number, model: Model): void {
  if (model.contextWindow !== undefined) return
  const known = readDocument(tx.live, conversation, "compaction") ?? emptyCompaction
  const name = modelName(model)
  if (known.assumed === name) return
  writeDocument(tx, conversation, "compaction", { ...known, assumed: name })
  const size = unknownWindow.toLocaleString("en-US")
  const text = `How much ${name} can read at once is not known: ${size} tokens are assumed. Its contextWindow in config.json says it.`
  append(tx, { conversation }, { kind: "notice", level: "warning", code: "window", text })
}

/** Why a run ends that is too long and cannot be made shorter, with the ways out. */
export function tooLongText(model: Model): string {
  return `The conversation is too long for ${modelName(model)}, and summarizing it failed ${failuresMax} times in a row. Choose a model with a larger window, compact by hand with a word on what matters, or begin a new session.`
}
