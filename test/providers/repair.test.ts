import { expect, test } from "bun:test"
import { completionsApi } from "../../src/providers/openai-completions/call.ts"
import { repairBody } from "../../src/providers/repair.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { startModelServer } from "../support/model-server.ts"
import { model, request, user } from "./support.ts"

const base: JsonObject = {
  model: "m",
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 9,
  messages: [],
}

const named: readonly [string, string, JsonObject, readonly string[]][] = [
  ["OpenAI", "Unknown parameter: 'prompt_cache_key'.", { prompt_cache_key: "k" }, ["prompt_cache_key"]],
  [
    "xAI (field report 92)",
    "Model grok-4 does not support parameter reasoningEffort.",
    { reasoning_effort: "high" },
    ["reasoning_effort"],
  ],
  [
    "a router (field report 91)",
    "Reasoning is mandatory for this endpoint",
    { reasoning: { enabled: false } },
    ["reasoning"],
  ],
  ["pydantic", '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}', {}, ["stream_options"]],
  ["Cerebras", "property 'tool_stream' is unsupported", { tool_stream: true }, ["tool_stream"]],
  [
    "two at once",
    "Extra inputs are not permitted: tool_stream, prompt_cache_key",
    { tool_stream: true, prompt_cache_key: "k" },
    ["prompt_cache_key", "tool_stream"],
  ],
]

test.each([...named])("%s minds a field, which is left out", (_, body, fields, gone) => {
  const sent = { ...base, ...fields }
  const repaired = repairBody(sent, { status: 400, body }) ?? {}
  expect(
    Object.keys(sent)
      .filter((field) => !(field in repaired))
      .sort(),
  ).toEqual([...gone])
})

test("the limit of the output is sent under its other name", () => {
  const body =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  const { max_tokens: _, ...rest } = base
  expect(repairBody(base, { status: 400, body })).toEqual({ ...rest, max_completion_tokens: 9 })
})

const kept: readonly [string, number, string][] = [
  ["the model", 400, "model 'm' is not supported"],
  ["the messages", 400, "Extra inputs are not permitted: messages.0.foo"],
  ["nothing by name", 400, "unknown error"],
  ["a field, in another status", 401, "Unknown parameter: stream_options"],
  ["a value, and not that the field is there", 400, "stream_options is too long"],
]

test.each([...kept])("%s is minded: nothing is left out", (_, status, body) => {
  expect(repairBody(base, { status, body })).toBeUndefined()
})

test("refused signatures take all earlier thinking with them, once", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "s" }
  const messages = [
    { role: "user", content: [{ type: "text", text: "a" }] },
    { role: "assistant", content: [thinking, { type: "text", text: "x" }] },
  ]
  const body = { model: "m", thinking: { type: "adaptive" }, messages }
  const refusal = {
    status: 400,
    body: '{"error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}',
  }
  const repaired = repairBody(body, refusal)
  expect(repaired).toEqual({
    ...body,
    messages: [messages[0] ?? {}, { role: "assistant", content: [{ type: "text", text: "x" }] }],
  })
  expect(repaired && repairBody(repaired, refusal)).toBeUndefined()
})

test("a turn that has to begin with thinking and does not goes on without", () => {
  const messages = [{ role: "user", content: [{ type: "text", text: "a" }] }]
  const body = { model: "m", thinking: { type: "enabled", budget_tokens: 1_024 }, messages }
  const text =
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block"
  const refusal = { status: 400, body: JSON.stringify({ error: { message: text } }) }
  expect(repairBody(body, refusal)).toEqual({ model: "m", messages })
  expect(repairBody({ model: "m", messages }, refusal)).toBeUndefined()
})

test("who may not have summaries of reasoning goes on without them, and thinks as much as before", () => {
  const body = { model: "m", reasoning: { effort: "high", summary: "auto" }, input: [] }
  const error = {
    message: "Your organization must be verified to generate reasoning summaries.",
    param: "reasoning.summary",
    code: "unsupported_value",
  }
  const refusal = { status: 400, body: JSON.stringify({ error }) }
  expect(repairBody(body, refusal)).toEqual({ model: "m", reasoning: { effort: "high" }, input: [] })
})

test("a refused field costs one more request once, and none from then on", async () => {
  const server = await startModelServer({ strict: false })
  server.script((asked) =>
    "reasoning_effort" in asked.body
      ? { status: 400, body: { error: { message: "does not support parameter reasoningEffort" } } }
      : { text: "hi" },
  )
  const to = model({ baseUrl: server.completionsUrl, thinking: { high: "high" } })
  const api = completionsApi()
  const wanted = request(to, [user("hi")], { thinking: "high" })
  const options = {
    apiKey: "k",
    headers: {},
    signal: new AbortController().signal,
    clock: new ManualClock(),
    stallMs: 9_000,
    onDelta: () => {},
  }
  expect(await api.call(wanted, api.encode(wanted), options)).toMatchObject({ content: [{ text: "hi" }] })
  expect(server.requests.length).toBe(2)
  await api.call(wanted, api.encode(wanted), options)
  expect(server.requests.length).toBe(3)
  server.script(() => ({ status: 400, body: { error: { message: "unknown parameter: stream_options" } } }))
  await expect(api.call(wanted, api.encode(wanted), options)).rejects.toMatchObject({ kind: "fatal" })
  expect(server.requests.length).toBe(5)
  await server.stop()
})
