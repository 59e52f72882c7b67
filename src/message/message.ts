/**
 * What a conversation says, in our own words; the four wire formats are translations of this.
 *
 * - Names and shapes follow pi's session format (version 3), so that its clients and files read the same.
 * - A stored message is never rewritten: it keeps what the provider gave (ids, signatures, encrypted reasoning) and which
 *   `provider`, `api` and `model` gave it. What another target may see of it is derived at each request.
 * - Times are milliseconds since 1970; order is never taken from them.
 */
import type { JsonObject } from "../std/json.ts"
import type { Usage } from "./usage.ts"

export type TextPart = { readonly type: "text"; readonly text: string; readonly textSignature?: string }

/** `data` is base64 without a prefix. */
export type ImagePart = { readonly type: "image"; readonly data: string; readonly mimeType: string }

/**
 * Reasoning. `thinkingSignature` is what the provider wants back with it, byte for byte: a signature, an encrypted item or,
 * for chat completions, the name of the field it came in. `redacted` reasoning has no text that may be shown.
 */
export type ThinkingPart = {
  readonly type: "thinking"
  readonly thinking: string
  readonly thinkingSignature?: string
  readonly redacted?: boolean
}

/**
 * A call. `arguments` is always an object; where the model's text was not valid JSON it is `{}` and `argumentsError` keeps
 * the raw text: such a call is answered, never executed.
 */
export type ToolCallPart = {
  readonly type: "toolCall"
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  readonly argumentsError?: string
  readonly thoughtSignature?: string
}

export type UserPart = TextPart | ImagePart
export type AssistantPart = TextPart | ThinkingPart | ToolCallPart

/** Why a response ended. `aborted` and `error` are attempts: they stay in the transcript and out of every request. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted"

export type UserMessage = { readonly role: "user"; readonly content: readonly UserPart[]; readonly timestamp: number }

export type AssistantMessage = {
  readonly role: "assistant"
  readonly content: readonly AssistantPart[]
  readonly api: string
  readonly provider: string
  readonly model: string
  readonly responseModel?: string
  readonly responseId?: string
  readonly usage: Usage
  readonly stopReason: StopReason
  readonly rawStopReason?: string
  readonly errorMessage?: string
  readonly durationMs?: number
  readonly timestamp: number
}

export type ToolResultMessage = {
  readonly role: "toolResult"
  readonly toolCallId: string
  readonly toolName: string
  readonly content: readonly UserPart[]
  readonly isError: boolean
  readonly timestamp: number
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage

export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export type ThinkingLevel = (typeof thinkingLevels)[number]

/** The text parts of a message, joined; no reasoning, no calls, no images. */
export function textOf(message: { readonly content: readonly (UserPart | AssistantPart)[] }): string {
  return message.content
    .filter((part): part is TextPart => part.type === "text")
    .map((part) => part.text)
    .join("\n")
}

/** The calls of a message in the order in which the model made them. */
export function callsOf(message: AssistantMessage): readonly ToolCallPart[] {
  return message.content.filter((part): part is ToolCallPart => part.type === "toolCall")
}
