/** A scripted answer as events of the responses API and of Google: pure. */
import type { JsonObject } from "../../src/std/json.ts"
import type { Answer } from "./model-script.ts"
import {
  argsText,
  joined,
  piecesOf,
  signatureFor,
  stepsOf,
  usageOf,
  type Step,
  type StreamInput,
  type Streamed,
} from "./model-stream.ts"

function event(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

const added = (index: number, item: JsonObject): Step => ({
  bytes: event("response.output_item.added", { output_index: index, item }),
})
const done = (index: number, item: JsonObject): Step => ({
  bytes: event("response.output_item.done", { output_index: index, item }),
})

function reasoningSteps(answer: Answer, input: StreamInput, index: number): readonly Step[] {
  const text = joined(answer.thinking)
  const id = `rs_${input.callsBefore}`
  const encrypted = signatureFor(input.model, text)
  const summary = [{ type: "summary_text", text }]
  return [
    added(index, { id, type: "reasoning", summary: [] }),
    ...stepsOf(piecesOf(answer.thinking, answer), (delta) =>
      event("response.reasoning_summary_text.delta", { output_index: index, summary_index: 0, delta }),
    ),
    done(index, { id, type: "reasoning", summary, encrypted_content: encrypted }),
  ]
}

function messageSteps(answer: Answer, input: StreamInput, index: number): readonly Step[] {
  const id = `msg_${input.callsBefore}`
  const content = [{ type: "output_text", text: joined(answer.text), annotations: [] }]
  return [
    added(index, { id, type: "message", role: "assistant", content: [] }),
    ...stepsOf(piecesOf(answer.text, answer), (delta) =>
      event("response.output_text.delta", { output_index: index, delta }),
    ),
    done(index, { id, type: "message", role: "assistant", status: "completed", content }),
  ]
}

export function responses(answer: Answer, input: StreamInput): Streamed {
  const id = `resp_${input.callsBefore}`
  const steps: Step[] = [{ bytes: event("response.created", { response: { id, model: input.model, output: [] } }) }]
  let index = 0
  if (answer.thinking !== undefined) steps.push(...reasoningSteps(answer, input, index++))
  if (answer.text !== undefined) steps.push(...messageSteps(answer, input, index++))
  for (const [place, call] of (answer.toolCalls ?? []).entries()) {
    const at = index++
    const callId = call.id ?? `call_${input.callsBefore + place}`
    const item = { id: `fc_${input.callsBefore + place}`, type: "function_call", call_id: callId, name: call.name }
    steps.push(
      added(at, { ...item, arguments: "" }),
      ...stepsOf(answer.args === "whole" ? [] : piecesOf(argsText(call), answer), (delta) =>
        event("response.function_call_arguments.delta", { output_index: at, delta }),
      ),
      done(at, { ...item, arguments: argsText(call) }),
    )
  }
  const usage = usageOf(answer, input)
  const counts = usage && {
    input_tokens: usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  }
  const cut = answer.finish === "length"
  const status = cut
    ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed" }
  const response = { id, model: input.model, output: [], ...status, ...(counts === null ? {} : { usage: counts }) }
  return { body: steps, end: [{ bytes: event(cut ? "response.incomplete" : "response.completed", { response }) }] }
}

export function google(answer: Answer, input: StreamInput): Streamed {
  const usage = usageOf(answer, input)
  const counts = usage && {
    promptTokenCount: usage.input + (usage.cacheRead ?? 0),
    cachedContentTokenCount: usage.cacheRead ?? 0,
    candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
    thoughtsTokenCount: usage.reasoning ?? 0,
  }
  const chunk = (parts: readonly JsonObject[], finish?: string): string => {
    const candidate = {
      content: { role: "model", parts },
      index: 0,
      ...(finish === undefined ? {} : { finishReason: finish }),
    }
    const meta = counts === null ? {} : { usageMetadata: counts }
    return `data: ${JSON.stringify({ candidates: [candidate], modelVersion: input.model, responseId: "r1", ...meta })}\r\n\r\n`
  }
  const calls = (answer.toolCalls ?? []).map((call, place): Step => {
    const id = call.id ?? `call_${input.callsBefore + place}`
    const args = JSON.parse(argsText(call)) as JsonObject
    const signature = place === 0 ? { thoughtSignature: signatureFor(input.model, id) } : {}
    return { bytes: chunk([{ functionCall: { id, name: call.name, args }, ...signature }]) }
  })
  return {
    body: [
      ...stepsOf(piecesOf(answer.thinking, answer), (text) => chunk([{ text, thought: true }])),
      ...stepsOf(piecesOf(answer.text, answer), (text) => chunk([{ text }])),
      ...calls,
    ],
    end: [{ bytes: chunk([{ text: "" }], answer.finish === "length" ? "MAX_TOKENS" : (answer.finish ?? "STOP")) }],
  }
}
