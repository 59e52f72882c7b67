/**
 * Our request as a body of the responses API. Pure: the same request gives the same bytes.
 *
 * - Nothing is stored at the vendor: reasoning goes back encrypted, or neither it nor the ids of what it led to.
 * - What this very model said goes back item by item in the order received; what others said has no ids.
 * - Results may hold pictures. `strict` is off: our schemas have optional fields.
 */
import type { AssistantMessage, ToolResultMessage, UserPart } from "../../message/message.ts"
import type { JsonObject } from "../../std/json.ts"
import { historyFor, isOwn, responsesIds } from "../history.ts"
import { outputLimit } from "../output-limit.ts"
import type { Encoded, ModelRequest } from "../provider.ts"
import { quirksOf } from "../quirks.ts"
import { chooseThinking } from "../thinking.ts"
import { readReasoning, readTextSignature } from "./items.ts"

/** The least that is taken as a limit of the output. */
const outputMin = 16

function partJson(part: UserPart): JsonObject {
  if (part.type === "text") return { type: "input_text", text: part.text }
  return { type: "input_image", detail: "auto", image_url: `data:${part.mimeType};base64,${part.data}` }
}

/**
 * Ids and reasoning go together: an id whose reasoning is missing is refused, and so is reasoning without what it led to. Where there is none,
 * it may have been an item that held nothing, so that ids stay away then as well: they are of no use without.
 */
function isPaired(message: AssistantMessage): boolean {
  const thoughts = message.content.filter((part) => part.type === "thinking")
  return thoughts.length > 0 && thoughts.every((part) => readReasoning(part.thinkingSignature ?? "") !== undefined)
}

/** `items` without reasoning that led to nothing, as where an answer was cut in it: it is refused. */
function withoutLooseEnd(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.slice(0, items.findLastIndex((item) => item.type !== "reasoning") + 1)
}

function assistantItems(message: AssistantMessage, own: boolean): readonly JsonObject[] {
  const paired = own && isPaired(message)
  const items = message.content.flatMap((part): readonly JsonObject[] => {
    switch (part.type) {
      case "thinking": {
        const item = paired ? readReasoning(part.thinkingSignature ?? "") : undefined
        return item === undefined ? [] : [item]
      }
      case "text": {
        if (part.text.trim() === "") return []
        const { id, phase } = readTextSignature(part.textSignature ?? "")
        const content = [{ type: "output_text", text: part.text, annotations: [] }]
        const said = {
          type: "message",
          role: "assistant",
          status: "completed",
          content,
          ...(phase === undefined ? {} : { phase }),
        }
        return [
          paired && id !== undefined
            ? { ...said, id }
            : { role: "assistant", content: part.text, ...(phase === undefined ? {} : { phase }) },
        ]
      }
      case "toolCall": {
        const call = {
          type: "function_call",
          call_id: part.id,
          name: part.name,
          arguments: JSON.stringify(part.arguments),
        }
        return [paired && part.thoughtSignature !== undefined ? { ...call, id: part.thoughtSignature } : call]
      }
    }
  })
  return withoutLooseEnd(items)
}

function resultItem(message: ToolResultMessage): JsonObject {
  const texts = message.content.every((part) => part.type === "text")
  const output = texts
    ? message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
    : message.content.map(partJson)
  return { type: "function_call_output", call_id: message.toolCallId, output }
}

function inputOf(request: ModelRequest): readonly JsonObject[] {
  return historyFor(request.messages, request.model, responsesIds).flatMap((message): readonly JsonObject[] => {
    switch (message.role) {
      case "user":
        return [{ role: "user", content: message.content.map(partJson) }]
      case "assistant":
        return assistantItems(message, isOwn(message, request.model))
      case "toolResult":
        return [resultItem(message)]
    }
  })
}

function reasoningFields(request: ModelRequest): JsonObject {
  const thinking = chooseThinking(request.model, request.thinking)
  if (thinking === undefined) return {}
  const include = { include: ["reasoning.encrypted_content"] }
  const effort = thinking.word === "" ? {} : { effort: thinking.word }
  if (thinking.level === "off") return thinking.word === "" ? include : { ...include, reasoning: effort }
  return { ...include, reasoning: { ...effort, summary: "auto" } }
}

export function encodeResponses(request: ModelRequest): Encoded {
  const { model, system, tools } = request
  const quirks = quirksOf(model)
  const maxTokens = outputLimit(request)
  const body: JsonObject = {
    model: model.id,
    stream: true,
    store: false,
    ...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(outputMin, maxTokens) }),
    ...reasoningFields(request),
    ...(quirks.cacheKey && request.cacheKey !== undefined ? { prompt_cache_key: request.cacheKey.slice(0, 64) } : {}),
    ...quirks.body,
    ...(system.trim() === "" ? {} : { instructions: system.toWellFormed() }),
    input: inputOf(request),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: "function",
            name,
            description,
            parameters,
            strict: false,
          })),
        }),
  }
  return { path: "/responses", body }
}
