/**
 * A streamed response, piece by piece.
 *
 * - `contentIndex` is the place of the part in `AssistantMessage.content`; parts start in rising order and never reopen once ended.
 * - Folding every delta of a response gives its content; a response cut anywhere folds to what had come so far.
 * - `toolcall_delta` carries raw argument text, which is JSON only when the call has ended. `usage` replaces the last one.
 * - `toolcall_end`, `text_end` and `thinking_end` carry the final part, which rules over what the deltas built.
 */
import type { AssistantPart, TextPart, ThinkingPart, ToolCallPart } from "./message.ts"
import type { Usage } from "./usage.ts"

export type Delta =
  | { readonly type: "text_start"; readonly contentIndex: number }
  | { readonly type: "text_delta"; readonly contentIndex: number; readonly delta: string }
  | { readonly type: "text_end"; readonly contentIndex: number; readonly part: TextPart }
  | { readonly type: "thinking_start"; readonly contentIndex: number }
  | { readonly type: "thinking_delta"; readonly contentIndex: number; readonly delta: string }
  | { readonly type: "thinking_end"; readonly contentIndex: number; readonly part: ThinkingPart }
  | { readonly type: "toolcall_start"; readonly contentIndex: number; readonly id: string; readonly toolName: string }
  | { readonly type: "toolcall_delta"; readonly contentIndex: number; readonly delta: string }
  | { readonly type: "toolcall_end"; readonly contentIndex: number; readonly part: ToolCallPart }
  | { readonly type: "usage"; readonly usage: Usage }

/** A part that is still being written; `argumentsText` is the raw text of a call's arguments so far. */
export type PartialPart = { readonly part: AssistantPart; readonly argumentsText?: string; readonly ended: boolean }

export type Partial = { readonly parts: readonly PartialPart[]; readonly usage?: Usage }

export const emptyPartial: Partial = { parts: [] }

function put(partial: Partial, index: number, part: PartialPart): Partial {
  const parts = partial.parts.slice()
  parts[index] = part
  return { ...partial, parts }
}

/** `partial` and one more delta. A delta for a part that never started starts it, so a cut or joined stream still folds. */
export function fold(partial: Partial, delta: Delta): Partial {
  if (delta.type === "usage") return { ...partial, usage: delta.usage }
  const before = partial.parts[delta.contentIndex]
  switch (delta.type) {
    case "text_start":
      return put(partial, delta.contentIndex, { part: { type: "text", text: "" }, ended: false })
    case "thinking_start":
      return put(partial, delta.contentIndex, { part: { type: "thinking", thinking: "" }, ended: false })
    case "toolcall_start": {
      const part: ToolCallPart = { type: "toolCall", id: delta.id, name: delta.toolName, arguments: {} }
      return put(partial, delta.contentIndex, { part, argumentsText: "", ended: false })
    }
    case "text_delta": {
      const text = before?.part.type === "text" ? before.part.text : ""
      return put(partial, delta.contentIndex, { part: { type: "text", text: text + delta.delta }, ended: false })
    }
    case "thinking_delta": {
      const thinking = before?.part.type === "thinking" ? before.part.thinking : ""
      const part: ThinkingPart = { type: "thinking", thinking: thinking + delta.delta }
      return put(partial, delta.contentIndex, { part, ended: false })
    }
    case "toolcall_delta": {
      const part: ToolCallPart =
        before?.part.type === "toolCall" ? before.part : { type: "toolCall", id: "", name: "", arguments: {} }
      const argumentsText = (before?.argumentsText ?? "") + delta.delta
      return put(partial, delta.contentIndex, { part, argumentsText, ended: false })
    }
    case "text_end":
    case "thinking_end":
    case "toolcall_end":
      return put(partial, delta.contentIndex, {
        part: delta.part,
        argumentsText: before?.argumentsText,
        ended: true,
      })
  }
}
