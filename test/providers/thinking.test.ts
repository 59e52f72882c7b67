/** Thinking levels, for every format and every model of the catalog: each is clamped to what the model takes, and said in its vendor's words. */
import { expect, test } from "bun:test"
import { thinkingLevels, type ThinkingLevel } from "../../src/message/message.ts"
import { encodeAnthropic } from "../../src/providers/anthropic-messages/encode.ts"
import { knownProviders, modelsOf } from "../../src/providers/catalog.ts"
import { encodeGoogle } from "../../src/providers/google-generative-ai/encode.ts"
import { modelName, type Model } from "../../src/providers/model.ts"
import { encodeCompletions } from "../../src/providers/openai-completions/encode.ts"
import { encodeResponses } from "../../src/providers/openai-responses/encode.ts"
import type { ApiName, Encoded, ModelRequest } from "../../src/providers/provider.ts"
import { quirksOf } from "../../src/providers/quirks.ts"
import { chooseThinking, levelsOf } from "../../src/providers/thinking.ts"
import { isObject, type Json, type JsonObject } from "../../src/std/json.ts"
import { model, request, user } from "./support.ts"

const encoders: Readonly<Partial<Record<ApiName, (request: ModelRequest) => Encoded>>> = {
  "openai-completions": encodeCompletions,
  "openai-responses": encodeResponses,
  "anthropic-messages": encodeAnthropic,
  "google-generative-ai": encodeGoogle,
}

function bodyOf(to: Model, thinking: ThinkingLevel): JsonObject {
  const encode = encoders[to.api]
  if (encode === undefined) throw new Error(`no format ${to.api}`)
  return encode(request(to, [user("hi")], { thinking })).body
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
}

/** Every place where some vendor is told an effort. */
const efforts: readonly (readonly string[])[] = [
  ["reasoning_effort"],
  ["reasoning", "effort"],
  ["output_config", "effort"],
  ["generationConfig", "thinkingConfig", "thinkingLevel"],
]

test("every model of the catalog is told a level that it takes, in its vendor's word, at every wish", () => {
  const wrong: string[] = []
  for (const { id, local } of knownProviders()) {
    if (local) continue
    for (const to of modelsOf(id)) {
      const words = new Set(Object.values(to.thinking).map((word) => word.toUpperCase()))
      // An adaptive model of Messages has no lower effort than low.
      if (words.has("MINIMAL")) words.add("LOW")
      for (const wished of thinkingLevels) {
        const body = bodyOf(to, wished)
        const said = efforts.flatMap((path) => at(body, ...path) ?? [])
        const chosen = chooseThinking(to, wished)
        const strange = said.filter((word) => typeof word !== "string" || !words.has(word.toUpperCase()))
        if (strange.length > 0 || (chosen === undefined && said.length > 0))
          wrong.push(`${modelName(to)} at ${wished}: ${JSON.stringify(said)}`)
        if (chosen !== undefined && !levelsOf(to).includes(chosen.level)) wrong.push(`${modelName(to)} at ${wished}`)
      }
    }
  }
  expect(wrong).toEqual([])
})

test("a thinking budget is at least what the vendor takes and below the limit of the answer", () => {
  for (const { id, local } of knownProviders()) {
    if (local) continue
    for (const to of modelsOf(id).filter(({ api }) => api === "anthropic-messages"))
      for (const wished of thinkingLevels) {
        const body = bodyOf(to, wished)
        const budget = at(body, "thinking", "budget_tokens")
        if (budget === undefined) continue
        expect(quirksOf(to).adaptiveThinking).toBe(false)
        expect(Number(budget)).toBeGreaterThanOrEqual(1_024)
        expect(Number(budget)).toBeLessThan(Number(body.max_tokens))
      }
  }
})

const all = { off: "none", minimal: "minimal", low: "low", medium: "medium", high: "high", xhigh: "xhigh", max: "max" }
const off = { off: "" }

type Row = readonly [name: string, to: Partial<Model>, wished: ThinkingLevel, fields: JsonObject]
const budgetModel = { api: "anthropic-messages", maxTokens: 64_000 } as const
const adaptive = { api: "anthropic-messages", maxTokens: 64_000, quirks: { adaptiveThinking: true } } as const
const gemini = { api: "google-generative-ai" } as const

const rows: readonly Row[] = [
  ["responses, off", { api: "openai-responses", thinking: all }, "off", { reasoning: { effort: "none" } }],
  [
    "responses, on",
    { api: "openai-responses", thinking: all },
    "xhigh",
    { reasoning: { effort: "xhigh", summary: "auto" } },
  ],
  [
    "responses, more than there is",
    { api: "openai-responses", thinking: { low: "low" } },
    "max",
    { reasoning: { effort: "low", summary: "auto" } },
  ],
  ["completions, off with a word", { thinking: all }, "off", { reasoning_effort: "none" }],
  ["completions, on", { thinking: all }, "max", { reasoning_effort: "max" }],
  ["completions, off that is silence", { thinking: { ...off, high: "high" } }, "off", { reasoning_effort: undefined }],
  [
    "messages, a budget",
    { ...budgetModel, thinking: all },
    "low",
    { thinking: { type: "enabled", budget_tokens: 4_096 } },
  ],
  [
    "messages, the largest budget that leaves an answer",
    { ...budgetModel, maxTokens: 20_000, thinking: all },
    "max",
    { thinking: { type: "enabled", budget_tokens: 18_976 } },
  ],
  ["messages, no budget", { ...budgetModel, thinking: all }, "off", { thinking: undefined }],
  [
    "messages, adaptive",
    { ...adaptive, thinking: all },
    "max",
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "max" } },
  ],
  [
    "messages, adaptive and off",
    { ...adaptive, thinking: all },
    "off",
    { thinking: { type: "disabled" }, output_config: undefined },
  ],
  [
    "messages, adaptive that cannot be off",
    { ...adaptive, thinking: { low: "low", high: "high" } },
    "off",
    { output_config: { effort: "low" } },
  ],
  [
    "Gemini, a level",
    { ...gemini, thinking: all },
    "high",
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" } } },
  ],
  [
    "Gemini before 3, a budget",
    { ...gemini, quirks: { oldGemini: true }, thinking: all },
    "medium",
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 8_192 } } },
  ],
  [
    "Gemini before 3, off",
    { ...gemini, quirks: { oldGemini: true }, thinking: all },
    "off",
    { generationConfig: { thinkingConfig: { includeThoughts: false, thinkingBudget: 0 } } },
  ],
  [
    "a model that does not reason",
    { thinking: {} },
    "max",
    { reasoning_effort: undefined, reasoning: undefined, thinking: undefined },
  ],
]

test.each([...rows])("%s", (_, to, wished, fields) => {
  const body = bodyOf(model(to), wished)
  for (const [name, value] of Object.entries(fields)) expect<unknown>(body[name]).toEqual(value)
})
