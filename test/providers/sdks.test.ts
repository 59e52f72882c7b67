/** The vendors' own SDKs, used directly, read what the model server says in every format: it is a fair stand-in for the vendors. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Anthropic } from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai/web"
import { OpenAI } from "openai"
import type { Answer, Reply } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer()
})
afterAll(() => server.stop())

/** What a person of these SDKs would make of a stream. */
type Heard = { text: string; thinking: string; calls: { name: string; args: string }[]; end: string; output: number }

const nothing = (): Heard => ({ text: "", thinking: "", calls: [], end: "", output: 0 })
const parameters = { type: "object", properties: {} }

async function completions(): Promise<Heard> {
  const client = new OpenAI({ apiKey: "k", baseURL: server.completionsUrl, maxRetries: 0, logLevel: "off" })
  const stream = await client.chat.completions.create({
    model: "m",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "hi" }],
    tools: [{ type: "function", function: { name: "read", description: "read", parameters } }],
  })
  const heard = nothing()
  for await (const chunk of stream) {
    heard.output = chunk.usage?.completion_tokens ?? heard.output
    const [choice] = chunk.choices
    heard.end = choice?.finish_reason ?? heard.end
    heard.text += choice?.delta.content ?? ""
    const { reasoning_content: thought } = (choice?.delta ?? {}) as { reasoning_content?: string }
    heard.thinking += thought ?? ""
    for (const piece of choice?.delta.tool_calls ?? []) {
      const call = (heard.calls[piece.index] ??= { name: "", args: "" })
      call.name += piece.function?.name ?? ""
      call.args += piece.function?.arguments ?? ""
    }
  }
  return heard
}

async function responses(): Promise<Heard> {
  const client = new OpenAI({ apiKey: "k", baseURL: server.responsesUrl, maxRetries: 0, logLevel: "off" })
  const stream = await client.responses.create({
    model: "m",
    stream: true,
    store: false,
    input: [{ role: "user", content: [{ type: "input_text", text: "hi" }] }],
    tools: [{ type: "function", name: "read", description: "read", parameters, strict: false }],
  })
  const heard = nothing()
  for await (const event of stream) {
    if (event.type === "response.output_text.delta") heard.text += event.delta
    if (event.type === "response.reasoning_summary_text.delta") heard.thinking += event.delta
    if (event.type === "response.output_item.done" && event.item.type === "function_call")
      heard.calls.push({ name: event.item.name, args: event.item.arguments })
    if (event.type === "response.completed" || event.type === "response.incomplete") {
      heard.end = event.response.status ?? ""
      heard.output = event.response.usage?.output_tokens ?? 0
    }
  }
  return heard
}

async function anthropic(): Promise<Heard> {
  const client = new Anthropic({ apiKey: "k", baseURL: server.anthropicUrl, maxRetries: 0, logLevel: "off" })
  const message = await client.messages
    .stream({
      model: "m",
      max_tokens: 99,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      tools: [{ name: "read", description: "read", input_schema: { type: "object" } }],
    })
    .finalMessage()
  const heard = nothing()
  for (const block of message.content) {
    if (block.type === "text") heard.text += block.text
    if (block.type === "thinking") heard.thinking += block.thinking
    if (block.type === "tool_use") heard.calls.push({ name: block.name, args: JSON.stringify(block.input) })
  }
  return {
    ...heard,
    end: message.stop_reason ?? "",
    output: (message.usage as { output_tokens?: number }).output_tokens ?? 0,
  }
}

