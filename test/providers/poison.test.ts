/**
 * Nothing that anybody said can poison the next request: random conversations of the worst that was ever seen, from a seed, and whatever the
 * decoders make of the worst streams, are taken by every strict server.
 */
import { expect, test } from "bun:test"
import type { AssistantPart, Message, UserPart } from "../../src/message/message.ts"
import { AnthropicDecoder } from "../../src/providers/anthropic-messages/decode.ts"
import { encodeAnthropic } from "../../src/providers/anthropic-messages/encode.ts"
import { findModel } from "../../src/providers/catalog.ts"
import type { Decoder, DecoderInput } from "../../src/providers/decoder.ts"
import { GoogleDecoder } from "../../src/providers/google-generative-ai/decode.ts"
import { encodeGoogle } from "../../src/providers/google-generative-ai/encode.ts"
import type { Model } from "../../src/providers/model.ts"
import { CompletionsDecoder } from "../../src/providers/openai-completions/decode.ts"
import { encodeCompletions } from "../../src/providers/openai-completions/encode.ts"
import { ResponsesDecoder } from "../../src/providers/openai-responses/decode.ts"
import { encodeResponses } from "../../src/providers/openai-responses/encode.ts"
import { ProviderError, type ApiName, type Encoded, type ModelRequest } from "../../src/providers/provider.ts"
import { quirksOf } from "../../src/providers/quirks.ts"
import type { Json, JsonObject } from "../../src/std/json.ts"
import { checkRequest, type VendorRules } from "../support/model-check.ts"
import type { Format } from "../support/model-script.ts"
import { vendors } from "../support/model-vendors.ts"
import { assistant, image, model, request, result, user } from "./support.ts"

type Wire = {
  readonly format: Format
  encode(request: ModelRequest): Encoded
  make(input: DecoderInput): Decoder
}

const wires: Readonly<Record<Exclude<ApiName, "tour">, Wire>> = {
  "openai-completions": {
    format: "completions",
    encode: encodeCompletions,
    make: (input) => new CompletionsDecoder(input),
  },
  "openai-responses": { format: "responses", encode: encodeResponses, make: (input) => new ResponsesDecoder(input) },
  "anthropic-messages": { format: "anthropic", encode: encodeAnthropic, make: (input) => new AnthropicDecoder(input) },
  "google-generative-ai": { format: "google", encode: encodeGoogle, make: (input) => new GoogleDecoder(input) },
}

const thinking = { off: "none", high: "high" }

/** Every vendor's strict fake, and each other format. */
const targets: readonly (readonly [Model, VendorRules])[] = [
  ...vendors.map(({ model: [provider, id], address, rules }): readonly [Model, VendorRules] => {
    const known = findModel(provider, id) ?? model({ provider, id, thinking })
    return [
      { ...known, baseUrl: address ?? known.baseUrl, api: "openai-completions" },
      { ...rules, also: () => [] },
    ]
  }),
  [model({ id: "gpt", api: "openai-responses", thinking }), {}],
  [model({ id: "claude", api: "anthropic-messages", thinking, maxTokens: 32_000 }), {}],
  [model({ id: "gemini", api: "google-generative-ai", thinking }), {}],
  [model({ id: "blind", api: "anthropic-messages", input: ["text"] }), {}],
]

function problemsOf(messages: readonly Message[]): readonly string[] {
  return targets.flatMap(([to, rules]) => {
    const wire = to.api === "tour" ? undefined : wires[to.api]
    if (wire === undefined) return []
    const { body } = wire.encode(request(to, messages, { thinking: "high", cacheKey: "session" }))
    return checkRequest(wire.format, JSON.stringify(body), rules, to.id).map(
      (problem) => `${to.provider}/${to.id}: ${problem}`,
    )
  })
}

