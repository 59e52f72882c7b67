/**
 * Our request as a body of Anthropic messages. Pure: the same request gives the same bytes.
 *
 * - Roles alternate: neighbouring messages of one role become one. Results come first in the user message behind their calls.
 * - Thinking goes back only with the signature that this very model gave, at its place; `history.ts` has dropped all other. It may be bound to
 *   everything before it, so nothing that this model said is changed, not even white space at its end.
 * - An error result is text alone: its pictures stand behind all results.
 * - Cache marks: the tools, the system prompt, the newest message and the one before the answer to it; four, which is the most that is taken.
 */
import type { AssistantMessage, Message, ToolResultMessage, UserPart } from "../../message/message.ts"
import type { JsonObject } from "../../std/json.ts"
import { anthropicIds, historyFor, toolsFor } from "../history.ts"
import { outputLimit } from "../output-limit.ts"
import type { Encoded, ModelRequest, ToolSpec } from "../provider.ts"
import { quirksOf, type Quirks } from "../quirks.ts"
import { chooseThinking } from "../thinking.ts"

/** The format demands a limit; every model since the format began takes this one. */
const maxTokensDefault = 8_192
const budgetMin = 1_024
/** What is left for the answer beside a thinking budget. */
const answerMin = 1_024

/** Five minutes go without saying. */
function markOf({ cacheTtl }: Quirks): JsonObject {
  return { cache_control: { type: "ephemeral", ...(cacheTtl === "5m" ? {} : { ttl: cacheTtl }) } }
}

function partJson(part: UserPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text }
  return { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } }
}

/** A result, and the pictures that an error may not hold. */
function resultJson(message: ToolResultMessage): { readonly result: JsonObject; readonly rest: readonly JsonObject[] } {
  const texts = message.content.filter((part) => part.type === "text")
  const pictures = message.content.filter((part) => part.type === "image")
  const inside = message.isError ? texts : message.content
  const content = inside.length > 0 ? inside.map(partJson) : [{ type: "text", text: "(a picture follows)" }]
  const result = {
    type: "tool_result",
    tool_use_id: message.toolCallId,
    ...(message.isError ? { is_error: true } : {}),
    content,
  }
  return { result, rest: message.isError ? pictures.map(partJson) : [] }
}

function assistantBlocks(message: AssistantMessage, quirks: Quirks): readonly JsonObject[] {
  const blocks = message.content.flatMap((part): readonly JsonObject[] => {
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }]
      case "toolCall":
        return [{ type: "tool_use", id: part.id, name: part.name, input: part.arguments }]
      case "thinking": {
        const { thinking, thinkingSignature: signature = "", redacted } = part
        if (redacted === true) return signature === "" ? [] : [{ type: "redacted_thinking", data: signature }]
        if (signature === "" && !quirks.emptySignature) return []
        return [{ type: "thinking", thinking, signature }]
      }
    }
  })
  // Text behind a call is not taken; a model that said something after its calls said it before them, as far as the format goes.
  const calls = blocks.filter((block) => block.type === "tool_use")
  return [...blocks.filter((block) => block.type !== "tool_use"), ...calls]
}

type Turn = { readonly role: "user" | "assistant"; readonly blocks: readonly JsonObject[] }

function turnsOf(messages: readonly Message[], quirks: Quirks): readonly Turn[] {
  const turns: { role: Turn["role"]; blocks: JsonObject[]; behind: JsonObject[] }[] = []
  const add = (role: Turn["role"], blocks: readonly JsonObject[], behind: readonly JsonObject[] = []): void => {
    const last = turns.at(-1)
    if (last?.role === role) {
      last.blocks.push(...blocks)
      last.behind.push(...behind)
    } else turns.push({ role, blocks: [...blocks], behind: [...behind] })
  }
  for (const message of messages) {
    if (message.role === "toolResult") {
      const { result, rest } = resultJson(message)
      add("user", [result], rest)
    } else if (message.role === "assistant") add("assistant", assistantBlocks(message, quirks))
    else add("user", message.content.map(partJson))
  }
  return turns.map(({ role, blocks, behind }) => {
    const results = blocks.filter((block) => block.type === "tool_result")
    return { role, blocks: [...results, ...behind, ...blocks.filter((block) => block.type !== "tool_result")] }
  })
}

