/** Headers that a request bears because of its vendor, beside credentials and what the person wrote. Pure. */
import type { ModelRequest } from "./provider.ts"
import type { Quirks } from "./quirks.ts"

/** Says what to do with thinking that is bound to messages which have changed since. */
const bindingBeta = "thinking-binding-controls-2026-08-01"

function hasPictures(request: ModelRequest): boolean {
  return request.messages.some((message) => message.content.some((part) => part.type === "image"))
}

/** What GitHub bills and routes by: whether a person or the agent asks, for what, and with what kind of input. */
function copilotHeaders(request: ModelRequest): Readonly<Record<string, string>> {
  return {
    "x-initiator": request.messages.at(-1)?.role === "user" ? "user" : "agent",
    "openai-intent": "conversation-edits",
    ...(hasPictures(request) ? { "copilot-vision-request": "true" } : {}),
  }
}

/** Names in lower case. */
export function vendorHeaders(request: ModelRequest, quirks: Quirks): Readonly<Record<string, string>> {
  const { affinityHeader: affinity, requestHeaders, boundThinking } = quirks
  return {
    ...(affinity !== "" && request.cacheKey !== undefined ? { [affinity]: request.cacheKey } : {}),
    ...(requestHeaders === "copilot" ? copilotHeaders(request) : {}),
    ...(boundThinking ? { "anthropic-beta": bindingBeta } : {}),
  }
}
