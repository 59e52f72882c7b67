/**
 * A model that says anything: answers, calls of every tool, nonsense, nothing; and a provider that fails in every way that a provider fails.
 *
 * - What it is asked must be acceptable to every format, and is checked with the strict servers of the tests.
 * - In the calm at the end of a simulation it answers shortly and never fails, so that all work comes to an end.
 */
import { summarySystem } from "../../src/engine/summary.ts"
import { fold, emptyPartial, type Delta } from "../../src/message/delta.ts"
import type { AssistantPart, ToolCallPart } from "../../src/message/message.ts"
import { textOf } from "../../src/message/message.ts"
import type { Usage } from "../../src/message/usage.ts"
import { encodeAnthropic } from "../../src/providers/anthropic-messages/encode.ts"
import type { Model } from "../../src/providers/model.ts"
import { encodeCompletions } from "../../src/providers/openai-completions/encode.ts"
import {
  ProviderError,
  type Api,
  type CallOptions,
  type Encoded,
  type ModelRequest,
  type Response,
} from "../../src/providers/provider.ts"
import { checkRequest } from "../support/model-check.ts"
import { signatureFor } from "../support/model-stream.ts"
import type { World } from "./world.ts"

const base = {
  baseUrl: "http://127.0.0.1:1/v1",
  maxTokens: 4_000,
  thinking: { off: "", high: "high" },
  input: ["text"] as const,
  quirks: {},
  headers: {},
  edits: "replace" as const,
}

export const simModels: readonly Model[] = [
  { ...base, provider: "alpha", id: "chat", name: "Chat", api: "openai-completions", contextWindow: 20_000 },
  { ...base, provider: "beta", id: "claude", name: "Messages", api: "anthropic-messages", contextWindow: 6_000 },
]

type Plan = {
  readonly parts: readonly AssistantPart[]
  readonly stop: Response["stopReason"]
  /** Instead of an end. */
  readonly error?: ProviderError
  /** Nothing more comes until the watchdog ends it. */
  readonly stalls?: boolean
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}

function encode(request: ModelRequest): Encoded {
  return request.model.api === "anthropic-messages" ? encodeAnthropic(request) : encodeCompletions(request)
}

/** What is wrong with a request, told in every format. */
export function requestProblems(request: ModelRequest): readonly string[] {
  return simModels.flatMap((model) => {
    const body = JSON.stringify(encode({ ...request, model }).body)
    const format = model.api === "anthropic-messages" ? "anthropic" : "completions"
    return checkRequest(format, body, {}, model.id).map((problem) => `${model.provider}: ${problem}`)
  })
}

export class SimModel {
  readonly #world: World
  /** Hashes of all bodies that were sent. */
  readonly bodies = new Set<string>()
  #count = 0
  /** What each response cost, by the word that it bears. */
  readonly summaries = new Map<string, number>()

  constructor(world: World) {
    this.#world = world
  }

  api(model: Model): Api {
    return {
      name: model.api,
      encoder: 1,
      encode,
      call: (request, encoded, options) => this.#call(request, encoded, options),
    }
  }

