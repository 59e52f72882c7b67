/**
 * What a session, or many, took: answers, tokens and money by model, calls and time by tool. A pure fold of entries.
 *
 * - Attempts that gave no answer count with what they cost. Of an entry that several conversations see, one counts.
 */
import { estimateText } from "../message/estimate.ts"
import { addUsage, noUsage, type Usage } from "../message/usage.ts"
import type { EntryData, EntryRecord } from "./records.ts"

export type ModelStats = {
  readonly answers: number
  /** Answers that failed, were stopped or were asked for again. */
  readonly attempts: number
  readonly usage: Usage
  readonly durationMs: number
}

export type ToolStats = {
  readonly calls: number
  readonly failed: number
  readonly durationMs: number
  /** What its results took of the model's window, about. */
  readonly tokens: number
}

export type Stats = {
  readonly inputs: number
  readonly compactions: number
  readonly models: Readonly<Record<string, ModelStats>>
  readonly tools: Readonly<Record<string, ToolStats>>
}

export const noStats: Stats = { inputs: 0, compactions: 0, models: {}, tools: {} }

const noModel: ModelStats = { answers: 0, attempts: 0, usage: noUsage, durationMs: 0 }
const noTool: ToolStats = { calls: 0, failed: 0, durationMs: 0, tokens: 0 }

function isKnown(data: EntryRecord["data"]): data is EntryData {
  return !data.kind.startsWith("?")
}

function withAnswer(stats: Stats, { message }: Extract<EntryData, { kind: "assistant" }>): Stats {
  const name = `${message.provider}/${message.model}`
  const before = stats.models[name] ?? noModel
  const gave = message.stopReason !== "error" && message.stopReason !== "aborted"
  const after: ModelStats = {
    answers: before.answers + (gave ? 1 : 0),
    attempts: before.attempts + (gave ? 0 : 1),
    usage: addUsage(before.usage, message.usage),
    durationMs: before.durationMs + (message.durationMs ?? 0),
  }
  return { ...stats, models: { ...stats.models, [name]: after } }
}

function withResult(stats: Stats, result: Extract<EntryData, { kind: "toolResult" }>): Stats {
  const name = result.message.toolName
  const before = stats.tools[name] ?? noTool
  const text = result.message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  const after: ToolStats = {
    calls: before.calls + 1,
    failed: before.failed + (result.outcome === "done" || result.outcome === "reconciled" ? 0 : 1),
    durationMs: before.durationMs + result.durationMs,
    tokens: before.tokens + estimateText(text),
  }
  return { ...stats, tools: { ...stats.tools, [name]: after } }
}

/** `stats` with one entry more. */
export function addStats(stats: Stats, { data }: Pick<EntryRecord, "data">): Stats {
  if (!isKnown(data)) return stats
  switch (data.kind) {
    case "user":
      return { ...stats, inputs: stats.inputs + 1 }
    case "assistant":
      return withAnswer(stats, data)
    case "toolResult":
      return withResult(stats, data)
    case "compaction":
      return { ...stats, compactions: stats.compactions + 1 }
    default:
      return stats
  }
}

/** The part of what was sent that the provider had read before, 0 to 1; null where nothing was sent. */
export function cacheShare({ input, cacheRead, cacheWrite }: Usage): number | null {
  const sent = input + cacheRead + cacheWrite
  return sent === 0 ? null : cacheRead / sent
}
