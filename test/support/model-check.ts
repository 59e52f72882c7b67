/**
 * The strict server: everything that some provider answers with a 400, checked at once. Each problem is one sentence; an empty list is
 * a request that every host takes. `vendor` adds what one host asks for beyond that.
 */
import { isObject, parseJson, type Json, type JsonObject } from "../../src/std/json.ts"
import type { Format } from "./model-script.ts"
import { list, object, text } from "./model-read.ts"
import { checkAnthropic } from "./model-check-anthropic.ts"
import { checkGoogle, checkResponses } from "./model-check-more.ts"

/** What one host asks for beyond the common rules, or refuses of them. */
export type VendorRules = {
  readonly ids?: RegExp
  readonly forbidReasoning?: boolean
  readonly requireReasoning?: boolean
  /** The fields in which this host takes reasoning back; left out: all. */
  readonly reasoningFields?: readonly string[]
  /** Content of the assistant may be a list that has its reasoning in it. */
  readonly thinkingParts?: boolean
  /** A result must name its tool. */
  readonly resultNames?: boolean
  /** Calls in the history want `tools`. */
  readonly toolsForCalls?: boolean
  /** Fields of the body that are common and that this host refuses. */
  readonly refused?: readonly string[]
  /** The values that `reasoning_effort` may have. */
  readonly efforts?: readonly string[]
  /** What else this host minds, in sentences. */
  also?(body: JsonObject): readonly string[]
  readonly noUserAfterTool?: boolean
  readonly stringContent?: boolean
  /** Further fields of the body that this host takes. */
  readonly fields?: readonly string[]
  readonly roles?: readonly string[]
}

const bodyFields = new Set([
  "model",
  "stream",
  "stream_options",
  "messages",
  "tools",
  "tool_choice",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "reasoning_effort",
])

const reasoningNames = ["reasoning_content", "reasoning", "reasoning_text", "reasoning_details", "reasoning_opaque"]

const messageFields: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  developer: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_calls", ...reasoningNames],
  tool: ["role", "content", "tool_call_id", "name"],
}

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

type Check = { readonly problems: string[]; readonly rules: VendorRules; readonly ids: Set<string> }

function checkContent(check: Check, at: string, content: Json | undefined, images: boolean): void {
  if (typeof content === "string") {
    if (content.trim() === "") check.problems.push(`${at}: the content is blank`)
    return
  }
  const parts = list(content).map(object)
  if (parts.length === 0) check.problems.push(`${at}: there is no content`)
  if (check.rules.stringContent) check.problems.push(`${at}: the content must be a string`)
  for (const part of parts) {
    if (part.type === "text" && text(part.text).trim() !== "") continue
    if (part.type === "image_url" && images && text(object(part.image_url).url).startsWith("data:image/")) continue
    check.problems.push(`${at}: a part is blank or of a type not taken here: ${JSON.stringify(part.type ?? null)}`)
  }
}

function checkCall(check: Check, at: string, call: JsonObject): string {
  const id = text(call.id)
  const named = object(call.function)
  if (call.type !== "function") check.problems.push(`${at}: a call's type must be "function"`)
  if (!(check.rules.ids ?? /^[a-zA-Z0-9_-]{1,40}$/).test(id))
    check.problems.push(`${at}: call id "${id}" is not allowed`)
  if (check.ids.has(id)) check.problems.push(`${at}: call id "${id}" is used twice`)
  check.ids.add(id)
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(text(named.name)))
    check.problems.push(`${at}: "${text(named.name)}" is no tool name`)
  if (typeof named.arguments !== "string" || !isObject(parseJson(named.arguments)))
    check.problems.push(`${at}: the arguments of "${id}" are not the text of a JSON object`)
  return id
}

function checkAssistantContent(check: Check, at: string, content: Json | undefined, calls: number): void {
  const parts = check.rules.thinkingParts ? list(content).map(object) : []
  const known = parts.every(
    (part) => part.type === "text" || (part.type === "thinking" && list(part.thinking).length > 0),
  )
  if (parts.length > 0 && !known) check.problems.push(`${at}: a part of the content is of a type not taken here`)
  if (parts.length > 0) return
  if (content !== null && content !== undefined && typeof content !== "string")
    check.problems.push(`${at}: the content of an assistant must be a string`)
  if (calls === 0 && text(content).trim() === "") check.problems.push(`${at}: neither content nor tool_calls`)
}

function checkAssistant(check: Check, at: string, message: JsonObject): readonly string[] {
  const calls = list(message.tool_calls).map(object)
  if (message.tool_calls !== undefined && calls.length === 0) check.problems.push(`${at}: tool_calls is empty`)
  checkAssistantContent(check, at, message.content, calls.length)
  const taken = check.rules.forbidReasoning ? [] : (check.rules.reasoningFields ?? reasoningNames)
  for (const field of reasoningNames)
    if (message[field] !== undefined && !taken.includes(field))
      check.problems.push(`${at}: property '${field}' is unsupported`)
  if (check.rules.requireReasoning && typeof message.reasoning_content !== "string")
    check.problems.push(`${at}: reasoning_content must be passed back`)
  return calls.map((call) => checkCall(check, at, call))
}

