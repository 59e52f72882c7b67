/**
 * What can be left out of a body that was refused, so that it is taken.
 *
 * - A host that minds a field minds it always: what it said is remembered for as long as the process lives.
 * - Only for a 400 or 422 that names what it minds. What makes the request what it is (model, messages, tools) is never touched.
 * - Reasoning of earlier turns goes when its signatures are refused: they may be bound to a beginning that a compaction has changed.
 */
import type { Refused } from "./attempt.ts"
import { isObject, type Json, type JsonObject } from "../std/json.ts"

type Refusal = Pick<Refused, "status" | "body">

const essential = new Set([
  "model",
  "stream",
  "messages",
  "input",
  "contents",
  "tools",
  "system",
  "instructions",
  "systemInstruction",
])

const minds =
  /unsupported|not supported|does(n't| not) support|extra_forbidden|extra (inputs|fields)|unknown|unrecognized|not permitted|not allowed|unexpected|mandatory|invalid (parameter|field)/

const signatures =
  /invalid `?signature|thinking_binding|prefix.?mismatch|thinking.{0,80}(cannot be modified|bound|must remain)|must start with a thinking block|cannot contain `?thinking/

/** "reasoningEffort" and "reasoning.effort" name `reasoning_effort`, but "stream_options" does not name "stream". */
function names(text: string, field: string): boolean {
  const words = field.split(/_|(?=[A-Z])/).map((word) => word.toLowerCase())
  const [first = "", ...rest] = words
  const pattern = new RegExp(`(?<![a-z_])${first}${rest.map((word) => `[_. ]?${word}`).join("")}(?![a-z_])`, "i")
  return pattern.test(text)
}

/** The other name of the output's limit, where the one that was sent is refused. */
function renamedLimit(body: JsonObject, text: string): JsonObject | undefined {
  const pairs = [
    ["max_tokens", "max_completion_tokens"],
    ["max_completion_tokens", "max_tokens"],
  ] as const
  for (const [sent, other] of pairs) {
    if (body[sent] === undefined || body.messages === undefined || !names(text, sent)) continue
    const { [sent]: limit, ...rest } = body
    // Messages of Anthropic demand their limit; only chat completions have two names for it.
    return body.stream_options === undefined ? undefined : { ...rest, [other]: limit }
  }
  return undefined
}

function isThinking(block: Json): boolean {
  return isObject(block) && (block.type === "thinking" || block.type === "redacted_thinking")
}

/** `body` without reasoning of earlier turns; without asking for more in a form that demands them. */
function withoutThinking(body: JsonObject): JsonObject | undefined {
  if (!Array.isArray(body.messages)) return undefined
  const messages = (body.messages as readonly Json[]).filter(isObject)
  const has = messages.some((message) => Array.isArray(message.content) && message.content.some(isThinking))
  const { thinking, ...rest } = body
  const adaptive = isObject(thinking) && thinking.type === "adaptive"
  if (!has && (thinking === undefined || adaptive)) return undefined
  const clean = messages.map((message) => {
    if (!Array.isArray(message.content)) return message
    const content = (message.content as readonly Json[]).filter((block) => !isThinking(block))
    return { ...message, content: content.length > 0 ? content : [{ type: "text", text: "…" }] }
  })
  return { ...rest, ...(adaptive ? { thinking } : {}), messages: clean }
}

/** OpenAI gives summaries of reasoning to organisations that it has verified, and refuses the request of any other that asks for one (BerriAI/litellm#16032). */
function withoutSummary(body: JsonObject, text: string): JsonObject | undefined {
  const { reasoning } = body
  if (!isObject(reasoning) || reasoning.summary === undefined || !/reasoning[. ]summar/.test(text)) return undefined
  const { summary: _, ...rest } = reasoning
  return { ...body, reasoning: rest }
}

/** The body to send once more, or undefined where nothing can be left out. */
export function repairBody(body: JsonObject, refused: Refusal): JsonObject | undefined {
  if (refused.status !== 400 && refused.status !== 422) return undefined
  const text = refused.body.toLowerCase()
  if (signatures.test(text)) return withoutThinking(body)
  if (!minds.test(text)) return undefined
  const renamed = withoutSummary(body, text) ?? renamedLimit(body, text)
  if (renamed !== undefined) return renamed
  const named = Object.keys(body).filter(
    (field) => !essential.has(field) && field !== "max_tokens" && names(refused.body, field),
  )
  if (named.length === 0) return undefined
  return Object.fromEntries(Object.entries(body).filter(([field]) => !named.includes(field)))
}

/** Refusals that a host is known for, by its address and model; those of signatures are of one history and not kept. */
export class Repairs {
  readonly #known = new Map<string, readonly Refusal[]>()

  /** `body` as this host is known to take it. */
  apply(host: string, body: JsonObject): JsonObject {
    return (this.#known.get(host) ?? []).reduce((clean, refusal) => repairBody(clean, refusal) ?? clean, body)
  }

  /** `refusal` was got over by {@link repairBody}. */
  learn(host: string, refusal: Refusal): void {
    if (signatures.test(refusal.body.toLowerCase())) return
    this.#known.set(host, [...(this.#known.get(host) ?? []), { status: refusal.status, body: refusal.body }])
  }
}
