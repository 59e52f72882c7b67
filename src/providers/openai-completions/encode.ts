/**
 * Our request as a body of chat completions. Pure: the same request gives the same bytes.
 *
 * - What every host takes is sent; what only some take stands behind a quirk. No empty lists, no nulls but the content beside calls.
 * - One system message, at the beginning. A result is text; pictures of results follow in a user message after all results of the batch.
 * - Neighbouring user messages become one: templates of local servers want roles to alternate.
 */
import {
  textOf,
  type AssistantMessage,
  type Message,
  type ToolResultMessage,
  type UserMessage,
  type UserPart,
} from "../../message/message.ts"
import type { Json, JsonObject } from "../../std/json.ts"
import { historyFor, nineIds, plainIds, toolsFor } from "../history.ts"
import { outputLimit } from "../output-limit.ts"
import type { Encoded, ModelRequest, ToolSpec } from "../provider.ts"
import { quirksOf, type Quirks } from "../quirks.ts"
import { chooseThinking, type Thinking } from "../thinking.ts"
import { readDetails, readOpaque, reasoningFields } from "./details.ts"

const afterResults = "I have the results."
const picturesOf = "Pictures from the results above:"

function partsOf(parts: readonly UserPart[]): readonly JsonObject[] {
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } },
  )
}

function userContent(parts: readonly UserPart[]): Json {
  return parts.every((part) => part.type === "text") ? parts.map((part) => part.text).join("\n\n") : partsOf(parts)
}

function reasoningOf(message: AssistantMessage, quirks: Quirks): JsonObject {
  const { reasoningReplay: replay } = quirks
  if (replay === "never" || replay === "parts") return {}
  const thoughts = message.content.filter((part) => part.type === "thinking" && part.redacted !== true)
  const text = thoughts.map((part) => (part.type === "thinking" ? part.thinking : "")).join("\n")
  const first = thoughts.find((part) => part.type === "thinking" && part.thinkingSignature !== undefined)
  const signature = first?.type === "thinking" ? (first.thinkingSignature ?? "") : ""
  const details = readDetails(signature)
  if (details !== undefined) return { reasoning_details: details }
  const opaque = readOpaque(signature)
  if (opaque !== undefined) return { ...(text === "" ? {} : { [opaque.field]: text }), reasoning_opaque: opaque.opaque }
  if (quirks.reasoningRequired) return { reasoning_content: text }
  if (text === "") return {}
  if (replay !== "same") return { [replay]: text }
  const field = reasoningFields.find((name) => name === signature)
  return field === undefined ? {} : { [field]: text }
}

/** Content of an assistant whose reasoning stands in it as parts; plain text where there is none. */
function contentParts(message: AssistantMessage, text: string): Json {
  const thoughts = message.content.flatMap((part) =>
    part.type === "thinking" && part.thinking !== "" ? [{ type: "text", text: part.thinking }] : [],
  )
  if (thoughts.length === 0) return text
  return [{ type: "thinking", thinking: thoughts }, ...(text === "" ? [] : [{ type: "text", text }])]
}

function assistantJson(message: AssistantMessage, quirks: Quirks): JsonObject {
  const text = textOf(message)
  const said = quirks.reasoningReplay === "parts" ? contentParts(message, text) : text
  const calls = message.content.flatMap((part) => {
    if (part.type !== "toolCall") return []
    const call = {
      id: part.id,
      type: "function",
      function: { name: part.name, arguments: JSON.stringify(part.arguments) },
    }
    const signature = part.thoughtSignature
    return [signature === undefined ? call : { ...call, extra_content: { google: { thought_signature: signature } } }]
  })
  const base = { role: "assistant", content: said === "" ? null : said, ...reasoningOf(message, quirks) }
  return calls.length === 0 ? { ...base, content: said } : { ...base, tool_calls: calls }
}

function resultJson(message: ToolResultMessage, quirks: Quirks): JsonObject {
  const images = message.content.some((part) => part.type === "image")
  const content = textOf(message) || (images ? "(a picture follows)" : "(no output)")
  const base = { role: "tool", tool_call_id: message.toolCallId, content }
  return quirks.toolResultName ? { ...base, name: message.toolName } : base
}

/** One line of the body before neighbours are joined: users stay parts until then. */
type Line = { readonly user: readonly UserPart[] } | { readonly json: JsonObject; readonly result: boolean }

