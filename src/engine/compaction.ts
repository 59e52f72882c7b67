/**
 * A compaction: the older part of a context becomes a summary. Entries stay; a new entry heads the context.
 *
 * - summarize → placed. What is summarized is pinned when the task is made, so a crash asks the same again; one task places one summary at most.
 * - A summary that failed, came back empty or with calls leaves the context as it was: the task fails, and the person is told.
 * - Of two that are under way at once the one that keeps less rules; the other one comes to nothing, and is paid for.
 * - What it cost counts, also what attempts cost that gave no summary.
 */
import type { Task } from "../ledger/records.ts"
import type { Tx } from "../ledger/ledger.ts"
import { addUsage, noUsage, type Usage } from "../message/usage.ts"
import { emptyPartial, fold } from "../message/delta.ts"
import { estimateRequest } from "../message/estimate.ts"
import { callsOf, textOf, type AssistantMessage, type Message } from "../message/message.ts"
import { attemptUsage } from "../providers/attempt-usage.ts"
import { modelName, type Model } from "../providers/model.ts"
import { ProviderError, type Api, type Response } from "../providers/provider.ts"
import { assert } from "../std/assert.ts"
import { sleep } from "../std/clock.ts"
import type { JsonObject } from "../std/json.ts"
import { branchMessages } from "./branch-summary.ts"
import { contextEntries, messagesOf } from "./context.ts"
import { liveTask, type Core } from "./core.ts"
import { countFailure, takePlace } from "./compaction-plan.ts"
import { cutAt, roomOf, type Room } from "./cut.ts"
import { emptyUsage, readDocument, writeDocument } from "./documents.ts"
import { append } from "./entries.ts"
import { compactionChoice } from "./hooks.ts"
import { retryDelay } from "./retry.ts"
import { cleanError } from "./secrets.ts"
import { summaryPrompt, summarySystem, withFiles } from "./summary.ts"
import { compactionKind, stored, taskVersions } from "./task.ts"

export type CompactionReason = "manual" | "threshold" | "overflow" | "branch"

/** The part of another conversation that was left: its entries after `after`. */
export type Branch = { readonly from: number; readonly after: number }

/** `branch`: what is summarized instead of the conversation's own past; it goes in behind, and nothing is cut. */
export type CompactionInput = {
  readonly reason: CompactionReason
  readonly focus: string
  readonly to: number
  readonly keep: number
  readonly branch?: Branch
}

/** Make the task; part of a commit. `keep`: tokens of the recent part. */
export function addCompaction(
  tx: Tx,
  conversation: number,
  owner: number | null,
  input: CompactionInput,
  background = false,
): Task {
  const version = taskVersions[compactionKind] ?? 1
  const made = stored({ phase: "summarize" })
  return tx.addTask({ conversation, kind: compactionKind, version, owner, background, input, ...made })
}

/** What summaries were asked for with, and what that has cost so far. */
type Spent = { readonly model: string; usage: Usage }

/** A model as it is called where it can be asked. */
function nameOf(core: Core, name: string): string {
  const resolved = core.options.models.resolve(name)
  return resolved.ok ? modelName(resolved.model) : name
}

/** Counts what was spent. Part of a commit. */
function count(core: Core, tx: Tx, conversation: number, { model: name, usage }: Spent): void {
  if (usage.totalTokens === 0) return
  const before = readDocument(tx.live, conversation, "usage") ?? emptyUsage
  const model = nameOf(core, name)
  writeDocument(tx, conversation, "usage", {
    ...before,
    total: addUsage(before.total, usage),
    models: { ...before.models, [model]: addUsage(before.models[model] ?? noUsage, usage) },
  })
}

function fail(core: Core, task: Task, text: string | null, spent?: Spent): Promise<void> {
  const receipt = core.ledger.commit("flushed", (tx) => {
    if (spent !== undefined) count(core, tx, task.conversation, spent)
    if (spent !== undefined && task.abort === null && isAutomatic(task))
      countFailure(tx, task.conversation, nameOf(core, spent.model))
    if (text !== null)
      append(tx, { conversation: task.conversation }, { kind: "notice", level: "warning", code: "compaction", text })
    tx.setTask(task.id, { status: task.abort === null ? "failed" : "aborted", outcome: { reason: text ?? "aborted" } })
  })
  return receipt.stored
}

function isAutomatic(task: Task): boolean {
  const { reason } = task.input as CompactionInput
  return reason === "threshold" || reason === "overflow"
}

export async function runCompaction(core: Core, id: number, signal: AbortSignal): Promise<void> {
  const task = liveTask(core, id)
  if (task === undefined) return
  if (task.abort !== null) return fail(core, task, null)
  const input = task.input as CompactionInput
  const agent = readDocument(core.ledger.live, task.conversation, "agent")
  assert(agent !== undefined, `conversation ${task.conversation} has no agent document`)
  const source = await sourceOf(core, task, input)
  if (source === null)
    return fail(
      core,
      task,
      input.reason === "manual" ? "There is nothing to compact yet: the conversation is short." : null,
    )
  const { older, head } = source
  const { reason, focus } = input
  const asking = { core, conversation: task.conversation, signal }
  const choice = await compactionChoice(asking, { reason, focus, messages: older })
  const chosen = liveTask(core, id)
  if (chosen === undefined || core.closing()) return
  if (choice?.kind === "decline") return fail(core, chosen, choice.why)
  if (choice?.kind === "summary" && chosen.abort === null)
    return place(core, chosen, head, withFiles(choice.text, older), { model: agent.model, usage: noUsage })
  const spent: Spent = { model: agent.model, usage: noUsage }
  try {
    core.at("summarize")
    const response = await summarize(core, task, spent, { older, focus: input.focus }, signal)
    core.at("summarized")
    const now = liveTask(core, id)
    if (now === undefined || core.closing()) return
    const message = { content: response.content } as AssistantMessage
    const text = textOf(message)
    if (text.trim() === "" || callsOf(message).length > 0 || response.stopReason === "length") {
      return await fail(
        core,
        now,
        "The summary came back empty, cut or with calls, so the conversation was left as it is.",
        spent,
      )
    }
    await place(core, now, head, withFiles(text, older), spent)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const now = liveTask(core, id)
    if (now === undefined || core.closing()) return
    const { message } = cleanError(error, core.options.redact)
    const why = now.abort === null ? `The conversation could not be summarized: ${message}` : null
    await fail(core, now, why, spent)
  }
}

