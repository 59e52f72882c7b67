/**
 * The stored conversation as one target may see it. Derived at each request; the stored messages are not touched.
 *
 * - Order and pairing come from `message/order.ts`; what goes along to which model is the table in `handoff.ts`.
 * - Call ids are mapped into the target's alphabet, the same in call and result, unique in the whole conversation.
 * - The outcome is deterministic and depends on earlier messages only, so that prompt caches keep their hits.
 * - Nothing empty, blank or malformed is left, and the last message is never the assistant's.
 */
import { createHash } from "node:crypto"
import { wellFormed, type JsonObject } from "../std/json.ts"
import {
  callsOf,
  type AssistantMessage,
  type AssistantPart,
  type Message,
  type ThinkingPart,
  type ToolCallPart,
  type ToolResultMessage,
  type UserPart,
} from "../message/message.ts"
import { orderMessages } from "../message/order.ts"
import { goes } from "./handoff.ts"
import type { Model } from "./model.ts"
import type { ToolSpec } from "./provider.ts"

/** What a format takes as the id of a call. `fit` is asked first: an id that fits and is new stays as it is. */
export type IdRule = { readonly fits: RegExp; make(hash: string): string }

export const plainIds: IdRule = { fits: /^[a-zA-Z0-9_-]{1,40}$/, make: (hash) => `call_${hash.slice(0, 24)}` }
export const anthropicIds: IdRule = { fits: /^[a-zA-Z0-9_-]{1,64}$/, make: (hash) => `toolu_${hash.slice(0, 24)}` }
export const responsesIds: IdRule = { fits: /^[a-zA-Z0-9_-]{1,64}$/, make: (hash) => `call_${hash.slice(0, 24)}` }
export const nineIds: IdRule = { fits: /^[a-zA-Z0-9]{9}$/, make: (hash) => hash.slice(0, 9) }

export const imagePlaceholder = "(an image was here; this model takes no images)"
const emptyResult = "(no output)"
const goOn = "Continue."

class Ids {
  readonly #rule: IdRule
  readonly #used = new Set<string>()
  constructor(rule: IdRule) {
    this.#rule = rule
  }

  /** The target's id for the next call whose own id is `id`. */
  next(id: string): string {
    if (this.#rule.fits.test(id) && !this.#used.has(id)) {
      this.#used.add(id)
      return id
    }
    for (let count = 0; ; count++) {
      const made = this.#rule.make(createHash("sha256").update(`${count}:${id}`).digest("hex"))
      if (this.#used.has(made)) continue
      this.#used.add(made)
      return made
    }
  }
}

function isBlank(text: string): boolean {
  return text.trim() === ""
}

function userParts(parts: readonly UserPart[], images: boolean): readonly UserPart[] {
  const kept: UserPart[] = []
  for (const part of parts) {
    if (part.type === "image" && images) kept.push(part)
    else if (part.type === "text" && !isBlank(part.text)) kept.push({ type: "text", text: part.text.toWellFormed() })
    else if (part.type === "image") {
      const last = kept.at(-1)
      const repeated = last?.type === "text" && last.text === imagePlaceholder
      if (!repeated) kept.push({ type: "text", text: imagePlaceholder })
    }
  }
  return kept
}

/** Tool names of other hosts may hold dots or be too long. */
export function toolName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64)
  return clean === "" ? "unknown" : clean
}

function callFor(call: ToolCallPart, id: string, own: boolean): ToolCallPart {
  const args = wellFormed(call.arguments) as JsonObject
  const { type, thoughtSignature } = call
  const base = { type, id, name: toolName(call.name), arguments: args }
  return goes("callSignature", own) && thoughtSignature !== undefined
    ? { ...base, thoughtSignature: thoughtSignature.toWellFormed() }
    : base
}

function thinkingFor(part: ThinkingPart): ThinkingPart {
  const { thinkingSignature: signature } = part
  const clean = { ...part, thinking: part.thinking.toWellFormed() }
  return signature === undefined ? clean : { ...clean, thinkingSignature: signature.toWellFormed() }
}

/** Calls last where others said it, since several formats take nothing between calls and results; own words keep their order. */
function assistantParts(message: AssistantMessage, ids: Ids, own: boolean): readonly AssistantPart[] {
  const parts = message.content.flatMap((part): readonly AssistantPart[] => {
    switch (part.type) {
      case "toolCall":
        return [callFor(part, ids.next(part.id), own)]
      case "text": {
        const signature = goes("textSignature", own) ? part.textSignature : undefined
        if (isBlank(part.text) && signature === undefined) return []
        const text = part.text.toWellFormed()
        if (signature === undefined) return [{ type: "text", text }]
        return [{ type: "text", text, textSignature: signature.toWellFormed() }]
      }
      case "thinking":
        return goes(part.redacted === true ? "redactedThinking" : "thinking", own) ? [thinkingFor(part)] : []
    }
  })
  if (own) return parts
  return [...parts.filter((part) => part.type !== "toolCall"), ...parts.filter((part) => part.type === "toolCall")]
}

function resultFor(message: ToolResultMessage, id: string, images: boolean): ToolResultMessage {
  const content = userParts(message.content, images)
  return {
    ...message,
    toolCallId: id,
    toolName: toolName(message.toolName),
    content: content.length > 0 ? content : [{ type: "text", text: emptyResult }],
  }
}

/** Whether this very provider, api and model said it: only then may what it signed go back. */
export function isOwn(message: AssistantMessage, model: Pick<Model, "provider" | "api" | "id">): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id
}

/** `messages` for `model`, whose format takes call ids by `rule`. */
export function historyFor(messages: readonly Message[], model: Model, rule: IdRule): readonly Message[] {
  const ids = new Ids(rule)
  const images = model.input.includes("image")
  const view: Message[] = []
  /** The mapped ids of the calls whose results come next, in order. */
  let due: string[] = []
  for (const message of orderMessages(messages)) {
    if (message.role === "toolResult") {
      view.push(resultFor(message, due.shift() ?? ids.next(message.toolCallId), images))
      continue
    }
    if (message.role === "user") {
      const content = userParts(message.content, images)
      if (content.length > 0) view.push({ ...message, content })
      continue
    }
    const content = assistantParts(message, ids, isOwn(message, model))
    due = content.filter((part) => part.type === "toolCall").map((part) => part.id)
    if (content.some((part) => part.type !== "thinking")) view.push({ ...message, content })
  }
  const last = view.at(-1)
  if (last?.role === "assistant")
    view.push({ role: "user", content: [{ type: "text", text: goOn }], timestamp: last.timestamp })
  return view
}

/** `tools`, or where none are on offer those that `history` calls, for hosts that want calls explained. They can be called in vain only. */
export function toolsFor(tools: readonly ToolSpec[], history: readonly Message[]): readonly ToolSpec[] {
  if (tools.length > 0) return tools
  const called = history.flatMap((message) => (message.role === "assistant" ? callsOf(message) : []))
  return [...new Set(called.map(({ name }) => name))].map((name) => ({
    name,
    description: "Not on offer now: do not call it.",
    parameters: { type: "object", properties: {} },
  }))
}
