/**
 * An engine on a ledger, with a scripted model behind the provider contract: what tests of the engine drive.
 *
 * The model is a list of replies, or a function of the request; it sees what a provider sees and says what a provider says.
 */
import { tmpdir } from "node:os"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { begin, openEngine, rootConversation, type Engine } from "../../src/engine/engine.ts"
import { defaultSettings, type EngineOptions, type EngineSettings } from "../../src/engine/options.ts"
import { emptyPartial, fold, type Delta } from "../../src/message/delta.ts"
import { callsOf, textOf, type AssistantPart, type Message } from "../../src/message/message.ts"
import { noUsage, type Usage } from "../../src/message/usage.ts"
import { orderMessages } from "../../src/message/order.ts"
import type { Model } from "../../src/providers/model.ts"
import {
  ProviderError,
  type Api,
  type CallOptions,
  type ModelRequest,
  type Response,
} from "../../src/providers/provider.ts"
import type { Hooks } from "../../src/protocol/hooks.ts"
import type { EntryRecord } from "../../src/protocol/records.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { applyFrame, emptyView, type View } from "../../src/protocol/view.ts"
import type { Frame } from "../../src/protocol/port.ts"
import type { Clock } from "../../src/std/clock.ts"
import type { JsonObject } from "../../src/std/json.ts"
import type { At } from "../../src/std/moment.ts"
import { eventually } from "./eventually.ts"
import { settle, type ManualClock } from "./manual-clock.ts"

export type Reply = {
  readonly text?: string
  readonly calls?: readonly {
    readonly id: string
    readonly name: string
    readonly args?: JsonObject
    readonly cut?: string
  }[]
  readonly stop?: Response["stopReason"]
  readonly usage?: Usage
  readonly error?: ProviderError
  /** After the deltas, wait until the signal aborts. */
  readonly hang?: boolean
  /** After the deltas, wait for this. */
  readonly until?: Promise<void>
}

export type ModelScript = readonly Reply[] | ((request: ModelRequest, n: number) => Reply)

export const testModel: Model = {
  provider: "test",
  id: "model",
  name: "Test",
  api: "openai-completions",
  baseUrl: "http://127.0.0.1:1/v1",
  contextWindow: 100_000,
  maxTokens: 4_000,
  thinking: {},
  input: ["text"],
  quirks: {},
  headers: {},
  edits: "replace",
}

function contentOf(reply: Reply): readonly AssistantPart[] {
  const text = reply.text === undefined ? [] : [{ type: "text" as const, text: reply.text }]
  const calls = (reply.calls ?? []).map((call) => ({
    type: "toolCall" as const,
    id: call.id,
    name: call.name,
    arguments: call.args ?? {},
    argumentsError: call.cut,
  }))
  return [...text, ...calls]
}

function deltasOf(parts: readonly AssistantPart[]): readonly Delta[] {
  return parts.flatMap((part, contentIndex): readonly Delta[] => {
    if (part.type === "text") {
      return [
        { type: "text_start", contentIndex },
        { type: "text_delta", contentIndex, delta: part.text },
        { type: "text_end", contentIndex, part },
      ]
    }
    if (part.type !== "toolCall") return []
    return [
      { type: "toolcall_start", contentIndex, id: part.id, toolName: part.name },
      { type: "toolcall_end", contentIndex, part },
    ]
  })
}

/** The model: records what it was asked. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = []
  readonly #script: ModelScript

  constructor(script: ModelScript) {
    this.#script = script
  }

  readonly api: Api = {
    name: "openai-completions",
    encoder: 1,
    encode: (request) => ({
      path: "/test",
      body: JSON.parse(
        JSON.stringify({ system: request.system, messages: orderMessages(request.messages) }),
      ) as JsonObject,
    }),
    call: (request, _encoded, options) => this.#call(request, options),
  }

  async #call(request: ModelRequest, options: CallOptions): Promise<Response> {
    const n = this.requests.length
    this.requests.push(request)
    const reply = typeof this.#script === "function" ? this.#script(request, n) : (this.#script[n] ?? { text: "done" })
    const content = contentOf(reply)
    const deltas = deltasOf(content)
    const folded = deltas.reduce(fold, emptyPartial)
    if (folded.parts.length !== content.length) throw new Error("the scripted model streams what it says")
    for (const delta of reply.hang === true ? deltas.filter((one) => !one.type.endsWith("_end")) : deltas)
      options.onDelta(delta)
    await reply.until
    if (reply.hang === true) await aborted(options.signal)
    if (options.signal.aborted) throw new ProviderError("aborted", "aborted", "stopped")
    if (reply.error !== undefined) throw reply.error
    const stopReason = reply.stop ?? ((reply.calls ?? []).length > 0 ? "toolUse" : "stop")
    return { content, stopReason, usage: reply.usage ?? { ...noUsage, input: 10, output: 5, totalTokens: 15 } }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
}

export type Agent<C extends Clock = ManualClock> = {
  readonly engine: Engine
  readonly model: ScriptedModel
  readonly clock: C
  readonly ledger: Ledger
  readonly reports: readonly string[]
  readonly frames: readonly Frame[]
  view(): View
  /** Submit and let everything that can run without time run. */
  say(text: string, mode?: "steer" | "followUp", requestId?: string): Promise<number>
  stop(): Promise<void>
  /** The transcript, a line an entry: `user: …`, `assistant: …`, `read → …`. */
  transcript(): string
  settle(): Promise<void>
  /** Until nothing runs any more; throws where that needs time to pass. */
  idle(): Promise<void>
}

