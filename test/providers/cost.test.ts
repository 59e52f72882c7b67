/** Worked examples: what each format reports, and what it comes to. Prices are dollars per million tokens. */
import { expect, test } from "bun:test"
import { AnthropicDecoder } from "../../src/providers/anthropic-messages/decode.ts"
import { noUsage } from "../../src/message/usage.ts"
import { findModel } from "../../src/providers/catalog.ts"
import { attemptUsage } from "../../src/providers/attempt-usage.ts"
import { costOf, serviceFactor, withCost } from "../../src/providers/cost.ts"
import type { Decoder, DecoderInput } from "../../src/providers/decoder.ts"
import { GoogleDecoder } from "../../src/providers/google-generative-ai/decode.ts"
import type { Price } from "../../src/providers/model.ts"
import { CompletionsDecoder } from "../../src/providers/openai-completions/decode.ts"
import { ResponsesDecoder } from "../../src/providers/openai-responses/decode.ts"
import type { ApiName } from "../../src/providers/provider.ts"
import type { Json, JsonObject } from "../../src/std/json.ts"
import { decodeWith, model } from "./support.ts"

const claude: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const gpt: Price = {
  input: 2,
  output: 10,
  cacheRead: 0.2,
  cacheWrite: 2.5,
  tiers: [{ above: 272_000, input: 4, output: 15, cacheRead: 0.4, cacheWrite: 5 }],
}
const gemini: Price = {
  input: 2,
  output: 12,
  cacheRead: 0.2,
  cacheWrite: 0,
  tiers: [{ above: 200_000, input: 4, output: 18, cacheRead: 0.4, cacheWrite: 0 }],
}

type Wire = {
  make(input: DecoderInput): Decoder
  readonly api: ApiName
  events(usage: Json, more: JsonObject): readonly Json[]
}

const completions: Wire = {
  api: "openai-completions",
  make: (input) => new CompletionsDecoder(input),
  events: (usage, more) => [
    { choices: [{ index: 0, delta: { content: "x" }, finish_reason: "stop" }], ...more },
    { choices: [], usage, ...more },
  ],
}
const responses: Wire = {
  api: "openai-responses",
  make: (input) => new ResponsesDecoder(input),
  events: (usage, more) => [
    { type: "response.output_text.delta", output_index: 0, delta: "x" },
    { type: "response.completed", response: { status: "completed", output: [], usage, ...more } },
  ],
}
const anthropic: Wire = {
  api: "anthropic-messages",
  make: (input) => new AnthropicDecoder(input),
  events: (usage) => [
    { type: "message_start", message: { usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "x" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 500 } },
    { type: "message_stop" },
  ],
}
const google: Wire = {
  api: "google-generative-ai",
  make: (input) => new GoogleDecoder(input),
  events: (usageMetadata) => [
    { candidates: [{ content: { parts: [{ text: "x" }] }, finishReason: "STOP" }], usageMetadata },
  ],
}

/** Millionths of a dollar, as products of tokens and price. */
const micro = (...products: readonly number[]): number =>
  products.reduce((sum, product) => sum + product, 0) / 1_000_000

type Example = readonly [name: string, wire: Wire, price: Price, usage: Json, dollars: number, more?: JsonObject]

