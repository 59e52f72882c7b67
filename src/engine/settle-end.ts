/**
 * How a turn ends that is not its request: after its calls, when nobody goes on with it, by a bug, without code. One flushed commit each, but for
 * the plain step to the next turn. Nothing here waits or calls out.
 */
import type { Receipt } from "../ledger/ledger.ts"
import type { Task } from "../ledger/records.ts"
import { liveTask, type Core } from "./core.ts"
import { append } from "./entries.ts"
import { answered, continueRun, endRun, nextTurn } from "./run.ts"
import { addResult } from "./settle.ts"
import { callInput, callKind, generationKind } from "./task.ts"

/** Whoever might go on with the run has been asked: `more` is the next input, and without one the run ends with its answer. */
export function settleYield(core: Core, task: Task, more: string | undefined): Receipt<void> {
  const { settings } = core.options
  return core.ledger.commit("flushed", (tx) => {
    const { conversation, id } = task
    const answer = Number(task.checkpoint["entry"])
    const isStopped = liveTask(core, id)?.abort != null
    tx.setTask(id, { status: "completed", outcome: { entry: answer } })
    // The answer stands, and a stop lets nothing follow it.
    if (isStopped) return endRun(tx, conversation, { status: "done", answer })
    if (more === undefined) return answered(tx, conversation, answer, settings)
    continueRun(tx, conversation, id, more, settings)
  })
}

/** All calls of the turn have ended: the next turn, or after a stop or a hook's word the end of the run. */
export function settleTools(core: Core, task: Task, why: string | undefined): Receipt<void> {
  const isStopped = liveTask(core, task.id)?.abort != null
  return core.ledger.commit(isStopped || why !== undefined ? "flushed" : "relaxed", (tx) => {
    if (!isStopped && why !== undefined) {
      const { conversation } = task
      tx.setTask(task.id, { status: "completed", outcome: {} })
      append(tx, { conversation }, { kind: "notice", level: "error", code: "stopped_after_turn", text: why })
      return endRun(tx, conversation, { status: "unanswered", reason: "stopped_after_turn" })
    }
    if (isStopped) {
      tx.setTask(task.id, { status: "aborted", outcome: { reason: "aborted" } })
      return endRun(tx, task.conversation, { status: "unanswered", reason: "aborted" })
    }
    tx.setTask(task.id, { status: "completed", outcome: {} })
    nextTurn(tx, task.conversation, core.options.settings)
  })
}

/** Work whose code is not here, and that somebody stopped: nobody can say more of it than that. */
export function settleOrphan(core: Core, task: Task): Receipt<void> {
  return core.ledger.commit("flushed", (tx) => {
    const { conversation, id, kind } = task
    tx.setTask(id, { status: "orphaned", outcome: { reason: "no_code" } })
    const text = "This program does not have the code of this step: a newer one, or an extension, had begun it."
    if (kind === callKind) return addResult(tx, task, callInput(task), "unknown", text)
    append(tx, { conversation }, { kind: "notice", level: "error", code: "orphaned", text })
    if (kind === generationKind) endRun(tx, conversation, { status: "unanswered", reason: "aborted" })
  })
}

/** A bug in the engine or below: the run ends, and says so; a call has a result that says so, and the run goes on. */
export function settleFault(core: Core, task: Task, text: string): Receipt<void> {
  return core.ledger.commit("flushed", (tx) => {
    const { conversation, id } = task
    if (task.kind === callKind) addResult(tx, task, callInput(task), "failed", text)
    else append(tx, { conversation }, { kind: "notice", level: "error", code: "faulted", text })
    tx.setTask(id, { status: "faulted", outcome: { reason: "faulted" } })
    if (task.kind !== generationKind) return
    for (const owned of [...tx.live.tasks.values()].filter(({ owner, abort }) => owner === id && abort === null)) {
      tx.setTask(owned.id, { abort: { reason: "faulted" } })
    }
    endRun(tx, conversation, { status: "unanswered", reason: "faulted" })
  })
}
