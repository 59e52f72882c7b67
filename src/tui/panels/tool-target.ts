/** Which call the output panel is about, and what is known of it. */
import type { CallWork, EntryRecord, TaskRecord, ToolResultEntry } from "../../protocol/records.ts"
import type { View } from "../../protocol/view.ts"

export type CallTask = TaskRecord & { readonly work: CallWork }

export type ToolTarget =
  | { readonly kind: "running"; readonly task: CallTask }
  | { readonly kind: "ended"; readonly entry: EntryRecord; readonly data: ToolResultEntry }

function isCall(task: TaskRecord): task is CallTask {
  return task.work.kind === "toolCall"
}

function ended(view: View, wanted: (data: ToolResultEntry, entry: EntryRecord) => boolean): ToolTarget | null {
  for (let place = view.entries.length - 1; place >= 0; place--) {
    const entry = view.entries[place]
    if (entry?.data.kind === "toolResult" && wanted(entry.data, entry)) {
      return { kind: "ended", entry, data: entry.data }
    }
  }
  return null
}

/** The call that was chosen, or without a choice the newest that runs, or the newest that has ended. */
export function toolTarget(view: View, conversation: number, chosen: number | null): ToolTarget | null {
  if (chosen !== null) {
    const task = view.tasks.get(chosen)
    if (task !== undefined && isCall(task)) return { kind: "running", task }
    return ended(view, (data) => data.task === chosen)
  }
  const running = [...view.tasks.values()]
    .filter(isCall)
    .filter((task) => task.conversation === conversation && task.work.phase === "execute")
    .sort((a, b) => b.id - a.id)[0]
  if (running !== undefined) return { kind: "running", task: running }
  return ended(view, (_, entry) => entry.conversation === conversation)
}

export function targetTask(target: ToolTarget): number {
  return target.kind === "running" ? target.task.id : target.data.task
}