const hourly = { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 1_000 }
const examples: readonly Example[] = [
  ["Anthropic, plain", anthropic, claude, { input_tokens: 1_000, output_tokens: 1 }, micro(1_000 * 3, 500 * 15)],
  [
    "Anthropic, read from the cache and written for five minutes",
    anthropic,
    claude,
    { input_tokens: 1_000, cache_read_input_tokens: 10_000, cache_creation_input_tokens: 2_000, output_tokens: 1 },
    micro(1_000 * 3, 10_000 * 0.3, 2_000 * 3.75, 500 * 15),
  ],
  [
    "Anthropic, a third of what is written kept for an hour",
    anthropic,
    claude,
    { input_tokens: 1_000, cache_creation_input_tokens: 3_000, cache_creation: hourly, output_tokens: 1 },
    micro(1_000 * 3, 2_000 * 3.75, 1_000 * 3 * 2, 500 * 15),
  ],
  [
    "Anthropic, thinking is output",
    anthropic,
    claude,
    { input_tokens: 1_000, output_tokens: 1, output_tokens_details: { thinking_tokens: 400 } },
    micro(1_000 * 3, 500 * 15),
  ],
  [
    "chat completions, cached tokens are part of the prompt, reasoning part of the completion",
    completions,
    gpt,
    {
      prompt_tokens: 10_000,
      prompt_tokens_details: { cached_tokens: 8_000 },
      completion_tokens: 500,
      completion_tokens_details: { reasoning_tokens: 300 },
    },
    micro(2_000 * 2, 8_000 * 0.2, 500 * 10),
  ],
  [
    "chat completions, written to the cache",
    completions,
    gpt,
    {
      prompt_tokens: 10_000,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 4_000 },
      completion_tokens: 500,
    },
    micro(6_000 * 2, 4_000 * 2.5, 500 * 10),
  ],
  [
    "chat completions, a tier by the whole prompt, for all of it",
    completions,
    gpt,
    { prompt_tokens: 300_000, prompt_tokens_details: { cached_tokens: 290_000 }, completion_tokens: 500 },
    micro(10_000 * 4, 290_000 * 0.4, 500 * 15),
  ],
  [
    "chat completions, at the threshold the lower tier",
    completions,
    gpt,
    { prompt_tokens: 272_000, completion_tokens: 0 },
    micro(272_000 * 2),
  ],
  [
    "chat completions, what a vendor says that it cost",
    completions,
    gpt,
    { prompt_tokens: 10_000, completion_tokens: 500, cost: 0.0123 },
    0.0123,
  ],
  [
    "OpenRouter with a key of one's own: what the upstream took too",
    completions,
    gpt,
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      cost: 0.001,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.02 },
    },
    0.021,
  ],
  [
    "xAI, in ten-billionths of a dollar",
    completions,
    gpt,
    { prompt_tokens: 10, completion_tokens: 5, cost_in_usd_ticks: 1_230_000_000 },
    0.123,
  ],
  [
    "more cached than sent: nothing is below zero",
    completions,
    gpt,
    { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 120 }, completion_tokens: 0 },
    micro(120 * 0.2),
  ],
  [
    "flex service, as the response says",
    completions,
    gpt,
    { prompt_tokens: 10_000, completion_tokens: 500 },
    micro(10_000 * 2, 500 * 10) / 2,
    { service_tier: "flex" },
  ],
  [
    "responses",
    responses,
    gpt,
    {
      input_tokens: 10_000,
      input_tokens_details: { cached_tokens: 6_000, cache_write_tokens: 1_000 },
      output_tokens: 500,
      output_tokens_details: { reasoning_tokens: 450 },
    },
    micro(3_000 * 2, 6_000 * 0.2, 1_000 * 2.5, 500 * 10),
  ],
  [
    "responses, priority service",
    responses,
    gpt,
    { input_tokens: 10_000, output_tokens: 500 },
    micro(10_000 * 2, 500 * 10) * 2,
    { service_tier: "priority" },
  ],
  [
    "responses, default service, whatever was asked for",
    responses,
    gpt,
    { input_tokens: 10_000, output_tokens: 500 },
    micro(10_000 * 2, 500 * 10),
    { service_tier: "default" },
  ],
  [
    "xAI's responses, in ticks",
    responses,
    gpt,
    { input_tokens: 10_000, output_tokens: 500, cost_in_usd_ticks: 40_000_000 },
    0.004,
  ],
  [
    "Google, cached tokens are part of the prompt, thoughts beside the candidates",
    google,
    gemini,
    { promptTokenCount: 10_000, cachedContentTokenCount: 8_000, candidatesTokenCount: 200, thoughtsTokenCount: 300 },
    micro(2_000 * 2, 8_000 * 0.2, 500 * 12),
  ],
  [
    "Google, a tier by the whole prompt",
    google,
    gemini,
    { promptTokenCount: 250_000, candidatesTokenCount: 500 },
    micro(250_000 * 4, 500 * 18),
  ],
  [
    "Google, flex service",
    google,
    gemini,
    { promptTokenCount: 10_000, candidatesTokenCount: 500, serviceTier: "FLEX" },
    micro(10_000 * 2, 500 * 12) / 2,
  ],
]

test.each([...examples])("%s", (_, wire, price, usage, dollars, more = {}) => {
  const to = model({ api: wire.api, cost: price })
  const { response } = decodeWith((input) => wire.make(input), wire.events(usage, more), to)
  expect(response.usage.cost?.total).toBeCloseTo(dollars, 12)
})