function linesOf(messages: readonly Message[], quirks: Quirks): readonly Line[] {
  const lines: Line[] = []
  let pictures: UserPart[] = []
  const show = (): void => {
    if (pictures.length > 0) lines.push({ user: [{ type: "text", text: picturesOf }, ...pictures] })
    pictures = []
  }
  for (const message of messages) {
    if (message.role === "toolResult") {
      lines.push({ json: resultJson(message, quirks), result: true })
      pictures.push(...message.content.filter((part) => part.type === "image"))
      continue
    }
    show()
    if (message.role === "user") lines.push({ user: (message satisfies UserMessage).content })
    else lines.push({ json: assistantJson(message, quirks), result: false })
  }
  show()
  return lines
}

function joinLines(lines: readonly Line[], quirks: Quirks): readonly JsonObject[] {
  const bodies: JsonObject[] = []
  let parts: UserPart[] = []
  let afterResult = false
  const flush = (): void => {
    if (parts.length === 0) return
    if (afterResult && quirks.assistantAfterTool) bodies.push({ role: "assistant", content: afterResults })
    bodies.push({ role: "user", content: userContent(parts) })
    parts = []
    afterResult = false
  }
  for (const line of lines) {
    if ("user" in line) {
      parts.push(...line.user)
      continue
    }
    flush()
    bodies.push(line.json)
    afterResult = line.result
  }
  flush()
  return bodies
}

const marked = { cache_control: { type: "ephemeral" } }

/** Cache marks for hosts that pass them on: behind the system prompt, and behind the newest message of the user. */
function withMarks(messages: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.findLastIndex((message) => message.role === "user")
  return messages.map((message, place) => {
    if (place !== last && message.role !== "system") return message
    const content = message.content
    if (typeof content === "string") return { ...message, content: [{ type: "text", text: content, ...marked }] }
    const parts = Array.isArray(content) ? (content as readonly JsonObject[]) : []
    return { ...message, content: parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...marked } : part)) }
  })
}

function thinkingFields(thinking: Thinking | undefined, quirks: Quirks): JsonObject {
  if (thinking === undefined) return {}
  const on = thinking.level !== "off"
  const effort: JsonObject = thinking.word === "" ? {} : { reasoning_effort: thinking.word }
  const beside: JsonObject = quirks.effort && on ? effort : {}
  switch (quirks.thinkingFormat) {
    case "effort":
      return effort
    case "deepseek":
      return { thinking: { type: on ? "enabled" : "disabled" }, ...beside }
    case "zai":
      return { thinking: on ? { type: "enabled", clear_thinking: false } : { type: "disabled" }, ...beside }
    case "qwen":
      return { enable_thinking: on, ...beside }
    case "openrouter":
      return {
        reasoning: on ? (thinking.word === "" ? { enabled: true } : { effort: thinking.word }) : offAtRouter(thinking),
      }
    case "together":
      return { reasoning: { enabled: on }, ...beside }
    case "chat-template":
      return { chat_template_kwargs: { enable_thinking: on, thinking: on } }
    case "baseten":
      return { chat_template_args: { enable_thinking: on } }
    case "ant-ling":
      return on && thinking.word !== "" ? { reasoning: { effort: thinking.word } } : {}
    case "none":
      return {}
  }
}

/** Some models behind the router refuse to be turned off by the switch and take the word. */
function offAtRouter(thinking: Thinking): JsonObject {
  return thinking.word === "" ? { enabled: false } : { effort: thinking.word }
}

function toolsJson(tools: readonly ToolSpec[]): readonly JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }))
}

export function encodeCompletions(request: ModelRequest): Encoded {
  const quirks = quirksOf(request.model)
  const { system, model } = request
  const maxTokens = outputLimit(request)
  const prompt = system.trim() === "" ? [] : [{ role: quirks.systemRole, content: system.toWellFormed() }]
  const history = historyFor(request.messages, model, quirks.callIds === "nine" ? nineIds : plainIds)
  const tools = quirks.toolsForCalls ? toolsFor(request.tools, history) : request.tools
  const messages = [...prompt, ...joinLines(linesOf(history, quirks), quirks)]
  const body: JsonObject = {
    model: model.id,
    stream: true,
    ...(quirks.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(maxTokens === undefined ? {} : { [quirks.maxTokensField]: maxTokens }),
    ...thinkingFields(chooseThinking(model, request.thinking), quirks),
    ...(quirks.cacheKey && request.cacheKey !== undefined ? { prompt_cache_key: request.cacheKey.slice(0, 64) } : {}),
    ...(quirks.toolStream && tools.length > 0 ? { tool_stream: true } : {}),
    ...quirks.body,
    messages: quirks.cacheMarks ? withMarks(messages) : messages,
    ...(tools.length === 0 ? {} : { tools: toolsJson(tools) }),
  }
  return { path: "/chat/completions", body }
}