function checkOrder(check: Check, messages: readonly JsonObject[]): void {
  let open: string[] = []
  for (const [place, message] of messages.entries()) {
    const at = `messages[${place}]`
    const role = text(message.role)
    if (role === "tool") {
      const id = text(message.tool_call_id)
      if (open[0] !== id) check.problems.push(`${at}: a result for "${id}" where "${open[0] ?? "nothing"}" was due`)
      open = open.filter((due) => due !== id)
      if (typeof message.content !== "string") check.problems.push(`${at}: a result must be text`)
      if (check.rules.resultNames && text(message.name) === "") check.problems.push(`${at}: name is missing`)
      continue
    }
    if (open.length > 0) check.problems.push(`${at}: calls ${open.join(", ")} have no result`)
    open = []
    if (check.rules.noUserAfterTool && role === "user" && messages[place - 1]?.role === "tool")
      check.problems.push(`${at}: a user message directly after a result`)
    if (role === "assistant") open = [...checkAssistant(check, at, message)]
    else checkContent(check, at, message.content, role === "user")
    if ((role === "system" || role === "developer") && place > 0)
      check.problems.push(`${at}: the system message must be at the beginning`)
  }
  if (open.length > 0) check.problems.push(`at the end: calls ${open.join(", ")} have no result`)
  const last = text(messages.at(-1)?.role)
  if (last !== "user" && last !== "tool") check.problems.push(`the last message is of "${last}"`)
}

function checkTools(problems: string[], body: JsonObject): void {
  const tools = list(body.tools).map(object)
  if (body.tools !== undefined && tools.length === 0) problems.push("tools is empty")
  for (const tool of tools) {
    const named = object(tool.function)
    if (tool.type !== "function" || object(named.parameters).type !== "object" || text(named.description) === "")
      problems.push(`tool "${text(named.name)}" needs a type, a description and an object as parameters`)
  }
}

function checkCompletions(body: JsonObject, rules: VendorRules): readonly string[] {
  const check: Check = { problems: [], rules, ids: new Set() }
  const { problems } = check
  const refused = rules.refused ?? []
  const fields = new Set([...bodyFields, ...(rules.fields ?? [])].filter((name) => !refused.includes(name)))
  for (const [name, value] of Object.entries(body)) {
    if (!fields.has(name)) problems.push(`unknown parameter: ${name}`)
    if (value === null) problems.push(`${name} is null`)
  }
  const effort = body.reasoning_effort
  if (effort !== undefined && !(rules.efforts?.includes(text(effort)) ?? true))
    problems.push(`reasoning_effort "${text(effort)}" is not one of ${rules.efforts?.join(", ")}`)
  if (text(body.model) === "") problems.push("model is missing")
  if (body.stream !== true) problems.push("stream is not true")
  const messages = list(body.messages).map(object)
  if (messages.length === 0) problems.push("messages is empty")
  const roles = rules.roles ?? ["system", "user", "assistant", "tool"]
  for (const [place, message] of messages.entries()) {
    const role = text(message.role)
    if (!roles.includes(role)) problems.push(`messages[${place}]: role "${role}" is not known`)
    for (const name of Object.keys(message))
      if (!messageFields[role]?.includes(name)) problems.push(`messages[${place}]: unknown field ${name}`)
  }
  checkOrder(check, messages)
  checkTools(problems, body)
  if (rules.toolsForCalls && body.tools === undefined && messages.some((message) => message.tool_calls !== undefined))
    problems.push("tools is required where the history has calls")
  return problems
}

/** What is wrong with a request, in sentences; empty when nothing is. `bodyText` is the JSON as it came; `model` is the one that the path names (Google). */
export function checkRequest(format: Format, bodyText: string, rules: VendorRules = {}, model = ""): readonly string[] {
  const body = parseJson(bodyText)
  if (!isObject(body)) return ["the body is not a JSON object"]
  const surrogates = hasLoneSurrogate(body) ? ["a lone surrogate"] : []
  return [...surrogates, ...checkBody(format, body, rules, model), ...(rules.also?.(body) ?? [])]
}

function checkBody(format: Format, body: JsonObject, rules: VendorRules, model: string): readonly string[] {
  switch (format) {
    case "completions":
      return checkCompletions(body, rules)
    case "anthropic":
      return checkAnthropic(body)
    case "responses":
      return checkResponses(body)
    case "google":
      return checkGoogle(body, model)
  }
}

function hasLoneSurrogate(value: Json | undefined): boolean {
  if (typeof value === "string") return loneSurrogate.test(value)
  if (Array.isArray(value)) return value.some((item: Json) => hasLoneSurrogate(item))
  return isObject(value) && Object.values(value).some(hasLoneSurrogate)
}