/** `turns` as messages, with a cache mark behind the two newest of the user's. */
function messagesJson(turns: readonly Turn[], quirks: Quirks): readonly JsonObject[] {
  const users = turns.flatMap((turn, place) => (turn.role === "user" ? [place] : []))
  const marked = new Set(users.slice(-2))
  const mark = markOf(quirks)
  return turns.map(({ role, blocks }, place) => ({
    role,
    content: blocks.map((block, at) => (marked.has(place) && at === blocks.length - 1 ? { ...block, ...mark } : block)),
  }))
}

const budgets: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
  max: 65_536,
}

/** Vendors name efforts from `low` on. */
function effortOf(word: string): string {
  return word === "minimal" ? "low" : word
}

function isThinking(block: JsonObject): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking"
}

/** Whether the turn that is still open, which began at the last message of the user without results, begins otherwise than with thinking. */
function beginsUnthinking(turns: readonly Turn[]): boolean {
  const begun = turns.findLastIndex(
    ({ role, blocks }) => role === "user" && blocks.every((b) => b.type !== "tool_result"),
  )
  const first = turns[begun + 1]?.blocks[0]
  return first !== undefined && !isThinking(first)
}

/** `keeps`: thinking of before goes along. */
type Thinking = { readonly fields: JsonObject; readonly keeps: boolean }

/**
 * How thinking is asked for. With a budget the vendor refuses an open turn that does not begin with thinking, such as one that another model
 * began: the rest of that turn goes without. Where thinking is off it refuses thinking of before in such a turn, so none is sent.
 */
function thinkingOf(request: ModelRequest, quirks: Quirks, maxTokens: number, turns: readonly Turn[]): Thinking {
  const thinking = chooseThinking(request.model, request.thinking)
  // Who thinks unasked takes it back.
  if (thinking === undefined) return { fields: {}, keeps: true }
  const { level, word } = thinking
  if (level === "off")
    return { fields: quirks.adaptiveThinking ? { thinking: { type: "disabled" } } : {}, keeps: false }
  const binding: JsonObject = quirks.boundThinking ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {}
  if (quirks.adaptiveThinking) {
    const adaptive = { thinking: { type: "adaptive", display: "summarized", ...binding } }
    return { fields: word === "" ? adaptive : { ...adaptive, output_config: { effort: effortOf(word) } }, keeps: true }
  }
  const budget = Math.min(budgets[level] ?? budgetMin, maxTokens - answerMin)
  if (budget < budgetMin || beginsUnthinking(turns)) return { fields: {}, keeps: false }
  return { fields: { thinking: { type: "enabled", budget_tokens: budget, ...binding } }, keeps: true }
}

function withoutThinking(turns: readonly Turn[]): readonly Turn[] {
  return turns.map(({ role, blocks }) => ({ role, blocks: blocks.filter((block) => !isThinking(block)) }))
}

function toolsJson(tools: readonly ToolSpec[], quirks: Quirks): readonly JsonObject[] {
  return tools.map(({ name, description, parameters }, place) => ({
    name,
    description,
    input_schema: parameters,
    ...(quirks.cacheTools && place === tools.length - 1 ? markOf(quirks) : {}),
  }))
}

export function encodeAnthropic(request: ModelRequest): Encoded {
  const { model, system } = request
  const quirks = quirksOf(model)
  const maxTokens = outputLimit(request) ?? maxTokensDefault
  const history = historyFor(request.messages, model, anthropicIds)
  const tools = quirks.toolsForCalls ? toolsFor(request.tools, history) : request.tools
  const turns = turnsOf(history, quirks)
  const thinking = thinkingOf(request, quirks, maxTokens, turns)
  const body: JsonObject = {
    model: model.id,
    stream: true,
    max_tokens: maxTokens,
    ...thinking.fields,
    ...quirks.body,
    ...(system.trim() === "" ? {} : { system: [{ type: "text", text: system.toWellFormed(), ...markOf(quirks) }] }),
    ...(tools.length === 0 ? {} : { tools: toolsJson(tools, quirks) }),
    messages: messagesJson(thinking.keeps ? turns : withoutThinking(turns), quirks),
  }
  return { path: "/v1/messages", body }
}
