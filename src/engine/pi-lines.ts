/**
 * One line of a pi session file as one entry of ours. Pure.
 *
 * - Kinds that say the same become ours; any other line is kept whole under `pi.<type>`, and is out of every context.
 * - A choice of model and one of thinking are two lines there and one entry here: each carries what the other was.
 */
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import { thinkingLevels, type ThinkingLevel } from "../message/message.ts"
import { keptKind, leafType, ownType } from "../protocol/pi-export.ts"

export type Choice = { readonly model: string; readonly thinking: ThinkingLevel }

export type EntryFields = { readonly kind: string; readonly head: number | "self" | null; readonly data: JsonObject }

type Found = { readonly fields: EntryFields; readonly choice: Choice }

function kept(line: JsonObject): EntryFields {
  const { type, id: _, parentId: __, timestamp: ___, ...data } = line
  return { kind: `${keptKind}${String(type)}`, head: null, data }
}

function entry(kind: string, data: JsonObject, head: EntryFields["head"] = null): EntryFields {
  return { kind, head, data }
}

/** Content is a text or a list of parts there. */
function parts(content: Json | undefined): Json {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])
}

function textFrom(content: Json | undefined): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part: Json) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("\n")
}

function number(value: Json | undefined): number {
  return typeof value === "number" ? value : 0
}

function thinkingOf(value: Json | undefined, before: ThinkingLevel): ThinkingLevel {
  return (thinkingLevels as readonly unknown[]).includes(value) ? (value as ThinkingLevel) : before
}

function messageFields(line: JsonObject, message: JsonObject, ids: ReadonlyMap<string, number>): EntryFields {
  switch (message["role"]) {
    case "user":
      return entry("user", { content: parts(message["content"]), submission: 0 })
    case "assistant":
      return isObject(message["usage"]) && Array.isArray(message["content"])
        ? entry("assistant", { message, attempt: 1 })
        : kept(line)
    case "toolResult": {
      const { details, durationMs, ...rest } = message
      const title = String(message["toolName"])
      const outcome = message["isError"] === true ? "failed" : "done"
      const result = { ...rest, content: parts(message["content"]) }
      return entry("toolResult", { message: result, task: 0, outcome, title, details, durationMs: number(durationMs) })
    }
    case "bashExecution": {
      const { command, output, exitCode, excludeFromContext } = message
      const exit = typeof exitCode === "number" ? exitCode : null
      const said = { command: String(command), output: String(output ?? ""), exit, durationMs: 0 }
      return entry("shell", { ...said, excluded: excludeFromContext === true })
    }
    case "custom":
    case "hookMessage":
      return customFields(message)
    case "compactionSummary":
      return entry(
        "compaction",
        { summary: textFrom(message["summary"]), tokensBefore: number(message["tokensBefore"]) },
        "self",
      )
    case "branchSummary":
      return entry("compaction", { summary: textFrom(message["summary"]), tokensBefore: 0, branch: ids.size })
    default:
      return kept(line)
  }
}

function customFields({ customType, content, display, details }: JsonObject): EntryFields {
  const custom = { customType: String(customType), display: display !== false, details }
  return entry("user", { content: parts(content), submission: 0, custom })
}

/** What a line becomes, and the choice of model behind it; null for one that is no entry: it is elsewhere in our records. */
export function piData(line: JsonObject, before: Choice, ids: ReadonlyMap<string, number>): Found | null {
  const same = (fields: EntryFields): Found => ({ fields, choice: before })
  switch (line["type"]) {
    case "message":
      return same(isObject(line["message"]) ? messageFields(line, line["message"], ids) : kept(line))
    case "model_change": {
      const choice = { ...before, model: `${String(line["provider"])}/${String(line["modelId"])}` }
      return { fields: entry("model", { ...choice, only: "model" }), choice }
    }
    case "thinking_level_change": {
      const choice = { ...before, thinking: thinkingOf(line["thinkingLevel"], before.thinking) }
      return { fields: entry("model", { ...choice, only: "thinking" }), choice }
    }
    case "compaction": {
      const head = ids.get(String(line["firstKeptEntryId"])) ?? "self"
      return same(
        entry("compaction", { summary: textFrom(line["summary"]), tokensBefore: number(line["tokensBefore"]) }, head),
      )
    }
    case "branch_summary":
      return same(entry("compaction", { summary: textFrom(line["summary"]), tokensBefore: 0, branch: 0 }))
    case "custom_message":
      return same(customFields(line))
    case "custom": {
      const type = String(line["customType"])
      if (type === leafType) return null
      const own = type.startsWith(ownType) && isObject(line["data"]) ? line["data"] : null
      return same(own === null ? kept(line) : entry(type.slice(ownType.length), own))
    }
    default:
      return same(kept(line))
  }
}