/** The same numbers from the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return Math.abs(state ^ (state >>> 13)) % below
  }
}

const texts = [
  "",
  " ",
  "\n\t ",
  "hi",
  "\ud83d",
  "a\udc00b",
  "\u0000\u001b[31m",
  "<think>hm</think>",
  "</think>",
  "\ufeff",
  "x".repeat(70_000),
  "null",
  "{}",
]
const ids = [
  "",
  " ",
  "a",
  "a",
  "0",
  "call_1",
  "functions.read:0",
  "ü",
  "toolu_" + "x".repeat(80),
  "call|fc_9",
  "null",
  "../../x",
  "\ud83d",
]
const names = [
  "read",
  "",
  " ",
  "functions.read",
  "read file",
  "multi_tool_use.parallel",
  "n".repeat(90),
  "\ud83d",
  "日本",
]
const args: readonly JsonObject[] = [
  {},
  { path: "a" },
  { "\ud83d": "\udc00" },
  { deep: [[{ a: null, b: [undefined as never] }]] },
  { n: 1e308 },
]
const signatures = [
  "",
  "s",
  "reasoning_content",
  "reasoning",
  "tool_calls",
  "reasoning_details:[]",
  "reasoning_details:{",
  "reasoning_opaque:{}",
  '{"type":"reasoning"}',
  '{"id":5}',
  "\ud83d",
  "x".repeat(9_000),
]
const speakers = [
  ...Object.keys(wires).map((api) => model({ id: "other", provider: "foreign", api: api as ApiName })),
  model({ provider: "deepseek", id: "d" }),
]

function conversation(seed: number): readonly Message[] {
  const below = random(seed)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const parts = (): readonly (string | UserPart)[] =>
    Array.from({ length: below(4) }, () => (below(5) === 0 ? image : pick(texts)))
  const part = (): AssistantPart => {
    const signature = below(2) === 0 ? {} : { thinkingSignature: pick(signatures) }
    switch (below(6)) {
      case 0:
        return { type: "text", text: pick(texts), ...(below(2) === 0 ? {} : { textSignature: pick(signatures) }) }
      case 1:
        return { type: "thinking", thinking: pick(texts), ...signature }
      case 2:
        return { type: "thinking", thinking: "", ...signature, redacted: true }
      case 3:
        return { type: "toolCall", id: pick(ids), name: pick(names), arguments: {}, argumentsError: '{"pa' }
      default:
        return {
          type: "toolCall",
          id: pick(ids),
          name: pick(names),
          arguments: pick(args),
          ...(below(2) === 0 ? {} : { thoughtSignature: pick(signatures) }),
        }
    }
  }
  const message = (): Message => {
    switch (below(4)) {
      case 0:
        return user(...parts())
      case 1:
        return { ...result(pick(ids), ...parts()), toolName: pick(names), isError: below(2) === 0 }
      default: {
        const said = assistant(pick(speakers), ...Array.from({ length: below(5) }, part))
        return below(6) === 0 ? { ...said, stopReason: below(2) === 0 ? "error" : "aborted" } : said
      }
    }
  }
  return [user("begin"), ...Array.from({ length: 1 + below(12) }, message)]
}

test("random conversations of the worst that was seen are taken by every strict server", () => {
  for (let seed = 1; seed <= 120; seed++) {
    const found = problemsOf(conversation(seed))
    if (found.length > 0) throw new Error(`seed ${seed}: ${found.slice(0, 5).join("; ")}`)
  }
})

const chunk = (delta: Json, finish: string | null = null): Json => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const called = (more: JsonObject): Json => chunk({ tool_calls: [more] })

/** Streams that are whole, and odd. */
const streams: readonly [string, Exclude<ApiName, "tour">, readonly Json[]][] = [
  [
    "blank text around a call",
    "openai-completions",
    [
      chunk({ content: " \n" }),
      called({ index: 0, id: "x", function: { name: "read", arguments: "{}" } }),
      chunk({}, "stop"),
    ],
  ],
  ["half a pair", "openai-completions", [chunk({ content: "a\ud83d" }), chunk({ content: "b" }, "stop")]],
  ["the other half alone", "openai-completions", [chunk({ content: "\ude00" }, "stop")]],
  [
    "reasoning in all fields",
    "openai-completions",
    [chunk({ reasoning_content: "a", reasoning: "a", reasoning_text: "a" }), chunk({ content: "x" }, "stop")],
  ],
  [
    "a tag that is never closed, and a call",
    "openai-completions",
    [
      chunk({ content: "<think>hm" }),
      called({ index: 0, id: "x", function: { name: "read", arguments: "{}" } }),
      chunk({}, "tool_calls"),
    ],
  ],
  [
    "calls without ids, names and arguments",
    "openai-completions",
    [called({ index: 0, function: {} }), called({ index: 1, function: { name: "read" } }), chunk({}, "tool_calls")],
  ],
  [
    "an id of a foreign shape, twice",
    "openai-completions",
    [
      called({ index: 0, id: "functions.read:0", function: { name: "a.b", arguments: "{}" } }),
      called({ index: 1, id: "functions.read:0", function: { name: "a.b", arguments: '{"x":1}' } }),
      chunk({}, "tool_calls"),
    ],
  ],
  [
    "arguments that were cut",
    "openai-completions",
    [called({ index: 0, id: "x", function: { name: "read", arguments: '{"pa' } }), chunk({}, "length")],
  ],
  [
    "arguments that are no object",
    "openai-completions",
    [called({ index: 0, id: "x", function: { name: "read", arguments: "[1]" } }), chunk({}, "tool_calls")],
  ],
  [
    "empty blocks",
    "anthropic-messages",
    [
      { type: "message_start", message: {} },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_start", index: 1, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_start", index: 2, content_block: { type: "redacted_thinking", data: "" } },
      { type: "content_block_start", index: 3, content_block: { type: "server_tool_use", id: "z", name: "web" } },
      { type: "content_block_start", index: 4, content_block: { type: "tool_use", id: "x y", name: "a b", input: {} } },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ],
  ],
  [
    "reasoning without its seal, and an item without ids",
    "openai-responses",
    [
      { type: "response.output_item.done", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: { type: "message", content: [{ type: "output_text", text: " " }] },
      },
      {
        type: "response.output_item.done",
        output_index: 2,
        item: { type: "function_call", name: "read", arguments: "" },
      },
      { type: "response.completed", response: { status: "completed" } },
    ],
  ],
  [
    "calls without ids, signed nothing",
    "google-generative-ai",
    [
      {
        candidates: [
          {
            content: {
              parts: [
                { text: "", thought: true },
                { functionCall: { name: "read" } },
                { functionCall: { name: "read" } },
                { text: "", thoughtSignature: "s" },
              ],
            },
            finishReason: "STOP",
          },
        ],
      },
    ],
  ],
]

