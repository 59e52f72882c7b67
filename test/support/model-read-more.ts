/** What a request of the responses API or of Google says, in the shape that all formats share. */
import type { JsonObject } from "../../src/std/json.ts"
import { list, object, text } from "./model-read.ts"
import type { Said } from "./model-script.ts"

function joined(value: JsonObject[string]): string {
  if (typeof value === "string") return value
  return list(value)
    .map((part) => text(object(part).text))
    .join("")
}

const pictures = (value: JsonObject[string]): number =>
  list(value).filter((part) => text(object(part).type) === "input_image" || object(part).inlineData !== undefined)
    .length

export function readResponses(body: JsonObject): readonly Said[] {
  const system: readonly Said[] =
    text(body.instructions) === "" ? [] : [{ role: "system", text: text(body.instructions), images: 0, calls: [] }]
  const said: Said[] = [...system]
  for (const value of list(body.input)) {
    const item = object(value)
    const last = said.at(-1)
    if (item.type === "function_call") {
      const call = { id: text(item.call_id), name: text(item.name), args: text(item.arguments) }
      if (last?.role === "assistant") said[said.length - 1] = { ...last, calls: [...last.calls, call] }
      else said.push({ role: "assistant", text: "", images: 0, calls: [call] })
    } else if (item.type === "function_call_output") {
      const { output } = item
      said.push({ role: "tool", text: joined(output), images: pictures(output), calls: [], callId: text(item.call_id) })
    } else if (item.type !== "reasoning") {
      said.push({
        role: text(item.role) as Said["role"],
        text: joined(item.content),
        images: pictures(item.content),
        calls: [],
      })
    }
  }
  return said
}

export function readGoogle(body: JsonObject): readonly Said[] {
  const system = joined(object(body.systemInstruction).parts)
  const first: readonly Said[] = system === "" ? [] : [{ role: "system", text: system, images: 0, calls: [] }]
  const turns = list(body.contents).flatMap((value): readonly Said[] => {
    const parts = list(object(value).parts).map(object)
    const results = parts
      .filter((part) => part.functionResponse !== undefined)
      .map((part): Said => {
        const answer = object(part.functionResponse)
        const response = object(answer.response)
        const said = text(response.output) || text(response.error)
        return { role: "tool", text: said, images: pictures(answer.parts), calls: [], callId: text(answer.id) }
      })
    const rest = parts.filter((part) => part.functionResponse === undefined)
    if (rest.length === 0) return results
    const calls = rest
      .filter((part) => part.functionCall !== undefined)
      .map((part) => {
        const call = object(part.functionCall)
        return { id: text(call.id), name: text(call.name), args: JSON.stringify(call.args ?? null) }
      })
    const shown = rest.filter((part) => part.thought !== true)
    const role = text(object(value).role) === "model" ? "assistant" : "user"
    return [...results, { role, text: joined(shown), images: pictures(rest), calls }]
  })
  return [...first, ...turns]
}
