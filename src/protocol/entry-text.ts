/**
 * What an entry says, as plain texts: what is searched, within a session and over all of them. Pure.
 *
 * - Everything that was said or printed is here once; a prompt to the model is not, since nobody said it.
 * - Text is as it was stored: it is cleaned where it is shown.
 */
import type { AssistantPart, UserPart } from "../message/message.ts"
import { isObject, stableText, type Json } from "../std/json.ts"
import { silentKinds, type EntryData, type EntryRecord } from "./records.ts"

export const textKinds = ["input", "answer", "thinking", "call", "output", "note"] as const
export type TextKind = (typeof textKinds)[number]

export type EntryText = { readonly kind: TextKind; readonly text: string }

function partsText(parts: readonly UserPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

/** The texts in a call's arguments, whatever their names: commands, paths, contents. */
function argumentTexts(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap((item: Json) => argumentTexts(item))
  return isObject(value) ? Object.values(value).flatMap(argumentTexts) : []
}

function partText(part: AssistantPart): EntryText {
  switch (part.type) {
    case "text":
      return { kind: "answer", text: part.text }
    case "thinking":
      return { kind: "thinking", text: part.redacted === true ? "" : part.thinking }
    case "toolCall":
      return { kind: "call", text: [part.name, ...argumentTexts(part.arguments)].join("\n") }
  }
}

function textsOf(data: EntryData): readonly EntryText[] {
  switch (data.kind) {
    case "user":
      return [{ kind: "input", text: partsText(data.content) }]
    case "assistant":
      return [...data.message.content.map(partText), { kind: "note", text: data.message.errorMessage ?? "" }]
    case "toolResult":
      return [{ kind: "output", text: partsText(data.message.content) }]
    case "shell":
      return [
        { kind: "input", text: data.command },
        { kind: "output", text: data.output },
      ]
    case "notice":
      return [{ kind: "note", text: data.text }]
    case "compaction":
      return [{ kind: "note", text: data.summary }]
    case "prompt":
    case "model":
    case "undo":
      return []
  }
}

function isKnown(data: EntryRecord["data"]): data is EntryData {
  return !data.kind.startsWith("?")
}

/** The texts of an entry, in the order in which they are shown; empty ones are left out. */
export function entryTexts(data: EntryRecord["data"]): readonly EntryText[] {
  if (isKnown(data)) return textsOf(data).filter(({ text }) => text !== "")
  if (silentKinds.has(data.kind)) return []
  const value: unknown = "value" in data ? data.value : {}
  return [{ kind: "note", text: stableText(isObject(value) ? value : {}) }]
}