test.each<[string, string, number]>([
  ["gpt-6", "priority", 2],
  ["gpt-6", "fast", 2],
  ["gpt-5.5", "priority", 2.5],
  ["gpt-5.5", "flex", 0.5],
  ["gemini-4-carbon", "PRIORITY", 1.8],
  ["gemini-4-carbon", "SERVICE_TIER_PRIORITY", 1.8],
  ["gemini-4-carbon", "FLEX", 0.5],
  ["gemini-4-carbon", "STANDARD", 1],
  ["gpt-6", "default", 1],
  ["gpt-6", "toString", 1],
  ["gemini", "SERVICE_TIER_FLEX", 0.5],
])("%s served as %s costs %d times the list", (id, service, factor) => {
  expect(serviceFactor(id, service)).toBe(factor)
})

/** OpenAI's list of prices for priority processing, per million tokens: input, cached input, output. */
test.each<[string, number, number, number]>([
  ["gpt-5.5", 12.5, 1.25, 75],
  ["gpt-5.4", 5, 0.5, 30],
  ["gpt-5.4-mini", 1.5, 0.15, 9],
  ["gpt-5.2", 3.5, 0.35, 28],
  ["gpt-5.1", 2.5, 0.25, 20],
  ["gpt-5", 2.5, 0.25, 20],
  ["gpt-5-mini", 0.45, 0.045, 3.6],
  ["gpt-4.1", 3.5, 0.875, 14],
  ["gpt-4.1-mini", 0.7, 0.175, 2.8],
  ["gpt-4.1-nano", 0.2, 0.05, 0.8],
  ["gpt-4o-2024-11-20", 4.25, 2.125, 17],
  ["gpt-4o-2024-05-13", 8.75, 0, 26.25],
])("%s costs with priority what its vendor lists", (id, input, cacheRead, output) => {
  const price = findModel("openai", id)?.cost
  const used = { ...noUsage, input: 1e5, cacheRead: 1e5, output: 1e5 }
  const cost = costOf(used, price, serviceFactor(id, "priority"))
  expect(cost?.input).toBeCloseTo(input / 10, 9)
  expect(cost?.cacheRead).toBeCloseTo(cacheRead / 10, 9)
  expect(cost?.output).toBeCloseTo(output / 10, 9)
})

const usage = { input: 100_000, output: 10_000, cacheRead: 50_000, cacheWrite: 20_000, totalTokens: 180_000 }

test("no price is no cost, a free one is nothing, and the parts are told apart", () => {
  expect(costOf(usage, undefined)).toBeUndefined()
  expect(withCost(usage, undefined).cost).toBeUndefined()
  expect(costOf(usage, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })?.total).toBe(0)
  expect(costOf(usage, claude)).toMatchObject({ input: 0.3, output: 0.15, cacheRead: 0.015, cacheWrite: 0.075 })
})

test("the highest tier that the input is above is the one that holds", () => {
  const tiers = [
    { above: 100_000, input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 },
    { above: 169_999, input: 8, output: 40, cacheRead: 0.8, cacheWrite: 10 },
  ]
  expect(costOf(usage, { ...claude, tiers })?.input).toBeCloseTo(0.8)
  expect(costOf({ ...usage, input: 29_999 }, { ...claude, tiers })?.input).toBeCloseTo(0.09, 3)
  expect(costOf({ ...usage, input: 99_000 }, { ...claude, tiers })?.output).toBeCloseTo(0.2)
})

test("what the provider says it cost rules, also where no price is known", () => {
  expect(withCost(usage, undefined, { reported: 0.5 }).cost).toMatchObject({ total: 0.5, totalFromProvider: true })
})

const written = [{ type: "text", text: "x".repeat(400) }] as const

test("an attempt that broke is estimated from what was sent and written, and says so", () => {
  expect(attemptUsage(undefined, written, 1_000, gpt)).toMatchObject({
    input: 1_000,
    output: 100,
    totalTokens: 1_100,
    estimated: true,
    cost: { total: micro(1_000 * 2, 100 * 10) },
  })
  // Anthropic tells the input at the start, and of the output only its first token.
  const begun = { ...usage, output: 1, totalTokens: 170_001 }
  expect(attemptUsage(begun, written, 1_000, claude)).toMatchObject({ input: 100_000, output: 100, estimated: true })
  // What was counted holds; what wrote nothing is not guessed at.
  expect(attemptUsage(usage, written, 1_000, claude)).toEqual(usage)
  expect(attemptUsage(undefined, [], 1_000, claude)).toMatchObject({ input: 0, output: 0, totalTokens: 0 })
})
