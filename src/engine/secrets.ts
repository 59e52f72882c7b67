/**
 * What the person wants taken out, taken out of what is said: of inputs before they are stored, of answers before they become entries.
 *
 * - A model is told what is stored, so that it never hears what was taken out of an input.
 * - The arguments of a call stay as they are: they are what runs. Results are cleaned where they end (`call-result.ts`).
 * - A seal is of the text that it came with: where that changes, the seal goes.
 */
import type { Partial } from "../message/delta.ts"
import type { AssistantPart, UserPart } from "../message/message.ts"
import type { Command } from "../protocol/port.ts"
import { ProviderError } from "../providers/provider.ts"
import type { Redact } from "../std/redact.ts"

function cleanUserParts(parts: readonly UserPart[], redact: Redact): readonly UserPart[] {
  return parts.map((part) => (part.type === "text" ? { ...part, text: redact(part.text) } : part))
}

function cleanPart(part: AssistantPart, redact: Redact): AssistantPart {
  if (part.type === "text") {
    const text = redact(part.text)
    return text === part.text ? part : { type: "text", text }
  }
  if (part.type === "thinking") {
    const thinking = redact(part.thinking)
    return thinking === part.thinking ? part : { type: "thinking", thinking }
  }
  return part
}

export function cleanPartial(partial: Partial, redact: Redact): Partial {
  return { ...partial, parts: partial.parts.map((open) => ({ ...open, part: cleanPart(open.part, redact) })) }
}

export function cleanParts(parts: readonly AssistantPart[], redact: Redact): readonly AssistantPart[] {
  return parts.map((part) => cleanPart(part, redact))
}

/** A failure whose words are those of a server, which may have repeated what it was sent. */
export function cleanError(error: ProviderError, redact: Redact | undefined): ProviderError {
  const message = redact?.(error.message) ?? error.message
  if (message === error.message) return error
  const { kind, reason, retryAfterMs, status } = error
  return new ProviderError(kind, reason, message, { retryAfterMs, status })
}

/** A command as it is carried out. */
export function cleanCommand(command: Command, redact: Redact): Command {
  switch (command.type) {
    case "submit":
      return { ...command, content: cleanUserParts(command.content, redact) }
    case "amend":
      return command.content === undefined ? command : { ...command, content: cleanUserParts(command.content, redact) }
    case "title":
      return { ...command, title: redact(command.title) }
    case "label":
      return { ...command, label: redact(command.label) }
    case "compact":
      return command.focus === undefined ? command : { ...command, focus: redact(command.focus) }
    default:
      return command
  }
}
