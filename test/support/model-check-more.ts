/** The strict server for the responses API and for Google: pairing, ids, signatures, roles, unknown fields. */
import { isObject, parseJson, type JsonObject } from "../../src/std/json.ts"
import { list, object, text } from "./model-read.ts"
import { signatureFor } from "./model-stream.ts"

const responsesFields = new Set([
  "model",
  "stream",
  "store",
  "include",
  "reasoning",
  "max_output_tokens",
  "prompt_cache_key",
  "instructions",
  "input",
  "tools",
])

function unknownFields(body: JsonObject, known: ReadonlySet<string>): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (!known.has(name)) return [`unknown parameter: ${name}`]
    return value === null ? [`${name} is null`] : []
  })
}

/** A reasoning item must be one that this server gave to this model, and be followed by what it led to. */
function checkReasoning(
  problems: string[],
  at: string,
  item: JsonObject,
  next: JsonObject | undefined,
  model: string,
): void {
  const summary = list(item.summary).map((part) => text(object(part).text))
  if (item.encrypted_content !== signatureFor(model, summary.join("\n\n")))
    problems.push(`${at}: the encrypted content is not this model's`)
  if (next === undefined || (next.role === "user" && next.type === undefined) || next.type === "function_call_output")
    problems.push(`${at}: reasoning without its required following item`)
}

function checkCallItem(problems: string[], at: string, item: JsonObject, ids: Set<string>, reasoned: boolean): void {
  const id = text(item.call_id)
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) problems.push(`${at}: call_id "${id}" is not allowed`)
  if (ids.has(id)) problems.push(`${at}: call_id "${id}" is used twice`)
  ids.add(id)
  if (item.id !== undefined && !text(item.id).startsWith("fc")) problems.push(`${at}: the id must begin with fc`)
  if (item.id !== undefined && !reasoned) problems.push(`${at}: "${text(item.id)}" without its reasoning item`)
  if (!isObject(parseJson(text(item.arguments))))
    problems.push(`${at}: the arguments are not the text of a JSON object`)
}

function checkContent(problems: string[], at: string, content: JsonObject[string]): void {
  if (typeof content === "string" ? content.trim() === "" : list(content).length === 0)
    problems.push(`${at}: there is no content`)
  for (const part of list(content).map(object))
    if (part.type !== "input_image" && text(part.text).trim() === "") problems.push(`${at}: a part is blank`)
}

export function checkResponses(body: JsonObject): readonly string[] {
  const problems = [...unknownFields(body, responsesFields)]
  const model = text(body.model)
  if (model === "" || body.stream !== true || body.store !== false)
    problems.push("model, stream or store is not as it must be")
  const items = list(body.input).map(object)
  if (items.length === 0) problems.push("input is empty")
  const ids = new Set<string>()
  let open: readonly string[] = []
  let reasoned = false
  for (const [place, item] of items.entries()) {
    const at = `input[${place}]`
    if (item.type === "function_call_output") {
      if (!open.includes(text(item.call_id))) problems.push(`${at}: no tool call found for "${text(item.call_id)}"`)
      open = open.filter((id) => id !== item.call_id)
      if (item.output === "") problems.push(`${at}: the output is empty`)
      continue
    }
    if (item.type === "function_call") {
      checkCallItem(problems, at, item, ids, reasoned)
      open = [...open, text(item.call_id)]
      continue
    }
    if (open.length > 0) problems.push(`${at}: no tool output found for ${open.join(", ")}`)
    open = []
    if (item.type === "reasoning") checkReasoning(problems, at, item, items[place + 1], model)
    else checkContent(problems, at, item.content)
    reasoned = item.type === "reasoning" || (reasoned && item.role === "assistant")
  }
  if (open.length > 0) problems.push(`at the end: no tool output found for ${open.join(", ")}`)
  if (items.at(-1)?.role === "assistant") problems.push("the last item is the assistant's")
  for (const tool of list(body.tools).map(object))
    if (tool.type !== "function" || tool.strict !== false || object(tool.parameters).type !== "object")
      problems.push(`tool "${text(tool.name)}" is not as it must be`)
  return problems
}

const googleFields = new Set(["systemInstruction", "contents", "tools", "generationConfig"])

function checkModelTurn(
  problems: string[],
  at: string,
  parts: readonly JsonObject[],
  model: string,
  current: boolean,
): number {
  const calls = parts.filter((part) => part.functionCall !== undefined)
  for (const [place, part] of calls.entries()) {
    const call = object(part.functionCall)
    const signature = text(part.thoughtSignature)
    const own = signatureFor(model, text(call.id))
    const foreign = "skip_thought_signature_validator"
    if (place === 0 && current && signature === "") problems.push(`${at}: the first call has no thought_signature`)
    if (signature !== "" && signature !== own && signature !== foreign)
      problems.push(`${at}: corrupted thought signature`)
    if (!isObject(call.args)) problems.push(`${at}: args is not an object`)
  }
  return calls.length
}

export function checkGoogle(body: JsonObject, model: string): readonly string[] {
  const problems = [...unknownFields(body, googleFields)]
  const turns = list(body.contents).map(object)
  if (turns.length === 0) problems.push("contents is empty")
  const isUsers = (turn: JsonObject): boolean =>
    turn.role === "user" && list(turn.parts).some((part) => object(part).functionResponse === undefined)
  const lastUser = turns.findLastIndex(isUsers)
  let due = 0
  for (const [place, turn] of turns.entries()) {
    const at = `contents[${place}]`
    const parts = list(turn.parts).map(object)
    const answers = parts.filter((part) => part.functionResponse !== undefined).length
    if (answers !== due) problems.push(`${at}: ${answers} function responses where ${due} calls were made`)
    if (parts.length === 0) problems.push(`${at}: there are no parts`)
    for (const part of parts)
      if (part.text !== undefined && text(part.text).trim() === "" && part.thoughtSignature === undefined)
        problems.push(`${at}: a part is blank`)
    if (turn.role !== "user" && turn.role !== "model") problems.push(`${at}: role "${text(turn.role)}" is not known`)
    due = turn.role === "model" ? checkModelTurn(problems, at, parts, model, place > lastUser) : 0
  }
  if (turns[0]?.role !== "user" || turns.at(-1)?.role !== "user")
    problems.push("the first and the last turn must be the user's")
  const thinking = object(object(body.generationConfig).thinkingConfig)
  if (thinking.thinkingLevel !== undefined && thinking.thinkingBudget !== undefined)
    problems.push("thinkingLevel and thinkingBudget")
  return problems
}
