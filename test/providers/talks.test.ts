/**
 * Random talks: the model changes at any request, answers come cut at any byte, think, call tools, break off, are stopped; pictures come from
 * the person and from tools. Every request is one that the strict server takes, and every answer is what was said.
 */
import { afterEach, beforeEach, expect, test } from "bun:test"
import type { AssistantMessage, AssistantPart, Message, UserPart } from "../../src/message/message.ts"
import { textOf, thinkingLevels } from "../../src/message/message.ts"
import { emptyPartial, fold, type Partial } from "../../src/message/delta.ts"
import { noUsage } from "../../src/message/usage.ts"
import type { Model } from "../../src/providers/model.ts"
import { ProviderError, type Api, type Response } from "../../src/providers/provider.ts"
import { createProviders } from "../../src/providers/registry.ts"
import type { JsonObject } from "../../src/std/json.ts"
import { ManualClock } from "../support/manual-clock.ts"
import type { Answer, Reply, ScriptedCall } from "../support/model-script.ts"
import { startModelServer, type ModelServer } from "../support/model-server.ts"
import { seeded } from "../support/seeded.ts"
import { image, model, readTool, request, user } from "./support.ts"

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer({ keepAlive: true })
})
afterEach(() => server.stop())

/** As many talks, each of as many requests. */
const talks = 12
const requestsEach = 14

const levels = { off: "none", low: "low", high: "high" }

function models(): readonly Model[] {
  const common = { thinking: levels, contextWindow: 1_000_000, maxTokens: 32_000 }
  const claude = { ...common, provider: "a", api: "anthropic-messages", baseUrl: server.anthropicUrl } as const
  // What looks like a tag is text here.
  const chat = { ...common, provider: "c", baseUrl: server.completionsUrl, quirks: { thinkTags: false } }
  const gpt = { ...common, provider: "r", api: "openai-responses", baseUrl: server.responsesUrl } as const
  return [
    model({ ...chat, id: "chat" }),
    model({ ...chat, id: "blind", input: ["text"] }),
    model({ ...gpt, id: "gpt" }),
    model({ ...gpt, id: "gpt-2" }),
    model({ ...claude, id: "claude" }),
    model({ ...claude, id: "claude-2", quirks: { adaptiveThinking: true } }),
    model({ ...common, provider: "g", id: "gemini", api: "google-generative-ai", baseUrl: server.googleUrl }),
  ]
}

const words = [
  "plain",
  "größe",
  "😀 a pair",
  'say "x"\\',
  "\u2028line",
  "{}",
  "</think>",
  "data: [DONE]",
  "\r\n",
  "日本語",
]

class Talk {
  readonly #random: () => number
  readonly #apis = createProviders({ providers: {}, keys: () => "k" })
  readonly history: Message[] = [user("begin")]

  constructor(seed: number) {
    this.#random = seeded(seed)
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#below(of.length)] as T
  }