  #call(request: ModelRequest, encoded: Encoded, options: CallOptions): Promise<Response> {
    const { life } = this.#world
    if (life === null || life.dead) return new Promise(() => undefined)
    const n = ++this.#count
    const isSummary = request.system === summarySystem
    const hash = sha256(JSON.stringify(encoded.body))
    this.bodies.add(hash)
    this.#world.say(`request ${n}${isSummary ? " for a summary" : ""}`)
    for (const problem of requestProblems(request)) this.#world.problem(`request ${n} would be refused: ${problem}`)
    if (!isSummary) this.#world.asked(hash)
    const plan = isSummary ? this.#summary(n) : this.#plan(request, n)
    return this.#stream(plan, n, isSummary, options)
  }

  #stream(plan: Plan, n: number, isSummary: boolean, options: CallOptions): Promise<Response> {
    const { chance, schedule, life } = this.#world
    return new Promise((resolve, reject) => {
      let over = false
      const end = (finish: () => void): void => {
        if (over) return
        over = true
        finish()
      }
      const stop = (): void => {
        schedule.after(chance.next() * 3, life, () =>
          end(() => reject(new ProviderError("aborted", "aborted", "stopped"))),
        )
      }
      if (options.signal.aborted) return stop()
      options.signal.addEventListener("abort", stop, { once: true })
      let at = chance.skewed(2_000)
      for (const delta of this.#deltas(plan)) {
        schedule.after(at, life, () => {
          if (over) return
          life?.op("before a delta")
          options.onDelta(delta)
        })
        at += chance.hit(0.5) ? 0 : chance.skewed(300)
      }
      if (plan.stalls === true) {
        const error = new ProviderError("retry", "stalled", "Nothing came.")
        return schedule.after(at + options.stallMs, life, () => end(() => reject(error)))
      }
      schedule.after(at + chance.next() * 10, life, () =>
        end(() => {
          if (plan.error !== undefined) return reject(plan.error)
          resolve({ content: plan.parts, stopReason: plan.stop, usage: this.#usage(n, isSummary, plan) })
        }),
      )
    })
  }

  #usage(n: number, isSummary: boolean, plan: Plan): Usage {
    const output = 1 + (n % 97)
    const text = isSummary ? textOf({ content: plan.parts }) : ""
    if (text !== "") this.summaries.set(text, output + 10)
    return { input: 10, output, cacheRead: 0, cacheWrite: 0, totalTokens: output + 10 }
  }

  /** A stream that fails has said a part of it. */
  #deltas(plan: Plan): readonly Delta[] {
    const { chance } = this.#world
    const deltas = plan.parts.flatMap((part, contentIndex) => deltasOf(part, contentIndex, chance.between(1, 4)))
    if (plan.error === undefined && plan.stalls !== true) {
      const folded = deltas.reduce(fold, emptyPartial)
      if (folded.parts.length !== plan.parts.length) throw new Error("the model streams what it says")
      return deltas
    }
    return deltas.slice(0, chance.below(deltas.length + 1))
  }

  #plan(request: ModelRequest, n: number): Plan {
    const { chance, storm } = this.#world
    if (!storm) return { parts: [{ type: "text", text: `calm answer ${n}` }], stop: "stop" }
    const kind = chance.weighted({ answer: 6, calls: 12, error: 3, empty: 0.4, stall: 0.3, length: 0.6, cutCalls: 0.5 })
    const answer = this.#answer(request, n)
    if (kind === "answer") return { parts: answer, stop: "stop" }
    if (kind === "length") return { parts: answer, stop: "length" }
    if (kind === "calls" || kind === "cutCalls") {
      const calls = Array.from({ length: chance.between(1, 4) }, (_, place) => this.#callPart(n, place))
      const parts = chance.hit(0.5) ? [...answer, ...calls] : calls
      return { parts, stop: kind === "calls" ? "toolUse" : "length" }
    }
    this.#world.faults.add(kind === "stall" ? "stall" : kind === "empty" ? "empty answer" : "provider error")
    if (kind === "stall") return { parts: answer, stop: "stop", stalls: true }
    if (kind === "empty") return { parts: [], stop: "stop", error: new ProviderError("retry", "empty", "No answer.") }
    const calls = chance.hit(0.5) ? [this.#callPart(n, 0)] : []
    return { parts: [...answer, ...calls], stop: "stop", error: this.#error() }
  }

  #error(): ProviderError {
    const { chance } = this.#world
    const kind = chance.weighted({ retry: 8, overflow: 1, auth: 0.5, quota: 0.5, refused: 0.5, fatal: 0.5 })
    const retryAfterMs = kind === "retry" && chance.hit(0.4) ? chance.skewed(120_000) : undefined
    return new ProviderError(kind, `sim_${kind}`, `The simulated provider says ${kind}.`, { retryAfterMs })
  }

  #answer(request: ModelRequest, n: number): readonly AssistantPart[] {
    const { chance } = this.#world
    const text = `answer ${n} ${"word ".repeat(chance.skewed(chance.hit(0.2) ? 6_000 : 900))}`
    const parts: AssistantPart[] = [{ type: "text", text }]
    if (!chance.hit(0.3)) return parts
    const thinking = `thought ${n}`
    const isMessages = request.model.api === "anthropic-messages"
    const thinkingSignature = isMessages ? signatureFor(request.model.id, thinking) : "reasoning_content"
    return [{ type: "thinking", thinking, thinkingSignature }, ...parts]
  }

  #callPart(n: number, place: number): ToolCallPart {
    const { chance, work } = this.#world
    // Local servers number their calls anew in every answer.
    const id = chance.hit(0.5) ? `call_${place}` : `call_${n}_${place}`
    const name = chance.weighted({
      read: 1,
      edit: 3,
      write: 2,
      look: 2,
      post: 2,
      fire: 3,
      shoot: 1,
      swap: 2,
      job: 1.5,
      boom: 0.3,
      ask: 0.7,
      nothing: 0.2,
    })
    const path = `${work}/${chance.pick(["a.txt", "b.txt", "sub/c.txt"])}`
    const token = `token-${n}-${place}.`
    if (chance.hit(0.03)) return { type: "toolCall", id, name, arguments: {}, argumentsError: '{"path": "a' }
    if (name === "read") return { type: "toolCall", id, name, arguments: { path } }
    if (name === "write") {
      return { type: "toolCall", id, name, arguments: { path, content: `begin\n${token}\nEND\n` } }
    }
    if (name === "edit") {
      const edits = [{ oldText: "END", newText: `${token}\nEND` }]
      return { type: "toolCall", id, name, arguments: { path, edits } }
    }
    return { type: "toolCall", id, name, arguments: { n: chance.hit(0.05) ? "much" : n } }
  }

  #summary(n: number): Plan {
    const { chance, storm } = this.#world
    const text = `summary ${n}. ${"sum ".repeat(chance.skewed(100))}`
    const good: Plan = { parts: [{ type: "text", text }], stop: "stop" }
    if (!storm || chance.hit(0.7)) return good
    this.#world.faults.add("bad summary")
    const kind = chance.weighted({ empty: 1, calls: 1, cut: 1, error: 2, stall: 0.3 })
    if (kind === "stall") return { ...good, stalls: true }
    if (kind === "empty") return { parts: [], stop: "stop" }
    if (kind === "calls") return { parts: [this.#callPart(n, 0)], stop: "toolUse" }
    return kind === "cut" ? { ...good, stop: "length" } : { ...good, error: this.#error() }
  }
}

function pieces(text: string, count: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / count))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size))
}

function deltasOf(part: AssistantPart, contentIndex: number, count: number): readonly Delta[] {
  switch (part.type) {
    case "text": {
      const middle = pieces(part.text, count).map((delta): Delta => ({ type: "text_delta", contentIndex, delta }))
      return [{ type: "text_start", contentIndex }, ...middle, { type: "text_end", contentIndex, part }]
    }
    case "thinking": {
      const middle = pieces(part.thinking, count).map((delta): Delta => ({
        type: "thinking_delta",
        contentIndex,
        delta,
      }))
      return [{ type: "thinking_start", contentIndex }, ...middle, { type: "thinking_end", contentIndex, part }]
    }
    case "toolCall": {
      const { id, name: toolName } = part
      const middle = pieces(JSON.stringify(part.arguments), count).map((delta): Delta => ({
        type: "toolcall_delta",
        contentIndex,
        delta,
      }))
      return [
        { type: "toolcall_start", contentIndex, id, toolName },
        ...middle,
        { type: "toolcall_end", contentIndex, part },
      ]
    }
  }
}