/** What is summarized, and the first entry that is kept; null where there is nothing to summarize. */
async function sourceOf(
  core: Core,
  task: Task,
  { to, keep, branch }: CompactionInput,
): Promise<{ readonly older: readonly Message[]; readonly head: number | null } | null> {
  if (branch !== undefined) {
    const older = await branchMessages(core, branch, to)
    return older.length === 0 ? null : { older, head: null }
  }
  const { entries } = await contextEntries(core.ledger, task.conversation, to)
  const first = cutAt(entries, keep)
  if (first === null) return null
  return { older: messagesOf(entries.filter((entry) => entry.id < first.id || entry.head !== null)), head: first.id }
}

/** Of the room for a conversation, what a summary's request tells of it: estimates are no counts. */
const transcriptShare = 0.7
/** How often a request that was still too long is made half as long. */
const halvingsMax = 3

type Source = { readonly older: readonly Message[]; readonly focus: string }

/**
 * Asks for the summary; again after what passes, and with less where it was too much. What each attempt cost is added to `spent`.
 * Throws {@link ProviderError}.
 */
async function summarize(core: Core, task: Task, spent: Spent, source: Source, signal: AbortSignal): Promise<Response> {
  const resolved = core.options.models.resolve(spent.model)
  if (!resolved.ok) throw new ProviderError("fatal", "no_model", resolved.problem)
  const { model } = resolved
  const api = await core.options.models.api(model)
  const key = await core.options.models.key(model)
  if ("problem" in key) throw new ProviderError("auth", "no_key", key.problem)
  const room = roomOf(model.contextWindow, {})
  const { retry } = core.options.settings
  let limit = Math.floor((room.window - room.reserve) * transcriptShare)
  for (let halvings = 0, tries = 1; ;) {
    try {
      const prompt = summaryPrompt(source.older, source.focus, limit)
      return await askSummary(core, task, { model, api, key: key.key, room, spent }, prompt, signal)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      if (error.kind === "overflow" && halvings < halvingsMax) {
        halvings += 1
        limit = Math.floor(limit / 2)
        continue
      }
      const delay = retryDelay(error, tries, retry)
      tries += 1
      if (delay === null || !(await sleep(core.clock, delay, signal))) throw error
    }
  }
}

type Summarizer = {
  readonly model: Model
  readonly api: Api
  readonly key: string | undefined
  readonly room: Room
  readonly spent: Spent
}

async function askSummary(
  core: Core,
  task: Task,
  { model, api, key, room, spent }: Summarizer,
  prompt: string,
  signal: AbortSignal,
): Promise<Response> {
  const request = {
    model,
    system: summarySystem,
    tools: [],
    messages: [
      { role: "user" as const, content: [{ type: "text" as const, text: prompt }], timestamp: task.startedAt },
    ],
    thinking: "off" as const,
    maxTokens: Math.min(model.maxTokens ?? room.reserve, Math.floor(room.reserve * 0.8)),
  }
  let partial = emptyPartial
  try {
    const response = await api.call(request, api.encode(request), {
      apiKey: key,
      headers: model.headers,
      signal,
      clock: core.clock,
      stallMs: core.options.settings.stallMs,
      firstByteMs: core.options.settings.firstByteMs,
      onDelta: (delta) => (partial = fold(partial, delta)),
    })
    spent.usage = addUsage(spent.usage, response.usage)
    return response
  } catch (error) {
    const said = partial.parts.map(({ part }) => part)
    const cost = attemptUsage(partial.usage, said, estimateRequest(request), model.cost)
    spent.usage = addUsage(spent.usage, cost)
    throw error
  }
}

async function place(core: Core, task: Task, head: number | null, summary: string, spent: Spent): Promise<void> {
  const receipt = core.ledger.commit("flushed", (tx) => {
    const before = readDocument(tx.live, task.conversation, "usage") ?? emptyUsage
    const place = { conversation: task.conversation, byTask: task.id, head }
    const { branch } = task.input as CompactionInput
    const said = core.options.redact?.(summary) ?? summary
    const isStale = head !== null && !takePlace(tx, task.conversation, head)
    if (!isStale)
      append(tx, place, { kind: "compaction", summary: said, tokensBefore: before.context, branch: branch?.from })
    count(core, tx, task.conversation, spent)
    // Counted anew by the next answer.
    if (head !== null && !isStale) {
      const now = readDocument(tx.live, task.conversation, "usage") ?? emptyUsage
      writeDocument(tx, task.conversation, "usage", { ...now, context: 0, contextEstimated: true })
    }
    tx.setTask(task.id, { status: "completed", outcome: { head } as JsonObject })
  })
  await receipt.stored
}