test.each([...streams])("what the decoder makes of %s is taken back by every server", (_, api, events) => {
  const wire = wires[api]
  // Said by another model, so that its seals go nowhere; what a vendor wants of its own is another test's.
  const from = model({ provider: "foreign", id: "other", api })
  const decoder = wire.make({ model: from, quirks: { ...quirksOf(from), thinkTags: true }, estimatedInput: 10 })
  for (const event of events) decoder.push({ event: "", data: JSON.stringify(event) })
  const { content, stopReason } = decoder.finish().response
  const said = { ...assistant(from, ...content), stopReason }
  const ids = content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []))
  expect(new Set(ids).size).toBe(ids.length)
  expect(problemsOf([user("hi"), said, ...ids.map((id) => result(id, "ok")), user("on")])).toEqual([])
  expect(problemsOf([user("hi"), said, user("on")])).toEqual([])
})

test.each<[string, Exclude<ApiName, "tour">, readonly Json[]]>([
  ["nothing", "openai-completions", [chunk({ content: "" }, "stop")]],
  ["white space", "openai-completions", [chunk({ content: " \n" }, "stop")]],
  ["reasoning alone", "openai-completions", [chunk({ reasoning: "hm" }, "stop")]],
  ["nothing", "anthropic-messages", [{ type: "message_start", message: {} }, { type: "message_stop" }]],
  ["nothing", "openai-responses", [{ type: "response.completed", response: { status: "completed", output: [] } }]],
  ["nothing", "google-generative-ai", [{ candidates: [{ finishReason: "STOP" }] }]],
])("an answer of %s (%s) is none: it is asked again, not stored", (_, api, events) => {
  const to = model({ api })
  const decoder = wires[api].make({ model: to, quirks: quirksOf(to), estimatedInput: 10 })
  for (const event of events) decoder.push({ event: "", data: JSON.stringify(event) })
  try {
    decoder.finish()
  } catch (error) {
    expect(error instanceof ProviderError && [error.kind, error.reason]).toEqual(["retry", "empty"])
    return
  }
  throw new Error("an empty answer was taken")
})
