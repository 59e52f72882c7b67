/** Waiting for a task that a command has made. */
import { isLive, type Task, type TaskId } from "../ledger/records.ts"
import type { Core } from "./core.ts"
import { Refusal } from "../protocol/port.ts"

/** The task as it ended. Throws {@link Refusal} where the session takes nothing more before that. */
export function taskEnded(core: Core, id: TaskId): Promise<Task> {
  return new Promise((resolve, reject) => {
    const unwatch = core.ledger.watch((commit) => {
      for (const change of commit.changes) {
        if (change.type !== "task" || change.task.id !== id || isLive(change.task)) continue
        stop()
        resolve(change.task)
      }
    })
    const unhealth = core.ledger.watchHealth((health) => {
      if (health.state !== "poisoned" && health.state !== "read-only") return
      stop()
      reject(new Refusal("not_stored", `The session takes nothing now: ${health.reason}.`))
    })
    const stop = (): void => {
      unwatch()
      unhealth()
    }
  })
}
