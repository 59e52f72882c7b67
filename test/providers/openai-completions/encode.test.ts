import { expect, test } from "bun:test"
import type { ThinkingLevel } from "../../../src/message/message.ts"
import { encodeCompletions } from "../../../src/providers/openai-completions/encode.ts"
import { usualThinking } from "../../../src/providers/thinking.ts"
import { checkRequest } from "../../support/model-check.ts"
import type { Model } from "../../../src/providers/model.ts"
import type { JsonObject } from "../../../src/std/json.ts"
import { assistant, call, model, request, result, user } from "../support.ts"

function bodyFor(to: Model, thinking: ThinkingLevel = "high", more: Parameters<typeof request>[2] = {}): JsonObject {
  return encodeCompletions(request(to, [user("hi")], { thinking, ...more })).body
}

const thinkers: readonly [string, string, object, object][] = [
  ["openai", "effort", { reasoning_effort: "high" }, {}],
  [
    "deepseek",
    "its switch and the effort",
    { thinking: { type: "enabled" }, reasoning_effort: "high" },
    { thinking: { type: "disabled" } },
  ],
  ["zai", "its switch", { thinking: { type: "enabled", clear_thinking: false } }, { thinking: { type: "disabled" } }],
  ["qwen-token-plan", "enable_thinking", { enable_thinking: true }, { enable_thinking: false }],
  ["openrouter", "a reasoning object", { reasoning: { effort: "high" } }, { reasoning: { enabled: false } }],
  ["together", "a switch in an object", { reasoning: { enabled: true } }, { reasoning: { enabled: false } }],
]

test.each([...thinkers])("%s takes thinking as %s", (provider, _, on, off) => {
  const to = model({ provider, thinking: usualThinking })
  expect(bodyFor(to, "high")).toMatchObject(on)
  expect(bodyFor(to, "off")).toMatchObject(off)
})

const fields = ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "chat_template_kwargs"]

test("a model that does not reason is asked nothing about it, whatever level is wished (field report 92)", () => {
  for (const [provider] of thinkers)
    for (const level of ["off", "high"] as const) {
      const body = bodyFor(model({ provider }), level)
      expect(fields.filter((field) => field in body)).toEqual([])
    }
})

test("off with a word of the vendor is said with that word (field report 91)", () => {
  expect(bodyFor(model({ thinking: { off: "none", low: "low" } }), "off")).toMatchObject({ reasoning_effort: "none" })
  const must = model({ provider: "openrouter", thinking: { low: "low", high: "high" } })
  expect(bodyFor(must, "off")).toMatchObject({ reasoning: { effort: "low" } })
})

test("an unknown host gets what every host takes and nothing else", () => {
  const { body } = encodeCompletions(request(model(), [user("hi")], { tools: [], maxTokens: 10, cacheKey: "k" }))
  expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "stream", "stream_options"])
  expect(checkRequest("completions", JSON.stringify(body))).toEqual([])
})

test("quirks of the config rule over the vendor's row", () => {
  const to = model({
    baseUrl: "https://api.openai.com/v1",
    quirks: { maxTokensField: "max_tokens", systemRole: "system", cacheKey: false, body: { seed: 1 } },
  })
  const body = bodyFor(to, "off", { maxTokens: 5, cacheKey: "k" })
  expect(body).toMatchObject({ max_tokens: 5, seed: 1, messages: [{ role: "system" }, {}] })
  expect(body.prompt_cache_key).toBeUndefined()
})

test("Z.ai is asked to stream arguments, and only where there are tools", () => {
  const to = model({ provider: "zai" })
  expect(bodyFor(to).tool_stream).toBe(true)
  expect("tool_stream" in bodyFor(to, "off", { tools: [] })).toBe(false)
})

test("cache marks stand behind the system prompt and the newest word of the user, where they are taken", () => {
  const to = model({ quirks: { cacheMarks: true } })
  const messages = [user("a"), assistant(to, call("1")), result("1", "r"), user("b")]
  const { body } = encodeCompletions(request(to, messages))
  const marked = (body.messages as readonly JsonObject[]).map((message) =>
    JSON.stringify(message).includes("cache_control"),
  )
  expect(marked).toEqual([true, false, false, false, true])
})

test("a cache key is cut to what is taken", () => {
  expect(
    bodyFor(model({ baseUrl: "https://api.openai.com/v1" }), "off", { cacheKey: "k".repeat(99) }).prompt_cache_key,
  ).toHaveLength(64)
})
