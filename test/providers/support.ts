/** Small things that the tests of this folder share: models, messages, and decoders fed from chunks. */
import { readFileSync } from "node:fs"
import type { Decoder, DecoderInput } from "../../src/providers/decoder.ts"
import { emptyPartial, fold } from "../../src/message/delta.ts"
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ToolResultMessage,
  UserPart,
} from "../../src/message/message.ts"
import { noUsage } from "../../src/message/usage.ts"
import { AnthropicDecoder } from "../../src/providers/anthropic-messages/decode.ts"
import type { Model } from "../../src/providers/model.ts"
import type { Fetch } from "../../src/providers/attempt.ts"
import { CompletionsDecoder } from "../../src/providers/openai-completions/decode.ts"
import type { ModelRequest, Response, ToolSpec } from "../../src/providers/provider.ts"
import { quirksOf, type Quirks } from "../../src/providers/quirks.ts"
import { decodeAll } from "../../src/providers/stream-call.ts"
import type { Delta } from "../../src/message/delta.ts"
import type { Json } from "../../src/std/json.ts"

export function model(more: Partial<Model> = {}): Model {
  return {
    provider: "local",
    id: "m",
    name: "m",
    api: "openai-completions",
    baseUrl: "http://127.0.0.1:9/v1",
    thinking: {},
    input: ["text", "image"],
    quirks: {},
    headers: {},
    edits: "replace",
    ...more,
  }
}

export function user(...parts: readonly (string | UserPart)[]): Message {
  const content = parts.map((part): UserPart => (typeof part === "string" ? { type: "text", text: part } : part))
  return { role: "user", content, timestamp: 1 }
}

export function assistant(from: Model, ...content: readonly AssistantPart[]): AssistantMessage {
  const stopReason = content.some((part) => part.type === "toolCall") ? "toolUse" : "stop"
  const { provider, api, id } = from
  return { role: "assistant", content, provider, api, model: id, usage: noUsage, stopReason, timestamp: 1 }
}

export function text(value: string): AssistantPart {
  return { type: "text", text: value }
}

export function call(id: string, name = "read", args: object = { path: "a" }): AssistantPart {
  return { type: "toolCall", id, name, arguments: args as { path: string } }
}

export function result(id: string, ...parts: readonly (string | UserPart)[]): ToolResultMessage {
  const content = parts.map((part): UserPart => (typeof part === "string" ? { type: "text", text: part } : part))
  return { role: "toolResult", toolCallId: id, toolName: "read", content, isError: false, timestamp: 1 }
}

export const image: UserPart = { type: "image", data: "aGk=", mimeType: "image/png" }

export const readTool: ToolSpec = {
  name: "read",
  description: "Read a file",
  parameters: { type: "object", properties: { path: { type: "string" } } },
}

export function request(to: Model, messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { model: to, system: "You help.", tools: [readTool], messages, thinking: "off", ...more }
}

export type Decoded = { readonly deltas: readonly Delta[]; readonly response: Response }

function checked(decoded: Decoded): Decoded {
  const partial = decoded.deltas.reduce(fold, emptyPartial)
  const folded = partial.parts.map(({ part }) => part)
  const same = JSON.stringify(folded) === JSON.stringify(decoded.response.content)
  if (!same)
    throw new Error(
      `the deltas fold to ${JSON.stringify(folded)}, the response is ${JSON.stringify(decoded.response.content)}`,
    )
  return decoded
}

/** Chunks of chat completions through the decoder; the deltas must fold to the content. "[DONE]" is added unless `done` is false. */
export function decodeChunks(
  chunks: readonly Json[],
  more: { quirks?: Partial<Quirks>; model?: Model; done?: boolean } = {},
): Decoded {
  const to = more.model ?? model()
  const quirks = { ...quirksOf(to), ...more.quirks }
  const events = chunks.map((chunk) => ({ event: "", data: JSON.stringify(chunk) }))
  const all = more.done === false ? events : [...events, { event: "", data: "[DONE]" }]
  return checked(decodeAll(new CompletionsDecoder({ model: to, quirks, estimatedInput: 100 }), all))
}

/** One chunk with a delta. */
export function chunk(delta: Json, finish: string | null = null): Json {
  return { id: "c", choices: [{ index: 0, delta, finish_reason: finish }] }
}

/** Events of Anthropic messages through the decoder; the deltas must fold to the content. */
export function decodeEvents(
  events: readonly { readonly type: string }[],
  to: Model = model({ api: "anthropic-messages" }),
): Decoded {
  const decoder = new AnthropicDecoder({ model: to, quirks: quirksOf(to), estimatedInput: 100 })
  return checked(
    decodeAll(
      decoder,
      events.map((event) => ({ event: event.type, data: JSON.stringify(event) })),
    ),
  )
}

/** Events of any format through its decoder; the deltas must fold to the content. */
export function decodeWith(
  make: (input: DecoderInput) => Decoder,
  events: readonly Json[],
  to: Model = model(),
): Decoded {
  const decoder = make({ model: to, quirks: quirksOf(to), estimatedInput: 100 })
  return checked(
    decodeAll(
      decoder,
      events.map((event) => ({ event: "", data: JSON.stringify(event) })),
    ),
  )
}

export type Dialect = {
  readonly name: string
  readonly events: readonly Json[]
  readonly content: Json
  readonly stopReason: string
}

/** Recorded streams of a format, by name. */
export function dialectsOf(file: string): [string, Dialect][] {
  const lines = readFileSync(new URL(`fixtures/${file}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n")
  return lines.map((line) => JSON.parse(line) as Dialect).map((dialect) => [dialect.name, dialect])
}

/** What `run` throws. */
export function thrown(run: () => unknown): Error & { readonly kind?: string; readonly reason?: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error("nothing was thrown")
}

/** A fetch for which the fake at `to` is the host at `from`: a vendor is known by its address, and none is called. */
export function behind(from: string, to: string): Fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (!url.startsWith(from)) throw new Error(`${url} is not below ${from}`)
    return fetch(to + url.slice(from.length), init)
  }
}
