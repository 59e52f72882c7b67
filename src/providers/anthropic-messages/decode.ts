/**
 * Anthropic messages: events to deltas. Pure.
 *
 * - The type is read from the data: proxies leave the `event:` line out. Unknown events and blocks are passed over.
 * - `message_stop` is the terminal event, and so is a `stop_reason`, for proxies that end there.
 * - Counts are cumulative: what `message_delta` says replaces what `message_start` said, field by field.
 */
import type { Delta } from "../../message/delta.ts"
import type { AssistantPart } from "../../message/message.ts"
import type { Usage } from "../../message/usage.ts"
import { isObject, type Json, type JsonObject } from "../../std/json.ts"
import { withCost } from "../cost.ts"
import {
  about,
  countOf,
  cutError,
  endOf,
  eventJson,
  guessUsage,
  listOf,
  objectOf,
  overflowError,
  refusedError,
  StreamFailure,
  stringOf,
  type Decoder,
  type DecoderInput,
} from "../decoder.ts"
import { Parts } from "../parts.ts"
import type { Response } from "../provider.ts"
import type { ServerEvent } from "../sse.ts"

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
    const index = countOf(data.index) ?? 0
    switch (stringOf(data.type) || event.event) {
      case "error":
        throw new StreamFailure(JSON.stringify(data))
      case "message_start":
        return this.#start(objectOf(data.message))
      case "content_block_start":
        return this.#blockStart(index, objectOf(data.content_block))
      case "content_block_delta":
        return this.#blockDelta(index, objectOf(data.delta))
      case "content_block_stop":
        return this.#blockStop(index)
      case "message_delta":
        return this.#messageDelta(objectOf(data.delta), objectOf(data.usage))
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
    const response: Response = {
      content,
      stopReason: this.#stopReason(content, this.#stop ?? ""),
      usage: this.#usage(content),
      ...about(model, this.#stop, this.#id, this.#model),
    }
    return { deltas, response }
  }

  #start(message: JsonObject): readonly Delta[] {
    this.#id ??= stringOf(message.id) || undefined
    this.#model ??= stringOf(message.model) || undefined
    return this.#addCounts(objectOf(message.usage))
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
        return [...this.#parts.close(), ...(stringOf(block.text) === "" ? [] : this.#parts.text(stringOf(block.text)))]
      case "thinking": {
        const opened = [...this.#parts.close(), ...this.#parts.thinking(stringOf(block.thinking))]
        const signature = stringOf(block.signature)
        return signature === "" ? opened : [...opened, ...this.#parts.sign(signature)]
      }
      case "redacted_thinking":
        return this.#parts.redacted(stringOf(block.data))
      case "tool_use": {
        const { call, deltas } = this.#parts.startCall()
        this.#calls.set(index, { place: call, whole: wholeInput(block.input), streamed: false })
        return [...deltas, ...this.#parts.call(call, { id: stringOf(block.id), name: stringOf(block.name) })]
      }
      default:
        return []
    }
  }

  #blockDelta(index: number, delta: JsonObject): readonly Delta[] {
    switch (delta.type) {
      case "text_delta":
        return stringOf(delta.text) === "" ? [] : this.#parts.text(stringOf(delta.text))
      case "thinking_delta":
        return stringOf(delta.thinking) === "" ? [] : this.#parts.thinking(stringOf(delta.thinking))
      case "signature_delta":
        return this.#parts.sign(stringOf(delta.signature))
      case "input_json_delta": {
        const call = this.#calls.get(index)
        const args = stringOf(delta.partial_json)
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
    if (stringOf(delta.stop_reason) !== "") this.#stop = stringOf(delta.stop_reason)
    this.#details = objectOf(delta.stop_details)
    return this.#addCounts(usage)
  }

  /** An answer that was not streamed. */
  #whole(message: JsonObject): readonly Delta[] {
    const blocks = listOf(message.content)
    const deltas = blocks.flatMap((block, index) => [
      ...this.#blockStart(index, objectOf(block)),
      ...this.#blockStop(index),
    ])
    this.#closed = true
    return [...this.#start(message), ...deltas, ...this.#messageDelta(message, {})]
  }

  #stopReason(content: readonly AssistantPart[], raw: string): Response["stopReason"] {
    const { model } = this.#input
    if (raw === "refusal")
      throw refusedError(model, stringOf(this.#details.explanation) || stringOf(this.#details.category))
    if (raw === "model_context_window_exceeded") throw overflowError(model)
    return raw === "max_tokens" ? "length" : endOf(model, content)
  }

  #usage(content: readonly AssistantPart[]): Usage {
    const { model } = this.#input
    const counts = this.#counts
    const input = countOf(counts.input_tokens)
    const output = countOf(counts.output_tokens)
    if (input === undefined && output === undefined) return guessUsage(this.#input, content)
    const cacheRead = countOf(counts.cache_read_input_tokens) ?? 0
    const cacheWrite = countOf(counts.cache_creation_input_tokens) ?? 0
    const hour = countOf(objectOf(counts.cache_creation).ephemeral_1h_input_tokens) ?? 0
    const reasoning = countOf(objectOf(counts.output_tokens_details).thinking_tokens) ?? 0
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
