/** One transcript entry to what it shows: none, one, or one for each part of a response. */
import type { AssistantPart, ImagePart, UserPart } from "../../message/message.ts"
import { silentKinds, type AssistantEntry, type EntryRecord, type ToolResultEntry } from "../../protocol/records.ts"
import type { JsonObject } from "../../std/json.ts"
import { undoText } from "../../protocol/undo-text.ts"
import type { BlockData } from "./block.ts"

export type OpenCall = { readonly place: number; readonly conversation: number }

export type EntryPart = { readonly key: string; readonly data: BlockData; readonly callId: string | null }

/** What a call is about, from arguments that may be cut: the field that names it, else its first text. */
export function titleOf(args: JsonObject): string {
  for (const field of ["path", "command", "pattern", "query", "url", "file_path"]) {
    const value = args[field]
    if (typeof value === "string") return value
  }
  return Object.values(args).find((value) => typeof value === "string") ?? ""
}

/** An image as a line tells of it. */
export function imageText({ mimeType, data }: ImagePart): string {
  return `${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1024)} KB`
}

function inputOf(content: readonly UserPart[]): BlockData {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  const images = content.flatMap((part) => (part.type === "image" ? [imageText(part)] : []))
  return { kind: "input", text, images }
}

function partData(part: AssistantPart): BlockData | null {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? null : { kind: "answer", text: part.text, streaming: false }
    case "thinking":
      if (part.thinking.trim() === "" && part.redacted !== true) return null
      return { kind: "thinking", text: part.thinking, streaming: false, redacted: part.redacted === true }
    case "toolCall": {
      const { name, arguments: args } = part
      const rest = { task: null, output: "", unsaved: false, result: null, seconds: null }
      return { kind: "call", name, title: titleOf(args), state: "queued", args, ...rest }
    }
  }
}

function assistantParts(entry: EntryRecord, data: AssistantEntry): readonly EntryPart[] {
  const { message, again } = data
  if (message.stopReason === "error" || message.stopReason === "aborted") {
    const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
    const attempt: BlockData = {
      kind: "attempt",
      aborted: message.stopReason === "aborted",
      reason: message.errorMessage ?? "",
      at: entry.at,
      tokens: message.usage.output,
      again: again === true,
      text,
    }
    return [{ key: `e${entry.id}`, data: attempt, callId: null }]
  }
  const stem = entry.byTask === null ? `e${entry.id}` : `t${entry.byTask}`
  const parts = message.content.flatMap((part, place): readonly EntryPart[] => {
    const shown = partData(part)
    const callId = part.type === "toolCall" ? part.id : null
    return shown === null ? [] : [{ key: `${stem}.${place}`, data: shown, callId }]
  })
  if (message.stopReason !== "length") return parts
  const text = `The answer was cut at the output limit of ${message.usage.output} tokens. Ask for the rest, or raise maxTokens of the model.`
  return [...parts, { key: `e${entry.id}.cut`, data: { kind: "notice", level: "warning", text }, callId: null }]
}

/** A result whose call is not on the page: the call itself is older than what is held. */
function loneResult(data: ToolResultEntry): BlockData {
  const { message, title, task, outcome } = data
  const rest = { args: {}, output: "", unsaved: false, seconds: null }
  return { kind: "call", name: message.toolName, title, state: outcome, task, result: data, ...rest }
}

export function entryParts(entry: EntryRecord): readonly EntryPart[] {
  const { data } = entry
  const one = (shown: BlockData): readonly EntryPart[] => [{ key: `e${entry.id}`, data: shown, callId: null }]
  switch (data.kind) {
    case "user":
      return one(inputOf(data.content))
    case "assistant":
      return assistantParts(entry, data)
    case "toolResult":
      return one(loneResult(data))
    case "notice":
      return one({ kind: "notice", level: data.level, text: data.text })
    case "prompt":
      return []
    case "model":
      return one({ kind: "model", model: data.model, thinking: data.thinking })
    case "shell": {
      const { command, output, exit, excluded, durationMs, outcome } = data
      return one({ kind: "shell", command, output, exit, excluded, durationMs, outcome })
    }
    case "undo":
      return one({ kind: "notice", level: "info", text: undoText(data) })
    case "compaction":
      return one({
        kind: "compaction",
        summary: data.summary,
        tokensBefore: data.tokensBefore,
        branch: data.branch ?? null,
      })
    default:
      if (silentKinds.has(data.kind)) return []
      return one({ kind: "unknown", name: data.kind.slice(1), value: data.value })
  }
}
