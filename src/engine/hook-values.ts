/** Whether an answer of a hook is of the shape that its seam takes. Hooks are others' code: a type is a promise that they may not keep. Pure. */
import { thinkingLevels, type Message } from "../message/message.ts"
import type { CallResult, TurnChoices } from "../protocol/hooks.ts"
import type { JsonObject } from "../std/json.ts"

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** Nothing that JSON cannot say: an answer is stored. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isPlain)
  const fields = fieldsOf(value)
  return fields !== null && Object.values(fields).every((field) => field === undefined || isPlain(field))
}

const isText = (value: unknown): value is string => typeof value === "string"
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value)

function isUserPart(value: unknown): boolean {
  const part = fieldsOf(value)
  if (part?.type === "text") return isText(part.text)
  return part?.type === "image" && isText(part.data) && isText(part.mimeType)
}

const roles: readonly unknown[] = ["user", "assistant", "toolResult"]

function isMessage(value: unknown): value is Message {
  const message = fieldsOf(value)
  return message !== null && roles.includes(message.role) && Array.isArray(message.content) && isPlain(message)
}

export function isContext(
  value: unknown,
): value is { readonly system?: string; readonly messages?: readonly Message[] } {
  const { system, messages } = fieldsOf(value) ?? { system: 0 }
  return isTextOrAbsent(system) && (messages === undefined || (Array.isArray(messages) && messages.every(isMessage)))
}

export function isTurnChoices(value: unknown): value is Partial<TurnChoices> {
  const { model, thinking, tools } = fieldsOf(value) ?? { model: 0 }
  if (!isTextOrAbsent(model)) return false
  if (thinking !== undefined && !(thinkingLevels as readonly unknown[]).includes(thinking)) return false
  return tools === undefined || (Array.isArray(tools) && tools.every(isText))
}

export function isSentence(value: unknown): value is string {
  return isText(value) && value.trim() !== ""
}

export function isGuard(value: unknown): value is { readonly block: string } | { readonly args: JsonObject } {
  const answer = fieldsOf(value)
  if (answer === null) return false
  return isText(answer.block) || (fieldsOf(answer.args) !== null && isPlain(answer.args))
}

export function isResult(value: unknown): value is CallResult {
  const result = fieldsOf(value)
  if (result === null || typeof result.isError !== "boolean" || !Array.isArray(result.content)) return false
  return result.content.every(isUserPart) && (result.details === undefined || isPlain(result.details))
}

export function isCompaction(value: unknown): value is { readonly decline: string } | { readonly summary: string } {
  const answer = fieldsOf(value)
  return answer !== null && (isText(answer.decline) || isSentence(answer.summary))
}
