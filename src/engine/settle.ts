/**
 * How a turn's request ends: entries, usage and the next step in one flushed commit each. Nothing here waits or calls out.
 *
 * - An answer settles the run or hands on; an answer with calls makes their tasks; a failed or stopped attempt is kept, out of context.
 * - Calls of an answer that the token limit cut never run: each gets a result that says so, at most three answers in a row.
 * - The usage of every attempt counts, estimated where the provider did not get as far as saying it.
 */
import type { Partial } from "../message/delta.ts"
import { estimateRequest } from "../message/estimate.ts"
import { callsOf, type AssistantMessage, type AssistantPart, type StopReason } from "../message/message.ts"
import { addUsage, noUsage, type Usage } from "../message/usage.ts"
import type { Receipt, Tx } from "../ledger/ledger.ts"
import type { Task } from "../ledger/records.ts"
import type { CallOutcome } from "../protocol/records.ts"
import { modelName, type Model } from "../providers/model.ts"
import { attemptUsage } from "../providers/attempt-usage.ts"
import type { ModelRequest, Response } from "../providers/provider.ts"
import { addCompaction, type CompactionInput } from "./compaction.ts"
import { underWay } from "./compaction-plan.ts"
import type { Core } from "./core.ts"
import { emptyUsage, readDocument, writeDocument } from "./documents.ts"
import { append } from "./entries.ts"
import { hooksAt } from "./hooks.ts"
import { answered, endRun, nextTurn, queued } from "./run.ts"
import { callKind, countsOf, stored, taskVersions, type CallInput, type RequestPin } from "./task.ts"

/** Answers in a row whose calls were cut before the run gives up. */
const cutsMax = 3

type Asked = {
  readonly model: Pick<Model, "provider" | "id" | "api" | "contextWindow" | "cost">
  readonly pin?: RequestPin
  readonly request?: Pick<ModelRequest, "system" | "tools" | "messages">
}

function message(
  asked: Asked,
  content: readonly AssistantPart[],
  more: MessageEnd,
  timestamp: number,
): AssistantMessage {
  const { provider, id, api } = asked.model
  return { role: "assistant", content, api, provider, model: id, timestamp, ...more }
}

type MessageEnd = { readonly usage: Usage; readonly stopReason: StopReason } & Pick<
  AssistantMessage,
  "rawStopReason" | "errorMessage" | "responseId" | "responseModel" | "durationMs"
>

function count(tx: Tx, conversation: number, asked: Asked, usage: Usage, answer: boolean): void {
  const before = readDocument(tx.live, conversation, "usage") ?? emptyUsage
  const name = modelName(asked.model)
  const size = usage.input + usage.cacheRead + usage.cacheWrite + usage.output
  writeDocument(tx, conversation, "usage", {
    total: addUsage(before.total, usage),
    context: answer && size > 0 ? size : before.context,
    contextEstimated: answer && size > 0 ? usage.estimated === true : before.contextEstimated,
    contextWindow: asked.model.contextWindow ?? null,
    models: { ...before.models, [name]: addUsage(before.models[name] ?? noUsage, usage) },
  })
}

/** An attempt's parts as a message keeps them: what was still being written counts as written. */
function partsOf(partial: Partial): readonly AssistantPart[] {
  return partial.parts
    .map(({ part, argumentsText, ended }) =>
      part.type === "toolCall" && !ended ? { ...part, argumentsError: argumentsText ?? "" } : part,
    )
    .filter((part) => part.type === "toolCall" || (part.type === "text" ? part.text : part.thinking) !== "")
}

export type Attempt = {
  readonly asked: Asked
  readonly attempt: number
  readonly partial: Partial
  readonly stopReason: "error" | "aborted"
  readonly error: string
  readonly again: boolean
  readonly durationMs?: number
}

/** Keep an attempt that gave no answer. Part of a commit. */
export function addAttempt(tx: Tx, task: Task, attempt: Attempt): void {
  const { asked, partial, stopReason, again } = attempt
  const content = partsOf(partial)
  const input = asked.request === undefined ? 0 : estimateRequest(asked.request)
  const usage = attemptUsage(partial.usage, content, input, asked.model.cost)
  const end = { usage, stopReason, errorMessage: attempt.error, durationMs: attempt.durationMs }
  append(
    tx,
    { conversation: task.conversation, byTask: task.id },
    {
      kind: "assistant",
      message: message(asked, content, end, tx.now),
      attempt: attempt.attempt,
      again,
      request: asked.pin,
    },
  )
  count(tx, task.conversation, asked, usage, false)
}

/** The attempt failed and will be made again at `until`. */
export function settleRetry(core: Core, task: Task, attempt: Attempt, tries: number, waitMs: number): Receipt<void> {
  return core.ledger.commit("flushed", (tx) => {
    addAttempt(tx, task, attempt)
    const until = tx.now + waitMs
    tx.setTask(task.id, stored({ phase: "retry", ...countsOf(task), tries, until, waitMs, error: attempt.error }))
  })
}

/** The context did not fit: it is compacted once, then asked again. */
export function settleOverflow(core: Core, task: Task, attempt: Attempt, keep: number): Receipt<void> {
  return core.ledger.commit("flushed", (tx) => {
    addAttempt(tx, task, attempt)
    compactFirst(tx, task, {
      reason: "overflow",
      focus: "",
      to: attempt.asked.pin?.to ?? tx.live.tail(task.conversation),
      keep,
    })
  })
}

