/**
 * Anthropic messages: events to deltas. Pure.
 *
 * - The type is read from the data: proxies leave the `event:` line out. Unknown events and blocks are passed over.
 * - `message_stop` is the terminal event, and so is a `stop_reason`, for proxies that end there.
 * - Counts are cumulative: what `message_delta` says replaces what `message_start` said, field by field.
 */
import { estimateText } from "../../message/estimate.ts"
import type { Delta } from "../../message/delta.ts"
import type { AssistantPart } from "../../message/message.ts"
import type { Usage } from "../../message/usage.ts"
import { isObject, type Json, type JsonObject } from "../../std/json.ts"
import { withCost } from "../cost.ts"
import {
  cutError,
  emptyError,
  eventJson,
  guessUsage,
  StreamFailure,
  type Decoder,
  type DecoderInput,
} from "../decoder.ts"
import { ownError } from "../errors.ts"
import { Parts } from "../parts.ts"
import type { Response } from "../provider.ts"
import type { ServerEvent } from "../sse.ts"

function count(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}

function string(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/** What a call's block holds at its start where the arguments come whole and not in pieces. */
function wholeInput(input: Json | undefined): string {
  return isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : ""
}

export class AnthropicDecoder implements Decoder {
  readonly #input: DecoderInput
  readonly #parts = new Parts()
  /** Places of calls in the content, and the whole input that their start held, by the block's index. */
  readonly #calls = new Map<number, { readonly place: number; readonly whole: string; streamed: boolean }>()
  #counts: JsonObject = {}
  #stop: string | undefined
  #details: JsonObject = {}
  #id: string | undefined
  #model: string | undefined
  #closed = false

  constructor(input: DecoderInput) {
    this.#input = input
  }

  get done(): boolean {
    return this.#closed || this.#stop !== undefined
  }

  get closed(): boolean {
    return this.#closed
  }

  push(event: ServerEvent): readonly Delta[] {
    if (event.data.trim() === "" || event.data.trim() === "[DONE]") return []
    const data = eventJson(event)
    const index = count(data.index) ?? 0
    switch (string(data.type) || event.event) {
      case "error":
        throw new StreamFailure(JSON.stringify(data))
      case "message_start":
        return this.#start(object(data.message))
      case "content_block_start":
        return this.#blockStart(index, object(data.content_block))
      case "content_block_delta":
        return this.#blockDelta(index, object(data.delta))
      case "content_block_stop":
        return this.#blockStop(index)
      case "message_delta":
        return this.#messageDelta(object(data.delta), object(data.usage))
      case "message_stop":
        this.#closed = true
        return []
      case "message":
        return this.#whole(data)
      default:
        if (isObject(data.error)) throw new StreamFailure(JSON.stringify(data))
        return []
    }
  }

  finish(): { readonly deltas: readonly Delta[]; readonly response: Response } {
    const { model } = this.#input
    if (!this.done) throw cutError(model)
    for (const { place, whole, streamed } of this.#calls.values())
      if (!streamed && whole !== "") this.#parts.settleArguments(place, whole)
    const { content, deltas } = this.#parts.finish()
    const raw = this.#stop ?? ""
    const response: Response = {
      content,
      stopReason: this.#stopReason(content, raw),
      usage: this.#usage(content),
      ...(raw === "" ? {} : { rawStopReason: raw }),
      ...(this.#id === undefined ? {} : { responseId: this.#id }),
      ...(this.#model === undefined || this.#model === model.id ? {} : { responseModel: this.#model }),
    }
    return { deltas, response }
  }

  #start(message: JsonObject): readonly Delta[] {
    this.#id ??= string(message.id) || undefined
    this.#model ??= string(message.model) || undefined
    return this.#addCounts(object(message.usage))
  }

  #addCounts(usage: JsonObject): readonly Delta[] {
    const given = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined)
    if (given.length === 0) return []
    this.#counts = { ...this.#counts, ...Object.fromEntries(given) }
    return [{ type: "usage", usage: this.#usage([]) }]
  }

  #blockStart(index: number, block: JsonObject): readonly Delta[] {
    switch (block.type) {
      case "text":
        return [...this.#parts.close(), ...(string(block.text) === "" ? [] : this.#parts.text(string(block.text)))]
      case "thinking": {
        const opened = [...this.#parts.close(), ...this.#parts.thinking(string(block.thinking))]
        const signature = string(block.signature)
        return signature === "" ? opened : [...opened, ...this.#parts.sign(signature)]
      }
      case "redacted_thinking":
        return this.#parts.redacted(string(block.data))
      case "tool_use": {
        const { call, deltas } = this.#parts.startCall()
        this.#calls.set(index, { place: call, whole: wholeInput(block.input), streamed: false })
        return [...deltas, ...this.#parts.call(call, { id: string(block.id), name: string(block.name) })]
      }
      default:
        return []
    }
  }

  #blockDelta(index: number, delta: JsonObject): readonly Delta[] {
    switch (delta.type) {
      case "text_delta":
        return string(delta.text) === "" ? [] : this.#parts.text(string(delta.text))
      case "thinking_delta":
        return string(delta.thinking) === "" ? [] : this.#parts.thinking(string(delta.thinking))
      case "signature_delta":
        return this.#parts.sign(string(delta.signature))
      case "input_json_delta": {
        const call = this.#calls.get(index)
        const args = string(delta.partial_json)
        if (call === undefined || args === "") return []
        call.streamed = true
        return this.#parts.call(call.place, { args })
      }
      default:
        return []
    }
  }

  #blockStop(index: number): readonly Delta[] {
    const call = this.#calls.get(index)
    if (call === undefined) return this.#parts.close()
    if (!call.streamed && call.whole !== "") this.#parts.settleArguments(call.place, call.whole)
    call.streamed = true
    return this.#parts.endCall(call.place)
  }

  #messageDelta(delta: JsonObject, usage: JsonObject): readonly Delta[] {
    if (string(delta.stop_reason) !== "") this.#stop = string(delta.stop_reason)
    this.#details = object(delta.stop_details)
    return this.#addCounts(usage)
  }

  /** An answer that was not streamed. */
  #whole(message: JsonObject): readonly Delta[] {
    const blocks = Array.isArray(message.content) ? (message.content as readonly Json[]) : []
    const deltas = blocks.flatMap((block, index) => [
      ...this.#blockStart(index, object(block)),
      ...this.#blockStop(index),
    ])
    this.#closed = true
    return [...this.#start(message), ...deltas, ...this.#messageDelta(message, {})]
  }

  #stopReason(content: readonly AssistantPart[], raw: string): Response["stopReason"] {
    const { model } = this.#input
    if (raw === "refusal") {
      const why = string(this.#details.explanation) || string(this.#details.category)
      throw ownError("refused", "refused", `${model.id} declined to answer${why === "" ? "" : `: ${why}`}.`)
    }
    if (raw === "model_context_window_exceeded")
      throw ownError(
        "overflow",
        "overflow",
        `The conversation is too long for ${model.id}: compact it, or choose one with a larger window.`,
      )
    if (raw === "max_tokens") return "length"
    if (content.some((part) => part.type === "toolCall")) return "toolUse"
    if (content.some((part) => part.type === "text" && part.text.trim() !== "")) return "stop"
    throw emptyError(model)
  }

  #usage(content: readonly AssistantPart[]): Usage {
    const { model, estimatedInput } = this.#input
    const counts = this.#counts
    const input = count(counts.input_tokens)
    const output = count(counts.output_tokens)
    if (input === undefined && output === undefined)
      return withCost(guessUsage(estimatedInput, estimateParts(content)), model.cost)
    const cacheRead = count(counts.cache_read_input_tokens) ?? 0
    const cacheWrite = count(counts.cache_creation_input_tokens) ?? 0
    const hour = count(object(counts.cache_creation).ephemeral_1h_input_tokens) ?? 0
    const reasoning = count(object(counts.output_tokens_details).thinking_tokens) ?? 0
    const total = (input ?? 0) + cacheRead + cacheWrite + (output ?? 0)
    const usage: Usage = {
      input: input ?? 0,
      output: output ?? 0,
      cacheRead,
      cacheWrite,
      ...(hour > 0 ? { cacheWrite1h: hour } : {}),
      ...(reasoning > 0 ? { reasoning } : {}),
      totalTokens: total,
    }
    return withCost(usage, model.cost)
  }
}

function estimateParts(content: readonly AssistantPart[]): number {
  return content.reduce((sum, part) => {
    if (part.type === "text") return sum + estimateText(part.text)
    if (part.type === "thinking") return sum + estimateText(part.thinking)
    return sum + estimateText(JSON.stringify(part.arguments))
  }, 0)
}
