/**
 * Frames as the events that pi's clients know (`--mode json`, RPC). A fold: frame in, events out.
 *
 * - Names and fields are pi's; an event is one JSON object. Deltas do not repeat the usage.
 * - Every call starts and ends; work that a client finds under way goes on from there. End events of calls come in completion order, result
 *   messages in call order, when the round is over.
 * - A failed attempt ends its turn and its agent (`willRetry`); the next attempt starts both anew.
 * - `agent_settled` is the last event of all work.
 */
import type { Json, JsonObject } from "../std/json.ts"
import type { Delta } from "../message/delta.ts"
import { callsOf, type AssistantMessage, type Message } from "../message/message.ts"
import type { Frame, PortChange } from "../protocol/port.ts"
import type { EntryRecord, TaskRecord, ToolResultEntry } from "../protocol/records.ts"
import { applyFrame, deltasOf, emptyView, queueOf, runOf, type View } from "../protocol/view.ts"
import { textOf } from "../message/message.ts"

export type Event = JsonObject & { readonly type: string }

type Round = { readonly message: AssistantMessage; readonly results: Map<string, ToolResultEntry> }

function event(type: string, fields: Readonly<Record<string, unknown>> = {}): Event {
  return { type, ...(fields as JsonObject) }
}

function deltaEvent(delta: Delta): Json | undefined {
  if (delta.type === "usage") return undefined
  if (delta.type === "text_end") return { type: delta.type, contentIndex: delta.contentIndex, content: delta.part.text }
  if (delta.type === "thinking_end") {
    return { type: delta.type, contentIndex: delta.contentIndex, content: delta.part.thinking }
  }
  if (delta.type === "toolcall_end") {
    const { part } = delta
    return { type: delta.type, contentIndex: delta.contentIndex, toolCall: part as unknown as Json }
  }
  return delta
}

/** The round of calls that is under way in a view; what its calls have given so far is there already. */
function openRound(view: View, conversation: number): Round | null {
  const mine = view.entries.filter((entry) => entry.conversation === conversation)
  const at = mine.findLastIndex(({ data }) => data.kind === "assistant")
  const message = (mine[at]?.data as { readonly message?: AssistantMessage } | undefined)?.message
  if (message === undefined || message.stopReason === "error" || message.stopReason === "aborted") return null
  const results = mine.slice(at).flatMap(({ data }) => (data.kind === "toolResult" ? [data as ToolResultEntry] : []))
  const given = new Map(results.map((result) => [result.message.toolCallId, result]))
  return callsOf(message).every((call) => given.has(call.id)) ? null : { message, results: given }
}

export class Events {
  readonly #conversation: number
  readonly #now: () => number
  #view: View = emptyView
  #messages: Message[] = []
  #streaming = false
  #agent = false
  #turn = false
  #retry: { readonly attempt: number } | null = null
  #round: Round | null = null
  readonly #started = new Set<number>()

  /** `now`: wall-clock milliseconds, for the delay of a retry. */
  constructor(conversation: number, now: () => number) {
    this.#conversation = conversation
    this.#now = now
  }

  get view(): View {
    return this.#view
  }

