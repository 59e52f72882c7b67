/**
 * The order that every provider accepts, whatever happened to the conversation.
 *
 * - Each call's result stands directly behind its assistant message, in the order of the calls; whatever was said meanwhile comes after.
 * - A call without a result gets an error result that says so; a result without a call is dropped.
 * - Attempts (`error`, `aborted`) contribute nothing, and neither do their results.
 * - Ids need not be unique in a conversation: a result belongs to the latest message before it that has an unanswered call of that id.
 * - The outcome for a prefix is a prefix of the outcome, but for results still to come: prompt caches keep their hits.
 */
import { callsOf, type AssistantMessage, type Message, type ToolResultMessage } from "./message.ts"

export const noResultText = "No result: the call was interrupted"

export function isAttempt(message: Message): boolean {
  return message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted")
}

type Slot = { readonly message: number; readonly call: number }

/** The result of each call, by place of its message and of the call in it. */
function pair(messages: readonly Message[]): ReadonlyMap<number, ReadonlyMap<number, ToolResultMessage>> {
  const open = new Map<string, Slot[]>()
  const found = new Map<number, Map<number, ToolResultMessage>>()
  for (const [place, message] of messages.entries()) {
    if (message.role === "assistant") {
      const fresh = Map.groupBy(callsOf(message).entries(), ([, call]) => call.id)
      for (const [id, calls] of fresh)
        open.set(id, isAttempt(message) ? [] : calls.map(([call]) => ({ message: place, call })))
    }
    if (message.role !== "toolResult") continue
    const slot = open.get(message.toolCallId)?.shift()
    if (slot === undefined) continue
    const results = found.get(slot.message) ?? new Map<number, ToolResultMessage>()
    results.set(slot.call, message)
    found.set(slot.message, results)
  }
  return found
}

function withResults(
  message: AssistantMessage,
  results: ReadonlyMap<number, ToolResultMessage> | undefined,
): readonly Message[] {
  const answers = callsOf(message).map(
    (call, place): ToolResultMessage =>
      results?.get(place) ?? {
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content: [{ type: "text", text: noResultText }],
        isError: true,
        timestamp: message.timestamp,
      },
  )
  return [message, ...answers]
}

/** `messages` as a provider may see them. */
export function orderMessages(messages: readonly Message[]): readonly Message[] {
  const results = pair(messages)
  return messages.flatMap((message, place) => {
    if (message.role === "toolResult" || isAttempt(message)) return []
    return message.role === "assistant" ? withResults(message, results.get(place)) : [message]
  })
}
