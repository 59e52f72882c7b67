/**
 * The tour as a wire format: a scripted model inside the program, which needs no key and no network and drives the real engine.
 *
 * - What it answers depends on the conversation alone (and, where it names the process to kill, on that). The pace is the clock's.
 * - A step whose tool is not on offer is told in words instead, and ends the run.
 */
import { estimateRequest, estimateText } from "../../message/estimate.ts"
import type { Delta } from "../../message/delta.ts"
import type { AssistantPart } from "../../message/message.ts"
import { noUsage, type Usage } from "../../message/usage.ts"
import { sleep } from "../../std/clock.ts"
import { ownError } from "../errors.ts"
import type { Api, CallOptions, Encoded, ModelRequest, Response } from "../provider.ts"
import { stepsOf, type TourStep } from "./script.ts"
import { placeOf } from "./step.ts"

/** About thirty words a second: fast enough not to bore, slow enough to read along. */
const wordMs = 30
/** A file appears in pieces of a line or so. */
const argumentsMs = 20
const argumentsPiece = 16

/** Also what a summary of the conversation gets, which is asked for with no tools. */
const withoutTools =
  "This is the tour of Cairn, a script and no AI. So far it was asked for its steps: a plan in PLAN.md, a program in stones.sh, and what came after."

const heard = (text: string): string => `(You said: “${text.slice(0, 80)}”. A real model would act on it now.)\n\n`

function nextStep(request: ModelRequest, host: number): TourStep {
  if (request.tools.length === 0) return { text: withoutTools, calls: [] }
  const { topic, step, steered, output } = placeOf(request.messages)
  const found = stepsOf(topic, host, output)[step] ?? { text: "That was all of it.", calls: [] }
  const missing = found.calls
    .map(({ name }) => name)
    .filter((name) => !request.tools.some((tool) => tool.name === name))
  const text = steered === "" ? found.text : heard(steered) + found.text
  if (missing.length === 0) return { text, calls: found.calls }
  return {
    text: `${text}\n\nThe tour would use \`${missing.join("`, `")}\` here, but that tool is not on offer. Start it with the usual tools.`,
    calls: [],
  }
}

/** Words with the space behind them. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

function piecesOf(text: string): readonly string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${argumentsPiece}}`, "gu")) ?? []
}

type Timed = { readonly ms: number; readonly delta: Delta }

/** The response as deltas, each with the wait before it. Ids depend on how many messages came before: no two calls of a session share one. */
function timeline(
  step: TourStep,
  before: number,
): { readonly deltas: readonly Timed[]; readonly content: readonly AssistantPart[] } {
  const text: AssistantPart = { type: "text", text: step.text }
  const calls = step.calls.map(({ name, args }, place) => ({
    type: "toolCall" as const,
    id: `tour_${before}_${place + 1}`,
    name,
    arguments: args,
  }))
  const told: readonly Timed[] = [
    { ms: 0, delta: { type: "text_start", contentIndex: 0 } },
    ...wordsOf(step.text).map((delta): Timed => ({
      ms: wordMs,
      delta: { type: "text_delta", contentIndex: 0, delta },
    })),
    { ms: 0, delta: { type: "text_end", contentIndex: 0, part: text } },
  ]
  const called = calls.flatMap((part, place): readonly Timed[] => {
    const contentIndex = place + 1
    return [
      { ms: 0, delta: { type: "toolcall_start", contentIndex, id: part.id, toolName: part.name } },
      ...piecesOf(JSON.stringify(part.arguments)).map((delta): Timed => ({
        ms: argumentsMs,
        delta: { type: "toolcall_delta", contentIndex, delta },
      })),
      { ms: 0, delta: { type: "toolcall_end", contentIndex, part } },
    ]
  })
  return { deltas: [...told, ...called], content: [text, ...calls] }
}

function usageOf(request: ModelRequest, step: TourStep): Usage {
  const input = estimateRequest(request)
  const output = estimateText(step.text) + estimateText(JSON.stringify(step.calls))
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
  return { ...noUsage, input, output, totalTokens: input + output, estimated: true, cost }
}

/** `host`: the process id that the tour invites to kill. */
export function tourApi(host: number): Api {
  return {
    name: "tour",
    encoder: 1,
    encode(request: ModelRequest): Encoded {
      const { topic, step } = placeOf(request.messages)
      return {
        path: "/tour",
        body: { model: request.model.id, topic, step, tools: request.tools.map(({ name }) => name) },
      }
    },
    async call(request: ModelRequest, _encoded: Encoded, options: CallOptions): Promise<Response> {
      const step = nextStep(request, host)
      const { deltas, content } = timeline(step, request.messages.length)
      for (const { ms, delta } of deltas) {
        if (ms > 0) await sleep(options.clock, ms, options.signal)
        if (options.signal.aborted) throw ownError("aborted", "aborted", "The request was stopped.")
        options.onDelta(delta)
      }
      const usage = usageOf(request, step)
      options.onDelta({ type: "usage", usage })
      return { content, stopReason: step.calls.length > 0 ? "toolUse" : "stop", usage }
    },
  }
}
