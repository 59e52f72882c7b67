/** The strict server for the Messages format: pairing, alternation, ids, blanks, signatures, cache marks. */
import { isObject, type Json, type JsonObject } from "../../src/std/json.ts"
import { list, object, text } from "./model-read.ts"
import { signatureFor } from "./model-stream.ts"

const bodyFields = new Set([
  "model",
  "stream",
  "max_tokens",
  "system",
  "tools",
  "tool_choice",
  "messages",
  "thinking",
  "output_config",
  "metadata",
  "cache_control",
])

const cacheMarksMax = 4
const thinkingBudgetMin = 1024

type Check = { readonly problems: string[]; readonly model: string; readonly ids: Set<string> }

function checkBlanks(problems: string[], at: string, blocks: readonly JsonObject[]): void {
  for (const block of blocks)
    if (block.type === "text" && text(block.text).trim() === "")
      problems.push(`${at}: text content blocks must be non-empty`)
}

function checkResult(check: Check, at: string, block: JsonObject): string {
  const content =
    typeof block.content === "string" ? [{ type: "text", text: block.content }] : list(block.content).map(object)
  checkBlanks(check.problems, at, content)
  if (content.length === 0) check.problems.push(`${at}: a result without content`)
  if (block.is_error === true && content.some((part) => part.type !== "text"))
    check.problems.push(`${at}: an error result may only have text`)
  return text(block.tool_use_id)
}

function checkUser(check: Check, at: string, blocks: readonly JsonObject[], due: readonly string[]): void {
  const results = blocks.filter((block) => block.type === "tool_result")
  const got = results.map((block) => checkResult(check, at, block))
  if (blocks.slice(0, results.length).some((block) => block.type !== "tool_result"))
    check.problems.push(`${at}: results must come first`)
  for (const id of due) if (!got.includes(id)) check.problems.push(`${at}: tool_use "${id}" has no tool_result`)
  for (const id of got)
    if (!due.includes(id)) check.problems.push(`${at}: tool_result "${id}" has no tool_use before it`)
  if (new Set(got).size < got.length) check.problems.push(`${at}: two results for one call`)
  for (const block of blocks)
    if (!["tool_result", "text", "image"].includes(text(block.type)))
      check.problems.push(`${at}: block type ${JSON.stringify(block.type ?? null)} is not the user's`)
}

function checkAssistant(check: Check, at: string, blocks: readonly JsonObject[]): readonly string[] {
  const ids: string[] = []
  let calling = false
  for (const [place, block] of blocks.entries()) {
    if (block.type === "thinking") {
      if (place > 0 && blocks[place - 1]?.type === "text") check.problems.push(`${at}: thinking must come first`)
      if (block.signature !== signatureFor(check.model, text(block.thinking)))
        check.problems.push(`${at}: Invalid \`signature\` in \`thinking\` block`)
    } else if (block.type === "tool_use") {
      calling = true
      const id = text(block.id)
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) check.problems.push(`${at}: tool_use id "${id}" is not allowed`)
      if (check.ids.has(id)) check.problems.push(`${at}: tool_use ids must be unique, "${id}"`)
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(text(block.name)))
        check.problems.push(`${at}: "${text(block.name)}" is no tool name`)
      if (!isObject(block.input)) check.problems.push(`${at}: the input of "${id}" is not an object`)
      check.ids.add(id)
      ids.push(id)
    } else if (block.type === "text") {
      if (calling) check.problems.push(`${at}: text after tool_use`)
    } else if (block.type !== "redacted_thinking") {
      check.problems.push(`${at}: block type ${JSON.stringify(block.type ?? null)} is not the assistant's`)
    }
  }
  return ids
}

