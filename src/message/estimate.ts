/**
 * Tokens without a tokenizer: near enough to decide when a window fills, never used for money.
 *
 * - Code and English have about four characters a token, other alphabets about two, ideographs, kana and hangul about one.
 * - An estimate grows with every character, so a longer text never counts less than its beginning.
 */
import type { AssistantPart, Message, UserPart } from "./message.ts"

/** What the large vendors charge for a picture of about a megapixel. */
export const imageTokens = 1_200
/** Role, separators and ids around each message. */
export const messageTokens = 4

const asciiEnd = 0x80
const ideographStart = 0x2e80

export function estimateText(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    quarters += unit < asciiEnd ? 1 : unit < ideographStart ? 2 : 4
  }
  return Math.ceil(quarters / 4)
}

function estimatePart(part: UserPart | AssistantPart): number {
  switch (part.type) {
    case "text":
      return estimateText(part.text)
    case "thinking":
      return estimateText(part.thinking)
    case "image":
      return imageTokens
    case "toolCall":
      return estimateText(part.name) + estimateText(part.argumentsError ?? JSON.stringify(part.arguments))
  }
}

export function estimateMessage(message: Message): number {
  return message.content.reduce((sum, part) => sum + estimatePart(part), messageTokens)
}

export function estimateMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0)
}

/** A whole request: system prompt, tools as JSON, messages. */
export function estimateRequest(request: {
  readonly system: string
  readonly tools: readonly unknown[]
  readonly messages: readonly Message[]
}): number {
  const tools = request.tools.length === 0 ? 0 : estimateText(JSON.stringify(request.tools))
  return estimateText(request.system) + tools + estimateMessages(request.messages)
}