  feed(frame: Frame): readonly Event[] {
    const before = this.#view
    this.#view = applyFrame(before, frame)
    switch (frame.type) {
      case "snapshot":
        this.#round = openRound(this.#view, this.#conversation)
        return runOf(this.#view, this.#conversation) === undefined ? [] : this.#start()
      case "commit":
        return frame.changes.flatMap((change) => this.#change(change, before))
      case "progress":
        return this.#progress(frame.task, frame.text)
      case "settled":
        return [event("agent_settled", { aborted: frame.aborted })]
      case "health":
      case "lost":
        return []
    }
  }

  #start(): readonly Event[] {
    const events: Event[] = []
    if (!this.#agent) events.push(event("agent_start"))
    if (!this.#turn) events.push(event("turn_start"))
    this.#agent = true
    this.#turn = true
    return events
  }

  #change(change: PortChange, before: View): readonly Event[] {
    switch (change.type) {
      case "entry":
        return change.entry.conversation === this.#conversation ? this.#entry(change.entry) : []
      case "task":
        return change.task.conversation === this.#conversation ? this.#task(change.task) : []
      case "submission":
        return this.#queue(before)
      case "document":
        if (change.document.conversation === this.#conversation && change.document.name === "run") {
          return change.document.value === null ? this.#end(false) : this.#start()
        }
        if (change.document.name === "session")
          return [event("session_info_changed", { name: change.document.value.title })]
        return []
      case "conversation":
        return []
    }
  }

  #queue(before: View): readonly Event[] {
    const texts = (view: View, mode: string): readonly string[] =>
      queueOf(view, this.#conversation)
        .filter((item) => item.mode === mode)
        .map(textOf)
    const steering = texts(this.#view, "steer")
    const followUp = texts(this.#view, "followUp")
    const same = [texts(before, "steer"), texts(before, "followUp")]
    return JSON.stringify(same) === JSON.stringify([steering, followUp])
      ? []
      : [event("queue_update", { steering, followUp })]
  }

  #message(message: Message): readonly Event[] {
    this.#messages.push(message)
    const start = this.#streaming ? [] : [event("message_start", { message })]
    this.#streaming = false
    return [...start, event("message_end", { message })]
  }

  #entry(entry: EntryRecord): readonly Event[] {
    const { data } = entry
    switch (data.kind) {
      case "user": {
        const message: Message = { role: "user", content: data.content, timestamp: entry.at }
        return [...(this.#agent ? [] : [event("agent_start")]), ...this.#afterStart(), ...this.#message(message)]
      }
      case "assistant":
        return this.#assistant(data.message, data.again === true)
      case "toolResult":
        return this.#result(data as ToolResultEntry)
      default:
        return []
    }
  }

  #afterStart(): readonly Event[] {
    this.#agent = true
    if (this.#turn) return []
    this.#turn = true
    return [event("turn_start")]
  }

  #assistant(message: AssistantMessage, again: boolean): readonly Event[] {
    const events = [...this.#start(), ...this.#message(message)]
    const failed = message.stopReason === "error" || message.stopReason === "aborted"
    if (!failed && callsOf(message).length > 0) {
      this.#round = { message, results: new Map() }
      return events
    }
    events.push(event("turn_end", { message, toolResults: [] }))
    this.#turn = false
    if (again) events.push(...this.#end(true))
    if (!failed) events.push(...this.#retryOver({ success: true }))
    return events
  }

  #retryOver(end: { readonly success: boolean; readonly finalError?: string }): readonly Event[] {
    const retry = this.#retry
    this.#retry = null
    return retry === null ? [] : [event("auto_retry_end", { ...end, attempt: retry.attempt })]
  }

  #result(result: ToolResultEntry): readonly Event[] {
    const { message, details, durationMs } = result
    const ended = event("tool_execution_end", {
      toolCallId: message.toolCallId,
      toolName: message.toolName,
      result: { content: message.content, details },
      isError: message.isError,
      durationMs,
    })
    this.#round?.results.set(message.toolCallId, result)
    return [...this.#startLate(result), ended, ...this.#roundOver()]
  }

  /** A call that never came to its tool starts all the same, right before its end. */
  #startLate({ task, message }: ToolResultEntry): readonly Event[] {
    const { toolCallId, toolName } = message
    const call = this.#round === null ? undefined : callsOf(this.#round.message).find(({ id }) => id === toolCallId)
    if (call === undefined || this.#started.has(task)) return []
    return [event("tool_execution_start", { toolCallId, toolName, args: call.arguments })]
  }

  #roundOver(): readonly Event[] {
    const round = this.#round
    if (round === null) return []
    const calls = callsOf(round.message)
    if (!calls.every((call) => round.results.has(call.id))) return []
    this.#round = null
    this.#turn = false
    const results = calls.map((call) => round.results.get(call.id)?.message).filter((message) => message !== undefined)
    return [
      ...results.flatMap((message) => this.#message(message)),
      event("turn_end", { message: round.message, toolResults: results }),
    ]
  }

  #task(task: TaskRecord): readonly Event[] {
    const { work } = task
    if (work.kind === "toolCall" && work.phase === "execute" && !this.#started.has(task.id)) {
      this.#started.add(task.id)
      return [event("tool_execution_start", { toolCallId: work.callId, toolName: work.name, args: work.args })]
    }
    if (work.kind === "generation" && work.retry !== undefined && task.state !== "ended") {
      const { until, attempt, of, error } = work.retry
      if (this.#retry?.attempt === attempt) return []
      this.#retry = { attempt }
      const delayMs = Math.max(0, until - this.#now())
      return [event("auto_retry_start", { attempt, maxAttempts: of, delayMs, errorMessage: error })]
    }
    return []
  }

  #progress(id: number, text: string): readonly Event[] {
    const work = this.#view.tasks.get(id)?.work
    if (work?.kind === "toolCall") {
      const progress = this.#view.progress.get(id)
      const shown = progress?.kind === "output" ? progress.text : ""
      const { callId: toolCallId, name: toolName, args } = work
      return [
        event("tool_execution_update", {
          toolCallId,
          toolName,
          args,
          partialResult: { content: [{ type: "text", text: shown }] },
        }),
      ]
    }
    const deltas = deltasOf(text)
      .map(deltaEvent)
      .filter((delta) => delta !== undefined)
    if (deltas.length === 0) return []
    const events = [...this.#start()]
    if (!this.#streaming) events.push(event("message_start", { message: { role: "assistant", content: [] } }))
    this.#streaming = true
    return [...events, ...deltas.map((delta) => event("message_update", { assistantMessageEvent: delta }))]
  }

  #end(willRetry: boolean): readonly Event[] {
    if (!this.#agent) return []
    const last = this.#messages.findLast((message) => message.role === "assistant")
    const finalError = last?.role === "assistant" ? last.errorMessage : undefined
    const messages = this.#messages
    this.#messages = []
    this.#agent = false
    this.#turn = false
    const over = willRetry ? [] : this.#retryOver({ success: false, finalError })
    return [event("agent_end", { messages, willRetry }), ...over]
  }
}
