/** A scripted answer as the events of a wire format: pure. Waits stand between the events that they separate. */
import type { JsonObject } from "../../src/std/json.ts"
import { google, responses } from "./model-stream-more.ts"
import type { Answer, Format, Piece, ScriptedCall, ScriptedUsage } from "./model-script.ts"

/** One step of a stream: bytes to write, or a wait. */
export type Step = Exclude<Piece, string> | { readonly bytes: string }

/** `body` is everything but the terminal events, which are `end`. */
export type Streamed = { readonly body: readonly Step[]; readonly end: readonly Step[] }

export type StreamInput = { readonly model: string; readonly callsBefore: number; readonly promptTokens: number }

export const defaultChunks = 3

/** `text` in `count` pieces of about the same length, never through a surrogate pair. */
export function cutText(text: string, count: number): readonly string[] {
  const letters = [...text]
  const size = Math.max(1, Math.ceil(letters.length / count))
  const pieces: string[] = []
  for (let at = 0; at < letters.length; at += size) pieces.push(letters.slice(at, at + size).join(""))
  return pieces
}

export function piecesOf(value: string | readonly Piece[] | undefined, answer: Answer): readonly Piece[] {
  if (value === undefined) return []
  const pieces: readonly Piece[] = typeof value === "string" ? cutText(value, answer.chunks ?? defaultChunks) : value
  const { delayMs } = answer
  return delayMs === undefined ? pieces : pieces.flatMap((piece) => [piece, { delayMs }])
}

export function stepsOf(pieces: readonly Piece[], event: (text: string) => string): readonly Step[] {
  return pieces.map((piece) => (typeof piece === "string" ? { bytes: event(piece) } : piece))
}

/** What a signature of this server looks like: the checker knows it again, for this model and this text alone. */
export function signatureFor(model: string, thinking: string): string {
  return Buffer.from(`${model}:${Bun.hash(thinking).toString(16)}`).toString("base64")
}

export function argsText(call: ScriptedCall): string {
  return typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {})
}

export function usageOf(answer: Answer, input: StreamInput): ScriptedUsage | null {
  if (answer.usage !== undefined) return answer.usage
  const said = [answer.text ?? "", answer.thinking ?? ""].flat()
  const letters = said.reduce((sum, piece) => sum + (typeof piece === "string" ? piece.length : 0), 0)
  const args = (answer.toolCalls ?? []).reduce((sum, call) => sum + argsText(call).length, 0)
  return { input: input.promptTokens, output: Math.max(1, Math.ceil((letters + args) / 4)) }
}