function checkMessages(check: Check, messages: readonly JsonObject[]): void {
  let due: readonly string[] = []
  for (const [place, message] of messages.entries()) {
    const at = `messages.${place}`
    const role = text(message.role)
    if (role !== (place % 2 === 0 ? "user" : "assistant"))
      check.problems.push(`${at}: roles must alternate, found "${role}"`)
    const blocks =
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : list(message.content).map(object)
    if (blocks.length === 0) check.problems.push(`${at}: there is no content`)
    checkBlanks(check.problems, at, blocks)
    if (role === "user") {
      checkUser(check, at, blocks, due)
      due = []
    } else {
      due = checkAssistant(check, at, blocks)
    }
  }
  if (messages.at(-1)?.role !== "user") check.problems.push("the last message must be the user's")
}

function blocksOf(message: JsonObject): readonly JsonObject[] {
  return list(message.content).map(object)
}

/** What the assistant said since the last message of the user that holds no results: one turn, for the vendor. */
function openTurn(messages: readonly JsonObject[]): readonly JsonObject[] {
  const begun = messages.findLastIndex(
    (message) => message.role === "user" && blocksOf(message).every((block) => block.type !== "tool_result"),
  )
  return messages.slice(begun + 1).filter((message) => message.role === "assistant")
}

const thinks = (block: JsonObject | undefined): boolean =>
  block?.type === "thinking" || block?.type === "redacted_thinking"

/** A turn that is open begins with thinking where a budget asks for it, and holds none where it is off. Models that adapt mind neither. */
function checkOpenTurn(problems: string[], body: JsonObject, messages: readonly JsonObject[]): void {
  const { type } = object(body.thinking)
  const turn = openTurn(messages)
  const [first] = turn
  if (first === undefined || type === "adaptive") return
  if (type === "enabled" && !thinks(blocksOf(first)[0]))
    problems.push("a final `assistant` message must start with a thinking block: Expected `thinking`")
  if (type !== "enabled" && turn.some((message) => blocksOf(message).some(thinks)))
    problems.push("When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`")
}

function cacheMarks(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item: Json) => sum + cacheMarks(item), 0)
  if (!isObject(value)) return 0
  const own = value.cache_control === undefined ? 0 : 1
  return own + Object.values(value).reduce<number>((sum, item) => sum + cacheMarks(item), 0)
}

export function checkAnthropic(body: JsonObject): readonly string[] {
  const check: Check = { problems: [], model: text(body.model), ids: new Set() }
  const { problems } = check
  for (const [name, value] of Object.entries(body)) {
    if (!bodyFields.has(name)) problems.push(`${name}: Extra inputs are not permitted`)
    if (value === null) problems.push(`${name} is null`)
  }
  if (check.model === "") problems.push("model is missing")
  if (body.stream !== true) problems.push("stream is not true")
  const maxTokens = typeof body.max_tokens === "number" ? body.max_tokens : 0
  if (!Number.isInteger(maxTokens) || maxTokens < 1) problems.push("max_tokens must be a positive integer")
  const thinking = object(body.thinking)
  if (thinking.type === "enabled") {
    const budget = typeof thinking.budget_tokens === "number" ? thinking.budget_tokens : 0
    if (budget < thinkingBudgetMin || budget >= maxTokens)
      problems.push(`thinking.budget_tokens ${budget} is not allowed`)
  }
  if (body.system !== undefined && typeof body.system !== "string")
    checkBlanks(problems, "system", list(body.system).map(object))
  if (body.tools !== undefined && list(body.tools).length === 0) problems.push("tools is empty")
  for (const tool of list(body.tools).map(object))
    if (object(tool.input_schema).type !== "object")
      problems.push(`tool "${text(tool.name)}" needs an object as input_schema`)
  const messages = list(body.messages).map(object)
  if (messages.length === 0) problems.push("messages: at least one message is required")
  checkMessages(check, messages)
  checkOpenTurn(problems, body, messages)
  const marks = cacheMarks(body)
  if (marks > cacheMarksMax) problems.push(`${marks} blocks with cache_control, at most ${cacheMarksMax} are allowed`)
  return problems
}