export type AgentOptions<C extends Clock = ManualClock> = {
  readonly ledger: Ledger
  readonly clock: C
  readonly script?: ModelScript
  readonly model?: ScriptedModel
  readonly tools?: readonly Tool[]
  readonly settings?: Partial<EngineSettings>
  readonly consent?: "now" | "ask"
  readonly folder?: string
  readonly hooks?: readonly Hooks[]
  /** Called at the engine's named moments. */
  readonly at?: At
  readonly env?: Readonly<Record<string, string>>
  /** Fields of the model that differ from {@link testModel}; looked at at each request. */
  readonly modelFields?: () => Partial<Model>
  readonly redact?: EngineOptions["redact"]
  /** The system prompt as it is now. */
  system?(): string
}

export function lineOf(entry: EntryRecord): string | undefined {
  const { data } = entry
  switch (data.kind) {
    case "user":
      return `user: ${textOf({ content: data.content as never })}`
    case "assistant": {
      const { message } = data as Extract<typeof data, { message: { role: string } }> & { message: never }
      return assistantLine(message)
    }
    case "toolResult": {
      const result = data as unknown as { message: { toolName: string; content: never }; outcome: string }
      return `${result.message.toolName} (${result.outcome}): ${textOf(result.message)}`
    }
    case "notice":
      return `notice: ${String((data as { text: string }).text)}`
    default:
      return undefined
  }
}

function assistantLine(message: Extract<Message, { role: "assistant" }>): string {
  const calls = callsOf(message).map((call) => `[${call.name} ${call.id}]`)
  const said = [textOf(message), ...calls].filter((text) => text !== "").join(" ")
  const failed = message.stopReason === "error" || message.stopReason === "aborted"
  return failed ? `attempt (${message.stopReason}): ${said} | ${message.errorMessage ?? ""}` : `assistant: ${said}`
}

function optionsOf(given: AgentOptions<Clock>, model: ScriptedModel, reports: string[]): EngineOptions {
  return {
    ledger: given.ledger,
    clock: given.clock,
    models: {
      resolve: () => ({ ok: true, model: { ...testModel, ...given.modelFields?.() } }),
      api: async () => model.api,
      key: async () => ({ key: "k" }),
      list: async () => [],
    },
    tools: given.tools ?? [],
    instructions: { system: () => given.system?.() ?? "You are a test.", files: [] },
    settings: { ...defaultSettings, ...given.settings },
    machine: {
      folder: given.folder ?? "/",
      home: "/",
      cache: tmpdir(),
      env: given.env ?? {},
      refused: [],
      readable: [],
    },
    random: () => 0.5,
    at: given.at,
    hooks: given.hooks,
    consent: given.consent ?? "now",
    ...(given.redact === undefined ? {} : { redact: given.redact }),
    report: (text) => reports.push(text),
  }
}

export function openAgent<C extends Clock>(given: AgentOptions<C>): Agent<C> {
  const { ledger, clock } = given
  const model = given.model ?? new ScriptedModel(given.script ?? [])
  const reports: string[] = []
  const tools = (given.tools ?? []).map((tool) => tool.name)
  begin(ledger, { folder: "/", agent: { model: "test/model", thinking: "off", tools } })
  const engine = openEngine(optionsOf(given, model, reports))
  const frames: Frame[] = []
  let view = emptyView
  engine.port.watch((frame) => {
    frames.push(frame)
    view = applyFrame(view, frame)
  })
  return {
    engine,
    model,
    clock,
    ledger,
    reports,
    frames,
    view: () => view,
    async say(text, mode = "steer", requestId = crypto.randomUUID()) {
      const content = [{ type: "text" as const, text }]
      const conversation = rootConversation
      const answer = await engine.port.request({ type: "submit", conversation, requestId, content, mode })
      await settle()
      return answer.submission
    },
    async stop() {
      await engine.port.request({ type: "abort", conversation: rootConversation })
      await settle()
    },
    transcript: () =>
      view.entries
        .map(lineOf)
        .filter((line) => line !== undefined)
        .join("\n"),
    settle,
    async idle() {
      // A disk that others use too may take its time; the ceiling only ends a wait for what never comes.
      await eventually(
        () => !engine.busy(),
        () => "the agent does not become idle by itself",
      )
      await settle()
    },
  }
}
