/**
 * The responses API: events to deltas. Pure.
 *
 * - Items are joined by `output_index`: item ids change from event to event at some hosts. The final arguments and texts are those of the item's
 *   end; deltas are for showing, and some hosts send none.
 * - The terminal event is `response.completed` or `response.incomplete`; `response.failed` and `error` are failures inside a good stream.
 * - What only the last event knows (encrypted reasoning, items that were never streamed) is taken from there.
 */
import type { Delta } from "../../message/delta.ts"
import type { Usage } from "../../message/usage.ts"
import { isObject, type JsonObject } from "../../std/json.ts"
import { serviceFactor, withCost } from "../cost.ts"
import {
  about,
  countOf,
  cutError,
  endOf,
  eventJson,
  guessUsage,
  listOf,
  objectOf,
  refusedError,
  StreamFailure,
  stringOf,
  type Decoder,
  type DecoderInput,
} from "../decoder.ts"
import { Parts } from "../parts.ts"
import type { Response } from "../provider.ts"
import type { ServerEvent } from "../sse.ts"
import { messageText, reasoningSignature, reasoningText, textSignature } from "./items.ts"

type Item = { readonly kind: string; place: number | undefined; ended: boolean; encrypted: boolean }

export class ResponsesDecoder implements Decoder {
  readonly #input: DecoderInput
  readonly #parts = new Parts()
  readonly #items = new Map<number, Item>()
  #final: JsonObject | undefined
  #id: string | undefined
  #model: string | undefined

  constructor(input: DecoderInput) {
    this.#input = input
  }

  get done(): boolean {
    return this.#final !== undefined
  }

  get closed(): boolean {
    return this.#final !== undefined
  }

  push(event: ServerEvent): readonly Delta[] {
    if (event.data.trim() === "" || event.data.trim() === "[DONE]") return []
    const data = eventJson(event)
    const type = stringOf(data.type) || event.event
    const index = countOf(data.output_index) ?? 0
    switch (type) {
      case "error":
      case "response.failed":
        throw new StreamFailure(
          JSON.stringify(data.response === undefined ? data : (objectOf(data.response).error ?? data)),
        )
      case "response.created":
      case "response.in_progress":
        this.#about(objectOf(data.response))
        return []
      case "response.output_item.added":
        return this.#added(index, objectOf(data.item))
      case "response.output_item.done":
        return this.#ended(index, objectOf(data.item))
      case "response.completed":
      case "response.incomplete":
        return this.#complete(objectOf(data.response))
      default:
        return this.#piece(type, index, data)
    }
  }

  finish(): { readonly deltas: readonly Delta[]; readonly response: Response } {
    const { model } = this.#input
    if (this.#final === undefined) throw cutError(model)
    const { content, deltas } = this.#parts.finish()
    const raw = stringOf(objectOf(this.#final.incomplete_details).reason) || stringOf(this.#final.status)
    if (raw === "content_filter") throw refusedError(model, raw)
    const response: Response = {
      content,
      stopReason: raw === "max_output_tokens" ? "length" : endOf(model, content),
      usage: this.#usage() ?? guessUsage(this.#input, content),
      ...about(model, raw, this.#id, this.#model),
    }
    return { deltas, response }
  }

  #about(response: JsonObject): void {
    this.#id ??= stringOf(response.id) || undefined
    this.#model ??= stringOf(response.model) || undefined
  }

  #added(index: number, item: JsonObject): readonly Delta[] {
    const kind = stringOf(item.type)
    const entry: Item = { kind, place: undefined, ended: false, encrypted: false }
    this.#items.set(index, entry)
    if (kind !== "function_call") return this.#parts.close()
    const { call, deltas } = this.#parts.startCall()
    entry.place = call
    const head = { id: stringOf(item.call_id) || stringOf(item.id), name: stringOf(item.name) }
    return [...deltas, ...this.#parts.call(call, head)]
  }

  #piece(type: string, index: number, data: JsonObject): readonly Delta[] {
    const delta = stringOf(data.delta)
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return delta === "" ? [] : this.#placed(index, "message", this.#parts.text(delta))
      case "response.reasoning_summary_part.added":
        return (countOf(data.summary_index) ?? 0) > 0
          ? this.#placed(index, "reasoning", this.#parts.thinking("\n\n"))
          : []
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return delta === "" ? [] : this.#placed(index, "reasoning", this.#parts.thinking(delta))
      case "response.function_call_arguments.delta": {
        const place = this.#items.get(index)?.place
        return place === undefined || delta === "" ? [] : this.#parts.call(place, { args: delta })
      }
      default:
        return []
    }
  }

  /** Notes where the item that is open stands. */
  #placed(index: number, kind: string, deltas: readonly Delta[]): readonly Delta[] {
    const item = this.#items.get(index) ?? { kind, place: undefined, ended: false, encrypted: false }
    item.place ??= this.#parts.open
    this.#items.set(index, item)
    return deltas
  }