  #text(): string {
    return (
      Array.from({ length: 1 + this.#below(4) }, () => this.#one(words))
        .join(" ")
        .trim() || "x"
    )
  }

  #call(): ScriptedCall {
    const nested = { list: [this.#text(), null, 1.5], "key \\": { deep: this.#text() } }
    const args: JsonObject = this.#random() < 0.5 ? { path: this.#text() } : nested
    return { name: this.#one(["read", "write"]), args: this.#random() < 0.15 ? {} : args }
  }

  #answer(completions: boolean): Answer {
    const calls = Array.from({ length: this.#below(4) }, () => this.#call())
    const thinks = this.#random() < 0.6
    return {
      ...(thinks ? { thinking: this.#text() } : {}),
      ...(calls.length === 0 || this.#random() < 0.5 ? { text: this.#text() } : {}),
      ...(calls.length > 0 ? { toolCalls: calls } : {}),
      ...(completions ? { thinkingField: this.#one(["reasoning_content", "reasoning"]) } : {}),
      chunks: 1 + this.#below(5),
      ...(this.#random() < 0.6 ? { splitAt: 1 + this.#below(40) } : {}),
      ...(this.#random() < 0.2 ? { together: true } : {}),
      ...(this.#random() < 0.3 ? { args: "whole" as const } : {}),
      ...(this.#random() < 0.2 ? { usage: null } : {}),
    }
  }

  #broken(answer: Answer): Reply {
    return this.#one<Reply>([
      { ...answer, cut: "mid" },
      { ...answer, reset: "mid" },
      { ...answer, cutWithoutEnd: true },
      { ...answer, failed: { type: "overloaded_error", message: "busy", status: 529 } },
      { status: 503, body: "<html>down</html>" },
      { reset: "after-headers" },
    ])
  }

  /** One request and what follows it. */
  async step(): Promise<void> {
    const to = this.#one(models())
    const answer = this.#answer(to.api === "openai-completions")
    const fate = this.#random()
    const stops = fate < 0.12
    server.script([!stops && fate < 0.3 ? this.#broken(answer) : answer])
    const asked = await this.#ask(to, stops)
    if ("response" in asked) {
      if (stops || fate >= 0.3) this.#compare(answer, asked.response)
      this.#take(to, asked.response.content, asked.response.stopReason === "toolUse" ? "toolUse" : "stop")
    } else {
      if (!["retry", "aborted"].includes(asked.error.kind)) throw asked.error
      this.#take(
        to,
        asked.partial.parts.map(({ part }) => part),
        stops ? "aborted" : "error",
      )
    }
    if (this.#random() < 0.4 || this.history.at(-1)?.role === "assistant")
      this.history.push(user(this.#text(), ...(this.#random() < 0.3 ? [image] : [])))
  }

  async #ask(to: Model, stops: boolean): Promise<{ response: Response } | { error: ProviderError; partial: Partial }> {
    const api: Api = await this.#apis.apiOf(to)
    const controller = new AbortController()
    const last = this.#below(8)
    let heard = 0
    let partial = emptyPartial
    const tools = [readTool, { ...readTool, name: "write" }]
    const wanted = request(to, this.history, { tools, thinking: this.#one(thinkingLevels), cacheKey: "talk" })
    try {
      const response = await api.call(wanted, api.encode(wanted), {
        apiKey: "k",
        headers: {},
        signal: controller.signal,
        clock: new ManualClock(),
        stallMs: 60_000,
        onDelta(delta) {
          partial = fold(partial, delta)
          if (stops && heard++ >= last) controller.abort()
        },
      })
      expect(partial.parts.map(({ part }) => part)).toEqual(response.content as AssistantPart[])
      return { response }
    } catch (error) {
      if (error instanceof ProviderError) return { error, partial }
      throw error
    }
  }

  #compare(said: Answer, heard: Response): void {
    const thoughts = heard.content.flatMap((part) => (part.type === "thinking" ? [part.thinking] : []))
    const calls = heard.content.filter((part) => part.type === "toolCall")
    expect<unknown>(thoughts.join("")).toBe(said.thinking ?? "")
    expect<unknown>(textOf({ content: heard.content } as AssistantMessage)).toBe(said.text ?? "")
    expect<unknown>(calls.map(({ name, arguments: args }) => ({ name, args }))).toEqual([...(said.toolCalls ?? [])])
  }

  #take(from: Model, content: readonly AssistantPart[], stopReason: AssistantMessage["stopReason"]): void {
    const { provider, api, id } = from
    const ended = {
      role: "assistant",
      content,
      provider,
      api,
      model: id,
      usage: noUsage,
      stopReason,
      timestamp: 1,
    } as const
    this.history.push(ended)
    if (stopReason !== "toolUse") return
    for (const part of content) {
      if (part.type !== "toolCall" || this.#random() < 0.08) continue
      const pictures: readonly UserPart[] = this.#random() < 0.3 ? [image] : []
      const texts: readonly UserPart[] = this.#random() < 0.8 ? [{ type: "text", text: this.#text() }] : []
      const isError = this.#random() < 0.2
      this.history.push({
        role: "toolResult",
        toolCallId: part.id,
        toolName: part.name,
        content: [...texts, ...pictures],
        isError,
        timestamp: 1,
      })
    }
  }
}

test.each(Array.from({ length: talks }, (_, seed) => [seed]))(
  "talk %i is understood by all who take part",
  async (seed) => {
    const talk = new Talk(seed)
    for (let count = 0; count < requestsEach; count++) {
      await talk.step()
      expect(server.violations).toEqual([])
    }
  },
)
