/** The flags that a screen hands to the host that it starts. A key is not among them: a command line is for everybody to see. */
import type { RunFlags } from "./args.ts"

function pair(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`]
}

export function hostFlags(run: RunFlags): readonly string[] {
  return [
    ...pair("model", run.model),
    ...pair("thinking", run.thinking),
    ...pair("name", run.name),
    ...pair("tools", run.tools?.join(",")),
    ...pair("exclude-tools", run.excludeTools.length > 0 ? run.excludeTools.join(",") : undefined),
    ...pair("system-prompt", run.systemPrompt),
    ...run.appendSystemPrompt.flatMap((text) => pair("append-system-prompt", text)),
    ...(run.contextFiles ? [] : ["--no-context-files"]),
    ...(run.approve ? ["--approve"] : []),
    ...(run.deny ? ["--no-approve"] : []),
    ...(run.takeOver ? ["--take-over"] : []),
    ...(run.session.kind === "memory" ? ["--no-session"] : []),
  ]
}