  #ended(index: number, item: JsonObject): readonly Delta[] {
    const started = this.#items.has(index) ? [] : this.#added(index, item)
    const entry = this.#items.get(index)
    if (entry === undefined || entry.ended) return started
    entry.ended = true
    switch (stringOf(item.type)) {
      case "reasoning":
        return [...started, ...this.#endReasoning(entry, item)]
      case "message":
        return [...started, ...this.#endMessage(entry, item)]
      case "function_call":
        return [...started, ...this.#endCall(entry, item)]
      default:
        return started
    }
  }

  #endReasoning(entry: Item, item: JsonObject): readonly Delta[] {
    const text = reasoningText(item)
    const signature = reasoningSignature(item)
    entry.encrypted = stringOf(item.encrypted_content) !== ""
    if (entry.place !== undefined) return [...this.#parts.resign(entry.place, signature), ...this.#parts.close()]
    if (text === "" && !entry.encrypted) return []
    const { place, deltas } = this.#parts.signed("thinking", text, signature)
    entry.place = place
    return deltas
  }

  #endMessage(entry: Item, item: JsonObject): readonly Delta[] {
    const opened = entry.place === undefined && messageText(item) !== "" ? this.#parts.text(messageText(item)) : []
    entry.place ??= this.#parts.open
    const signature = textSignature(item)
    const signed =
      entry.place === undefined || signature === undefined ? [] : this.#parts.resign(entry.place, signature)
    return [...opened, ...signed, ...this.#parts.close()]
  }

  #endCall(entry: Item, item: JsonObject): readonly Delta[] {
    const { place } = entry
    if (place === undefined) return []
    const id = stringOf(item.call_id) || stringOf(item.id)
    const own = stringOf(item.id)
    const named = this.#parts.call(place, {
      id,
      name: stringOf(item.name),
      ...(own.startsWith("fc") ? { signature: own } : {}),
    })
    if (typeof item.arguments === "string" && item.arguments !== "") this.#parts.settleArguments(place, item.arguments)
    return [...named, ...this.#parts.endCall(place)]
  }

  /** The last event: items that were never streamed, and reasoning whose encrypted content came only now. */
  #complete(response: JsonObject): readonly Delta[] {
    this.#final = response
    this.#about(response)
    const output = listOf(response.output).filter(isObject)
    const late = output.flatMap((item, index) => {
      const entry = this.#items.get(index)
      if (entry === undefined || !entry.ended) return this.#ended(index, item)
      const encrypted = stringOf(item.encrypted_content) !== ""
      if (entry.kind !== "reasoning" || entry.encrypted || !encrypted || entry.place === undefined) return []
      return this.#parts.resign(entry.place, reasoningSignature(item))
    })
    const usage = this.#usage()
    return usage === undefined ? late : [...late, { type: "usage", usage }]
  }

  #usage(): Usage | undefined {
    const usage = this.#final?.usage
    if (!isObject(usage)) return undefined
    const given = countOf(usage.input_tokens)
    const output = countOf(usage.output_tokens)
    if (given === undefined && output === undefined) return undefined
    const details = objectOf(usage.input_tokens_details)
    const cacheRead = countOf(details.cached_tokens) ?? 0
    const cacheWrite = countOf(details.cache_write_tokens) ?? 0
    const reasoning = countOf(objectOf(usage.output_tokens_details).reasoning_tokens) ?? 0
    const input = Math.max(0, (given ?? 0) - cacheRead - cacheWrite)
    const counted: Usage = {
      input,
      output: output ?? 0,
      cacheRead,
      cacheWrite,
      ...(reasoning > 0 ? { reasoning } : {}),
      totalTokens: input + cacheRead + cacheWrite + (output ?? 0),
    }
    const ticks = countOf(usage.cost_in_usd_ticks)
    const factor = serviceFactor(this.#input.model.id, stringOf(this.#final?.service_tier))
    return withCost(counted, this.#input.model.cost, {
      factor,
      ...(ticks === undefined ? {} : { reported: ticks / 1e10 }),
    })
  }
}
