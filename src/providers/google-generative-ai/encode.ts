/**
 * Our request as a body of Google's generateContent. Pure: the same request gives the same bytes.
 *
 * - Roles are `user` and `model`. All results of a batch stand in one user turn, as many as there were calls, in their order.
 * - A signature goes back on the very part that it came on. Newer models refuse a batch of the current turn whose first call has none: calls of
 *   other models bear the word that the vendor names for that.
 * - Older models (`oldGemini`) take a thinking budget, no ids of calls, and no pictures inside results.
 */
import {
  textOf,
  type AssistantMessage,
  type Message,
  type ToolResultMessage,
  type UserPart,
} from "../../message/message.ts"
import type { JsonObject } from "../../std/json.ts"
import { historyFor, anthropicIds } from "../history.ts"
import { outputLimit } from "../output-limit.ts"
import type { Encoded, ModelRequest } from "../provider.ts"
import { quirksOf, type Quirks } from "../quirks.ts"
import { chooseThinking } from "../thinking.ts"

/** Google's own word for a call whose signature cannot be had. */
const noSignature = "skip_thought_signature_validator"

const budgets: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
}

function partJson(part: UserPart): JsonObject {
  return part.type === "text" ? { text: part.text } : { inlineData: { mimeType: part.mimeType, data: part.data } }
}

function assistantJson(message: AssistantMessage, quirks: Quirks, current: boolean): readonly JsonObject[] {
  let firstCall = true
  return message.content.flatMap((part): readonly JsonObject[] => {
    switch (part.type) {
      case "text": {
        const { text, textSignature: signature } = part
        return [signature === undefined ? { text } : { text, thoughtSignature: signature }]
      }
      case "thinking": {
        const { thinking: text, thinkingSignature: signature } = part
        return signature === undefined ? [] : [{ text, thought: true, thoughtSignature: signature }]
      }
      case "toolCall": {
        const call = { name: part.name, args: part.arguments, ...(quirks.oldGemini ? {} : { id: part.id }) }
        const missing = firstCall && current && !quirks.oldGemini ? noSignature : undefined
        firstCall = false
        const signature = part.thoughtSignature ?? missing
        return [signature === undefined ? { functionCall: call } : { functionCall: call, thoughtSignature: signature }]
      }
    }
  })
}

function resultJson(message: ToolResultMessage, quirks: Quirks): JsonObject {
  const text = textOf(message)
  const pictures = message.content.filter((part) => part.type === "image")
  const inside = pictures.length > 0 && !quirks.oldGemini ? { parts: pictures.map(partJson) } : {}
  const said = text === "" ? "(a picture follows)" : text
  const response = message.isError ? { error: said } : { output: said }
  const id = quirks.oldGemini ? {} : { id: message.toolCallId }
  return { functionResponse: { ...id, name: message.toolName, response, ...inside } }
}

type Turn = { readonly role: "user" | "model"; readonly parts: JsonObject[] }

function contentsOf(messages: readonly Message[], quirks: Quirks): readonly Turn[] {
  const turns: Turn[] = []
  const lastUser = messages.findLastIndex((message) => message.role === "user")
  let pictures: UserPart[] = []
  const add = (role: Turn["role"], parts: readonly JsonObject[], join: boolean): void => {
    const last = turns.at(-1)
    if (join && last?.role === role) last.parts.push(...parts)
    else turns.push({ role, parts: [...parts] })
  }
  const show = (): void => {
    if (pictures.length > 0) add("user", pictures.map(partJson), false)
    pictures = []
  }
  for (const [place, message] of messages.entries()) {
    if (message.role === "toolResult") {
      add("user", [resultJson(message, quirks)], messages[place - 1]?.role === "toolResult")
      if (quirks.oldGemini) pictures.push(...message.content.filter((part) => part.type === "image"))
      continue
    }
    show()
    if (message.role === "user") add("user", message.content.map(partJson), messages[place - 1]?.role === "user")
    else add("model", assistantJson(message, quirks, place > lastUser), true)
  }
  show()
  return turns
}

function thinkingConfig(request: ModelRequest, quirks: Quirks): JsonObject {
  const thinking = chooseThinking(request.model, request.thinking)
  if (thinking === undefined) return {}
  const { level, word } = thinking
  if (quirks.oldGemini) {
    const budget = level === "off" ? 0 : (budgets[level] ?? budgets.high ?? 0)
    return { thinkingConfig: { includeThoughts: level !== "off", thinkingBudget: budget } }
  }
  if (word === "") return {}
  return { thinkingConfig: { includeThoughts: level !== "off", thinkingLevel: word.toUpperCase() } }
}

export function encodeGoogle(request: ModelRequest): Encoded {
  const { model, system, tools } = request
  const quirks = quirksOf(model)
  const maxTokens = outputLimit(request)
  const config: JsonObject = {
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...thinkingConfig(request, quirks),
  }
  const declarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }))
  const body: JsonObject = {
    // These two first, and the second even if it is empty: the SDK writes them so.
    contents: contentsOf(historyFor(request.messages, model, anthropicIds), quirks),
    generationConfig: config,
    ...(system.trim() === "" ? {} : { systemInstruction: { parts: [{ text: system.toWellFormed() }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: declarations }] }),
    ...quirks.body,
  }
  return { path: `/models/${encodeURIComponent(model.id)}:streamGenerateContent?alt=sse`, body }
}
