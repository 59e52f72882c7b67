/** Which call the output panel is about, and what is known of it. */
import type { CallWork, EntryRecord, TaskRecord, ToolResultEntry } from "../../protocol/records.ts"
import type { JsonObject } from "../../std/json.ts"
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

/** The calls of a conversation that have ended, by their tasks, oldest first. */
function endedTasks(view: View, conversation: number): readonly number[] {
  return view.entries.flatMap(({ data, conversation: of }) =>
    of === conversation && data.kind === "toolResult" && "task" in data ? [data.task] : [],
  )
}

/** The call before (-1) or after (1) `task`; null: the newest, which is then followed. Undefined where there is none. */
export function nextCall(view: View, conversation: number, task: number, by: -1 | 1): number | null | undefined {
  const tasks = endedTasks(view, conversation)
  const at = tasks.indexOf(task)
  if (at < 0) return by < 0 ? tasks.at(-1) : undefined
  return tasks[at + by] ?? (by > 0 ? null : undefined)
}

/** What the call was given, where the answer that made it is loaded. */
export function argsOf(target: ToolTarget, { entries }: Pick<View, "entries">): JsonObject | null {
  if (target.kind === "running") return target.task.work.args
  const { toolCallId } = target.data.message
  for (const { data } of entries.toReversed()) {
    if (data.kind !== "assistant" || !("message" in data)) continue
    const found = data.message.content.find((part) => part.type === "toolCall" && part.id === toolCallId)
    if (found?.type === "toolCall") return found.arguments
  }
  return null
}

export function targetTask(target: ToolTarget): number {
  return target.kind === "running" ? target.task.id : target.data.task
}