function completions(answer: Answer, input: StreamInput): Streamed {
  const chunk = (choice: JsonObject, more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: input.model, choices: [choice], ...more })}\n\n`
  const delta = (value: JsonObject): string => chunk({ index: 0, delta: value, finish_reason: null })
  const calls = (answer.toolCalls ?? []).flatMap((call, index) => {
    const id = call.id ?? `call_${input.callsBefore + index}`
    const whole = answer.args === "whole"
    const place = answer.args === "no-index" ? {} : { index }
    const named = { name: call.name, arguments: whole ? argsText(call) : "" }
    const args = whole
      ? []
      : [...piecesOf(argsText(call), answer), ...(answer.args === "repeated" ? [argsText(call)] : [])]
    return [
      { bytes: delta({ tool_calls: [{ ...place, id, type: "function", function: named }] }) },
      ...stepsOf(args, (text) => delta({ tool_calls: [{ ...place, function: { arguments: text } }] })),
    ]
  })
  const field = answer.thinkingField ?? "reasoning_content"
  const usage = usageOf(answer, input)
  const finish = answer.finish ?? (calls.length > 0 ? "tool_calls" : "stop")
  const prompt = usage === null ? 0 : usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)
  const counts = usage && {
    prompt_tokens: prompt,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens: usage.output,
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: prompt + usage.output,
  }
  const last = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: input.model, choices: [] }
  return {
    body: [
      { bytes: delta({ role: "assistant", content: "" }) },
      ...stepsOf(piecesOf(answer.thinking, answer), (text) => delta({ [field]: text })),
      ...stepsOf(piecesOf(answer.text, answer), (text) => delta({ content: text })),
      ...calls,
    ],
    end: [
      { bytes: chunk({ index: 0, delta: {}, finish_reason: finish }) },
      ...(counts === null ? [] : [{ bytes: `data: ${JSON.stringify({ ...last, usage: counts })}\n\n` }]),
      { bytes: "data: [DONE]\n\n" },
    ],
  }
}

function event(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

export function joined(value: string | readonly Piece[] | undefined): string {
  return typeof value === "string" ? value : (value ?? []).filter((piece) => typeof piece === "string").join("")
}

function block(index: number, start: JsonObject, deltas: readonly Step[]): readonly Step[] {
  return [
    { bytes: event("content_block_start", { index, content_block: start }) },
    ...deltas,
    { bytes: event("content_block_stop", { index }) },
  ]
}

function anthropicBlocks(answer: Answer, input: StreamInput): readonly Step[] {
  const steps: Step[] = []
  let index = 0
  const delta = (value: JsonObject): string => event("content_block_delta", { index, delta: value })
  if (answer.thinking !== undefined) {
    const signature = signatureFor(input.model, joined(answer.thinking))
    const deltas = stepsOf(piecesOf(answer.thinking, answer), (text) =>
      delta({ type: "thinking_delta", thinking: text }),
    )
    const signed = { bytes: delta({ type: "signature_delta", signature }) }
    steps.push(...block(index, { type: "thinking", thinking: "", signature: "" }, [...deltas, signed]))
    index += 1
  }
  if (answer.text !== undefined) {
    const deltas = stepsOf(piecesOf(answer.text, answer), (text) => delta({ type: "text_delta", text }))
    steps.push(...block(index, { type: "text", text: "" }, deltas))
    index += 1
  }
  for (const [place, call] of (answer.toolCalls ?? []).entries()) {
    const id = call.id ?? `call_${input.callsBefore + place}`
    const whole = answer.args === "whole"
    const given = whole ? (JSON.parse(argsText(call)) as JsonObject) : {}
    const args = whole ? [] : piecesOf(argsText(call), answer)
    const deltas = stepsOf(args, (text) => delta({ type: "input_json_delta", partial_json: text }))
    steps.push(...block(index, { type: "tool_use", id, name: call.name, input: given }, deltas))
    index += 1
  }
  return steps
}

function anthropic(answer: Answer, input: StreamInput): Streamed {
  const usage = usageOf(answer, input)
  const start = usage && {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    output_tokens: 1,
  }
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: input.model,
    content: [],
    usage: start ?? {},
  }
  const finish = answer.finish === "length" ? "max_tokens" : answer.finish
  const reason = finish ?? ((answer.toolCalls ?? []).length > 0 ? "tool_use" : "end_turn")
  const last = {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: usage ? { output_tokens: usage.output } : {},
  }
  return {
    body: [
      { bytes: event("message_start", { message }) },
      { bytes: event("ping", {}) },
      ...anthropicBlocks(answer, input),
    ],
    end: [{ bytes: event("message_delta", last) }, { bytes: event("message_stop", {}) }],
  }
}

/** An error inside the stream, as each format says it. */
function failure(format: Format, { type, message, status }: NonNullable<Answer["failed"]>): string {
  switch (format) {
    case "completions":
      return `data: ${JSON.stringify({ error: { message, type, code: status ?? null } })}\n\n`
    case "anthropic":
      return event("error", { error: { type, message } })
    case "responses":
      return event("error", { code: type, message, param: null })
    case "google":
      return `data: ${JSON.stringify({ error: { code: status ?? 500, message, status: type } })}\r\n\r\n`
  }
}

export function streamOf(format: Format, answer: Answer, input: StreamInput): Streamed {
  const { body, end } = wholeStream(format, answer, input)
  return { body, end: answer.failed === undefined ? end : [{ bytes: failure(format, answer.failed) }] }
}

function wholeStream(format: Format, answer: Answer, input: StreamInput): Streamed {
  switch (format) {
    case "completions":
      return completions(answer, input)
    case "anthropic":
      return anthropic(answer, input)
    case "responses":
      return responses(answer, input)
    case "google":
      return google(answer, input)
  }
}