/**
 * The turn waits for a compaction: the one that is under way, or one of its own. What was refused as too long needs its own, which keeps as little
 * as may be. Part of a commit.
 */
export function compactFirst(tx: Tx, task: Task, input: CompactionInput): void {
  const shared = input.reason === "overflow" ? undefined : underWay(tx.live, task.conversation)
  const child = shared ?? addCompaction(tx, task.conversation, task.id, input)
  const counts = countsOf(task)
  const compactions = counts.compactions + 1
  tx.setTask(task.id, { status: "waiting", ...stored({ phase: "compact", task: child.id, ...counts, compactions }) })
}

/** The run ends without an answer: `reason` is what its inputs are told. */
export function settleFailed(core: Core, task: Task, attempt: Attempt, reason: string): Receipt<void> {
  return core.ledger.commit("flushed", (tx) => {
    addAttempt(tx, task, attempt)
    tx.setTask(task.id, { status: reason === "aborted" ? "aborted" : "failed", outcome: { reason } })
    endRun(tx, task.conversation, { status: "unanswered", reason })
  })
}

function addCalls(
  tx: Tx,
  task: Task,
  entry: number,
  content: readonly AssistantPart[],
  { sequential, offered }: { readonly sequential: boolean; readonly offered: readonly string[] | undefined },
): number[] {
  const tasks: number[] = []
  for (const call of content) {
    if (call.type !== "toolCall") continue
    const after = sequential ? tasks.at(-1) : undefined
    const { id: callId, name, arguments: args, argumentsError } = call
    const input: CallInput = { entry, callId, name, args, argumentsError, after, tools: offered }
    const { conversation, id: owner } = task
    const version = taskVersions[callKind] ?? 1
    tasks.push(tx.addTask({ conversation, kind: callKind, version, owner, input, ...stored({ phase: "prepare" }) }).id)
  }
  return tasks
}

/** A result of a call that did not get as far as its tool. Part of a commit. */
export function addResult(
  tx: Tx,
  task: Task,
  call: { readonly callId: string; readonly name: string },
  outcome: CallOutcome,
  text: string,
): void {
  const { callId: toolCallId, name: toolName } = call
  const content = [{ type: "text", text }] as const
  append(
    tx,
    { conversation: task.conversation, byTask: task.id },
    {
      kind: "toolResult",
      message: { role: "toolResult", toolCallId, toolName, content, isError: true, timestamp: tx.now },
      task: task.id,
      outcome,
      title: toolName,
      durationMs: 0,
    },
  )
}

function addCutResults(tx: Tx, task: Task, answer: AssistantMessage): void {
  for (const { id: callId, name } of callsOf(answer)) {
    const text = `The answer was cut at the output limit (${answer.usage.output} tokens) before this call was whole, so it was not run. Write it in smaller pieces.`
    addResult(tx, task, { callId, name }, "not started", text)
  }
}

/** A finished response: settle the turn by what it holds. */
export function settleResponse(
  core: Core,
  task: Task,
  asked: Asked,
  response: Response,
  durationMs: number,
): Receipt<void> {
  const { settings } = core.options
  const { usage, stopReason, rawStopReason, responseId, responseModel } = response
  const sequential = response.content.some(
    (part) => part.type === "toolCall" && core.options.tools.some((tool) => tool.name === part.name && tool.sequential),
  )
  return core.ledger.commit("flushed", (tx) => {
    const end = { usage, stopReason, rawStopReason, responseId, responseModel, durationMs }
    const answer = message(asked, response.content, end, tx.now)
    const { conversation } = task
    const entry = append(
      tx,
      { conversation, byTask: task.id },
      { kind: "assistant", message: answer, attempt: task.attempt, request: asked.pin },
    )
    count(tx, conversation, asked, usage, true)
    if (callsOf(answer).length === 0 && mayContinue(core, tx, conversation)) {
      tx.setTask(task.id, stored({ phase: "yield", entry: entry.id }))
      return
    }
    if (callsOf(answer).length === 0) {
      tx.setTask(task.id, { status: "completed", outcome: { entry: entry.id } })
      return answered(tx, conversation, entry.id, settings)
    }
    if (stopReason !== "length") {
      const round = { sequential, offered: asked.pin?.tools }
      const calls = addCalls(tx, task, entry.id, response.content, round)
      tx.setTask(task.id, { status: "waiting", ...stored({ phase: "tools", cuts: 0, entry: entry.id, calls }) })
      return
    }
    addCutResults(tx, task, answer)
    const cuts = countsOf(task).cuts + 1
    tx.setTask(task.id, { status: "completed", outcome: { entry: entry.id } })
    if (cuts < cutsMax) return nextTurn(tx, conversation, settings, cuts)
    const text = `The model's answer was cut at its output limit ${cutsMax} times in a row. Ask for smaller steps, or raise maxTokens of this model in the config.`
    append(tx, { conversation }, { kind: "notice", level: "error", code: "output_limit", text })
    endRun(tx, conversation, { status: "unanswered", reason: "output_limit" })
  })
}

/** Whether somebody is to be asked for more before the run ends; an input that waits goes on with it anyway. */
function mayContinue(core: Core, tx: Tx, conversation: number): boolean {
  return hooksAt(core, "continueRun").length > 0 && queued(tx, conversation, "steer").length === 0
}
