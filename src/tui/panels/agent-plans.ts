/** Plans that the agent keeps: the files of its conversation that it wrote and that are named like one. */
import type { View } from "../../protocol/view.ts"

/** A file that a person would take for a plan by its name. */
const planName = /(?:^|[/\\])[^/\\]*(?:plan|todo|task|checklist)[^/\\]*\.(?:md|markdown)$/i

const known = new WeakMap<View["entries"], readonly string[]>()

/** Their paths as the agent named them, oldest first. */
export function agentPlans({ entries }: Pick<View, "entries">): readonly string[] {
  const before = known.get(entries)
  if (before !== undefined) return before
  const paths = entries.flatMap(({ data }) => {
    if (data.kind !== "toolResult" || !("message" in data)) return []
    const { toolName } = data.message
    const wrote = (toolName === "write" || toolName === "edit") && data.outcome === "done"
    return wrote && planName.test(data.title) ? [data.title] : []
  })
  const plans = [...new Set(paths)]
  known.set(entries, plans)
  return plans
}
