/** What a request says, read from any format into one shape; wrong shapes give empty things, the checker names them. */
import { isObject, type Json, type JsonObject } from "../../src/std/json.ts"
import { readGoogle, readResponses } from "./model-read-more.ts"
import type { Format, Said } from "./model-script.ts"

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

export function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content
  return list(content)
    .map((part) => text(object(part).text))
    .join("")
}

function imagesIn(content: Json | undefined): number {
  return list(content).filter((part) => ["image", "image_url"].includes(text(object(part).type))).length
}

function readCompletions(body: JsonObject): readonly Said[] {
  return list(body.messages).map((value) => {
    const message = object(value)
    const role = text(message.role) === "developer" ? "system" : (text(message.role) as Said["role"])
    const calls = list(message.tool_calls).map((call) => {
      const named = object(object(call).function)
      return { id: text(object(call).id), name: text(named.name), args: text(named.arguments) }
    })
    const said = { role, text: textOf(message.content), images: imagesIn(message.content), calls }
    return role === "tool" ? { ...said, callId: text(message.tool_call_id) } : said
  })
}

function readAnthropicMessage(message: JsonObject): readonly Said[] {
  const blocks = list(message.content).map(object)
  const results = blocks
    .filter((block) => block.type === "tool_result")
    .map((block) => ({
      role: "tool" as const,
      text: textOf(block.content),
      images: imagesIn(block.content),
      calls: [],
      callId: text(block.tool_use_id),
    }))
  const rest = blocks.filter((block) => block.type !== "tool_result")
  const calls = rest
    .filter((block) => block.type === "tool_use")
    .map((block) => ({ id: text(block.id), name: text(block.name), args: JSON.stringify(block.input ?? null) }))
  const role = text(message.role) as Said["role"]
  if (typeof message.content === "string") return [{ role, text: message.content, images: 0, calls }]
  if (rest.length === 0) return results
  const texts = rest.filter((block) => block.type === "text")
  return [...results, { role, text: textOf(texts), images: imagesIn(rest), calls }]
}

/** The conversation of a request, oldest first, the system prompt as its first message. */
export function readSaid(format: Format, body: JsonObject): readonly Said[] {
  if (format === "completions") return readCompletions(body)
  if (format === "responses") return readResponses(body)
  if (format === "google") return readGoogle(body)
  const system = textOf(body.system)
  const first: readonly Said[] = system === "" ? [] : [{ role: "system", text: system, images: 0, calls: [] }]
  return [...first, ...list(body.messages).flatMap((message) => readAnthropicMessage(object(message)))]
}

export function readTools(body: JsonObject): readonly string[] {
  const declared = list(body.tools).flatMap((tool) => list(object(tool).functionDeclarations))
  return [...list(body.tools), ...declared]
    .map((tool) => text(object(tool).name) || text(object(object(tool).function).name))
    .filter((name) => name !== "")
}

/** The results that came after the last message of the user. */
export function latestResults(said: readonly Said[]): readonly Said[] {
  const from = said.findLastIndex((message) => message.role === "user")
  return said.slice(from + 1).filter((message) => message.role === "tool")
}
