/** What a conversation's model is told, part by part, with an estimate of what each takes of its window. */
import { estimateText } from "../message/estimate.ts"
import type { ContextPart, ContextRecord } from "../protocol/port.ts"
import type { Core } from "./core.ts"
import { readDocument } from "./documents.ts"
import { dataOf } from "./entries.ts"
import { toolSpecs } from "./request.ts"

export async function contextRecord(core: Core, conversation: number): Promise<ContextRecord> {
  const { ledger, options } = core
  const agent = readDocument(ledger.live, conversation, "agent")
  const prompt = readDocument(ledger.live, conversation, "prompt")
  const usage = readDocument(ledger.live, conversation, "usage")
  const entry = prompt === undefined ? undefined : await ledger.entry(prompt.entry)
  const stored = entry === undefined ? undefined : dataOf(entry)
  const specs = agent === undefined ? [] : toolSpecs(core, agent)
  const tools = specs.map((tool): ContextPart => ({
    kind: "tool",
    name: tool.name,
    tokens: estimateText(JSON.stringify(tool)),
  }))
  const names = specs.map((tool) => tool.name)
  const system = stored?.kind === "prompt" ? stored.system : options.instructions.system(names)
  const { files, skills = [] } = options.instructions
  const told = [
    ...files.map(({ path, tokens }): ContextPart => ({ kind: "file", name: path, tokens })),
    ...skills.map(({ name, tokens }): ContextPart => ({ kind: "skill", name, tokens })),
  ]
  const whole = estimateText(system)
  const base = Math.max(0, whole - sum(told))
  const tokens = whole + sum(tools)
  const said = Math.max(0, (usage?.context ?? 0) - tokens)
  const parts: readonly ContextPart[] = [
    { kind: "prompt", name: "instructions", tokens: base },
    ...told,
    ...tools,
    { kind: "conversation", name: "conversation", tokens: said },
  ]
  return { system, tokens, parts, window: usage?.contextWindow ?? null }
}

function sum(parts: readonly ContextPart[]): number {
  return parts.reduce((total, { tokens }) => total + tokens, 0)
}
