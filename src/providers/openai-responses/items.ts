/**
 * What of an answer must go back as it came, as the signatures of its parts.
 *
 * - Reasoning: the whole item, without status; worth sending back only with its encrypted content, since nothing is stored at the vendor.
 * - Text: the item's id and phase. A call: the item's id, which is not the id that joins it with its output.
 */
import { isObject, parseJson, wellFormed, type JsonObject } from "../../std/json.ts"
import { listOf, stringOf } from "../decoder.ts"

export function reasoningSignature(item: JsonObject): string {
  const { id, summary = [], content, encrypted_content: encrypted } = item
  return JSON.stringify({
    type: "reasoning",
    id,
    summary,
    ...(listOf(content).length > 0 ? { content } : {}),
    ...(encrypted === undefined || encrypted === null ? {} : { encrypted_content: encrypted }),
  })
}

/** The item in a signature, or undefined where it is none that the vendor can read again. */
export function readReasoning(signature: string): JsonObject | undefined {
  const item = parseJson(signature)
  if (!isObject(item) || item.type !== "reasoning") return undefined
  return stringOf(item.encrypted_content) === "" ? undefined : (wellFormed(item) as JsonObject)
}

export function textSignature(item: JsonObject): string | undefined {
  const id = stringOf(item.id)
  if (id === "") return undefined
  const phase = stringOf(item.phase)
  return JSON.stringify(phase === "" ? { id } : { id, phase })
}

export function readTextSignature(signature: string): { readonly id?: string; readonly phase?: string } {
  const value = wellFormed(parseJson(signature) ?? null)
  if (!isObject(value)) return {}
  const { id, phase } = value
  return { ...(typeof id === "string" ? { id } : {}), ...(typeof phase === "string" ? { phase } : {}) }
}

/** The text of a reasoning item: its summary, else its content; parts are paragraphs. */
export function reasoningText(item: JsonObject): string {
  const parts = [item.summary, item.content].map((list) =>
    listOf(list)
      .map((part) => (isObject(part) ? stringOf(part.text) : ""))
      .filter((text) => text !== "")
      .join("\n\n"),
  )
  return parts.find((text) => text !== "") ?? ""
}

/** The text of a message item, refusals included. */
export function messageText(item: JsonObject): string {
  return listOf(item.content)
    .map((part) => (isObject(part) ? stringOf(part.text) || stringOf(part.refusal) : ""))
    .join("")
}