async function google(): Promise<Heard> {
  const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: server.url, apiVersion: "v1beta" } })
  const stream = await client.models.generateContentStream({
    model: "m",
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    config: { tools: [{ functionDeclarations: [{ name: "read", parametersJsonSchema: parameters }] }] },
  })
  const heard = nothing()
  for await (const chunk of stream) {
    const { candidatesTokenCount = 0, thoughtsTokenCount = 0 } = chunk.usageMetadata ?? {}
    heard.output = candidatesTokenCount + thoughtsTokenCount
    heard.end = chunk.candidates?.[0]?.finishReason ?? heard.end
    for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
      if (part.functionCall !== undefined)
        heard.calls.push({ name: part.functionCall.name ?? "", args: JSON.stringify(part.functionCall.args) })
      if (part.thought === true) heard.thinking += part.text ?? ""
      else heard.text += part.text ?? ""
    }
  }
  return heard
}

const sdks: readonly [string, () => Promise<Heard>, tools: string, stop: string, length: string][] = [
  ["completions, by openai", completions, "tool_calls", "stop", "length"],
  ["responses, by openai", responses, "completed", "completed", "incomplete"],
  ["anthropic, by @anthropic-ai/sdk", anthropic, "tool_use", "end_turn", "max_tokens"],
  ["google, by @google/genai", google, "STOP", "STOP", "MAX_TOKENS"],
]

const usage = { input: 5, output: 9, reasoning: 4 }
const turn: Answer = {
  thinking: "hm größe",
  text: "hello 😀",
  toolCalls: [
    { name: "read", args: { path: "ä" } },
    { name: "read", args: { path: "b" } },
  ],
  usage,
}

for (const [name, ask, tools, stop, length] of sdks) {
  const heard = {
    text: "hello 😀",
    thinking: "hm größe",
    calls: [
      { name: "read", args: '{"path":"ä"}' },
      { name: "read", args: '{"path":"b"}' },
    ],
    output: 9,
  }
  const whole: readonly [string, Answer][] = [
    ["in pieces", turn],
    ["one byte at a time", { ...turn, splitAt: 1 }],
    ["cut within letters and fields", { ...turn, splitAt: 7 }],
    ["several events in one chunk", { ...turn, together: true }],
    ["arguments whole", { ...turn, args: "whole" }],
    ["with waits", { ...turn, delayMs: 1 }],
  ]
  test.each([...whole])(`${name}: a turn %s`, async (_, answer) => {
    server.script([answer])
    expect(await ask()).toEqual({ ...heard, end: tools })
  })

  test(`${name}: an end, an end by the limit, and no counts`, async () => {
    server.script([{ text: "so" }, { text: "so", finish: "length" }, { text: "so", usage: null }])
    expect(await ask()).toMatchObject({ text: "so", end: stop })
    expect(await ask()).toMatchObject({ text: "so", end: length })
    expect(await ask()).toMatchObject({ text: "so", output: 0 })
  })

  // The helper that collects a message throws; bare streams do not, which is why the layer looks for the terminal event itself.
  test(`${name}: a clean end without the terminal event`, async () => {
    server.script([{ text: "so", cutWithoutEnd: true }])
    if (ask === anthropic) await expect(ask()).rejects.toThrow()
    else expect(await ask()).toMatchObject({ text: "so" })
  })

  const broken: readonly [string, Reply][] = [
    ["401", { status: 401, body: { error: { message: "no" } } }],
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "7" }, body: { error: { message: "slow" } } }],
    ["503 with a web page", { status: 503, headers: { "content-type": "text/html" }, body: "<html>Down</html>" }],
    ["an error inside the stream", { text: "so", failed: { type: "overloaded_error", message: "busy", status: 503 } }],
    ["a reset before the headers", { reset: "before-headers" }],
    ["a reset after the headers", { reset: "after-headers" }],
    ["a reset in the middle", { text: "so", reset: "mid" }],
    ["a body without its end", { text: "so", cut: "mid" }],
  ]
  test.each([...broken])(`${name}: %s is thrown`, async (_, reply) => {
    server.script([reply])
    const before = server.violations.length
    await expect(ask()).rejects.toThrow()
    expect(server.violations.length).toBe(before)
  })
}

test("none of them sent anything that the server refuses", () => {
  expect(server.violations).toEqual([])
})
