/** Which work waits for a person, and why. Pure. */
import type { Task } from "../ledger/records.ts"
import type { HeldState } from "../protocol/port.ts"
import { taskVersions } from "./task.ts"

/** Quick deaths at one checkpoint after which a task is set aside. */
export const restartsMax = 3

/** True where this build has the code of a task. */
export function isKnown(task: Pick<Task, "kind" | "version">): boolean {
  return (taskVersions[task.kind] ?? -1) >= task.version
}

/** True where the hosts of a task died at it again and again; a stop of it can still be carried out. */
export function isSetAside(task: Pick<Task, "restarts" | "abort">): boolean {
  return task.restarts >= restartsMax && task.abort === null
}

/** What is told of work that does not go on by itself; null where all of it does. `held`: nobody has said yet that old work may go on. */
export function heldState(live: Iterable<Task>, held: boolean): HeldState | null {
  const tasks = [...live]
  const since = Math.min(...tasks.map((task) => task.startedAt))
  if (tasks.some((task) => !isKnown(task)))
    return {
      because: "code",
      reason: "This session has work of a newer Cairn, or of an extension that is not here.",
      since,
    }
  if (tasks.some(isSetAside)) {
    const reason = `A step of this session's work has ended its program ${restartsMax} times in a row.`
    return { because: "crashes", reason, since }
  }
  if (!held || tasks.length === 0) return null
  return { because: "old", reason: "This session has work that was interrupted.", since }
}
