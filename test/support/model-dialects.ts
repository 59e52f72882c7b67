/** How hosts of chat completions say a turn that thinks "hm" and calls `read` on "a", and what their fakes mind of the next one. */
import type { Json, JsonObject } from "../../src/std/json.ts"
import type { VendorRules } from "./model-check.ts"
import { list, object, text } from "./model-read.ts"

export type Vendor = {
  readonly name: string
  /** A model of the catalog, or a provider that the catalog does not have. */
  readonly model: readonly [provider: string, id: string]
  /** Its address, where that alone tells who it is. */
  readonly address?: string
  readonly rules: VendorRules
  /** Headers that the vendor wants, each with what it must look like. */
  readonly headers?: Readonly<Record<string, RegExp>>
  readonly turn: readonly JsonObject[]
  readonly needs: boolean
}

/** 100 tokens of input, 40 of them cached, and 20 of output, as most hosts say it. */
export const usage = {
  prompt_tokens: 100,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens: 20,
  completion_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 120,
}

/** One event; `more` are fields of its choice. */
export function chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject {
  return { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish, ...more }] }
}

/** `args` in one piece; `more` replaces fields of the call. */
export function call(more: JsonObject = {}, args = '{"path":"a"}'): JsonObject {
  return {
    tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "read", arguments: args }, ...more }],
  }
}

/** More of the call's arguments. */
export const args = (piece: string, more: JsonObject = {}): JsonObject => ({
  tool_calls: [{ index: 0, function: { arguments: piece }, ...more }],
})
/** The call in three pieces. */
export const pieces = [chunk(call({}, "")), chunk(args('{"path"')), chunk(args(':"a"}'))]
/** The event behind the finish. */
export const counts = (fields: JsonObject = usage): JsonObject => ({ id: "c1", choices: [], usage: fields })

/** Reasoning in `field`, a call in pieces, the finish, the counts. */
export function usual(field: string): readonly JsonObject[] {
  return [
    chunk({ role: "assistant", content: "" }),
    chunk({ [field]: "hm" }),
    ...pieces,
    chunk({}, "tool_calls"),
    counts(),
  ]
}

/** As {@link usual}, the call in one piece. */
export function whole(field: string, more: JsonObject = {}): readonly JsonObject[] {
  return [
    chunk({ role: "assistant", content: null, [field]: "hm" }),
    chunk(call(more)),
    chunk({}, "tool_calls"),
    counts(),
  ]
}

/** A field that turns thinking on and off. */
export function switchProblems(body: JsonObject, name: string): readonly string[] {
  const type = text(object(body[name]).type)
  return body[name] === undefined || type === "enabled" || type === "disabled"
    ? []
    : [`${name}.type "${type}" is unknown`]
}

export const booleanProblems = (value: Json | undefined, name: string): readonly string[] =>
  value === undefined || typeof value === "boolean" ? [] : [`${name} must be a boolean`]

/** The reasoning of the turn must have come back as it was given. */
export function mustReturn(name: string, given: Json): (body: JsonObject) => readonly string[] {
  return (body) => {
    const calling = list(body.messages)
      .map(object)
      .filter((message) => message.tool_calls !== undefined)
    const same = calling.every((message) => JSON.stringify(message[name]) === JSON.stringify(given))
    return same ? [] : [`${name} must come back as it was given`]
  }
}
