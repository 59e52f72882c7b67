/**
 * A generation: one turn's request, asked until it is answered, refused or stopped.
 *
 * - prepare → (compact → prepare) → request → answer | yield | tools | retry → prepare. Each arrow is one commit; an invocation starts from whatever phase is stored.
 * - An invocation that starts in `request` was cut by a crash: what had been streamed is kept as an attempt, and the same pinned request is
 *   asked again. A crash uses up no try.
 * - A retry's deadline is stored; a clock that jumps can shorten the wait, never make it longer than it was.
 */
import type { Partial } from "../message/delta.ts"
import { emptyPartial } from "../message/delta.ts"
import { sleep } from "../std/clock.ts"
import { unreachable } from "../std/assert.ts"
import { ProviderError, type Response } from "../providers/provider.ts"
import type { Model } from "../providers/model.ts"
import type { Task } from "../ledger/records.ts"
import { addCompaction } from "./compaction.ts"
import { compactionPlan, tellWindow, tooLongText, underWay } from "./compaction-plan.ts"
import { liveTask, type Core } from "./core.ts"
import { consent, waitsForConsent } from "./cost-limit.ts"
import { roomOf } from "./cut.ts"
import { readDocument } from "./documents.ts"
import type { Models } from "./options.ts"
import { GenerationProgress } from "./progress.ts"
import { newRequest, rebuildRequest, type Built } from "./request.ts"
import { cleanError, cleanPartial, cleanParts } from "./secrets.ts"
import { moreOf, stopOf, turnAgent } from "./turn-hooks.ts"
import { lastWords, remainingWait, retryDelay } from "./retry.ts"
import {
  addAttempt,
  compactFirst,
  settleFailed,
  settleOverflow,
  settleResponse,
  settleRetry,
  type Attempt,
} from "./settle.ts"
import { settleTools, settleYield } from "./settle-end.ts"
import { partialOf } from "./spool-text.ts"
import { tellUnseen } from "./unseen.ts"
import { countsOf, generationState, stored, waitsFor, type GenerationState } from "./task.ts"

const stopped = "stopped by you"

/** Work on a generation until it waits for its calls, has ended, or the engine closes. */
export async function runGeneration(core: Core, id: number, signal: AbortSignal, wake: AbortSignal): Promise<void> {
  let built: Built | undefined
  for (;;) {
    const task = liveTask(core, id)
    if (task === undefined || core.closing()) return
    const state = generationState(task)
    switch (state.phase) {
      case "prepare":
        built = await prepare(core, task, signal)
        break
      case "request":
        built ??= await askAgain(core, task, state.pin)
        if (built === undefined) return
        if (!(await request(core, liveTask(core, id) ?? task, built, state.tries, signal))) return
        built = undefined
        break
      case "retry":
        await wait(core, task, state, AbortSignal.any([signal, wake]))
        break
      case "compact":
        if (waitsFor(task, core.ledger.live.tasks)) return
        core.ledger.commit("relaxed", (tx) => {
          tx.setTask(id, { status: "running", ...stored({ phase: "prepare", ...countsOf(task) }) })
        })
        break
      case "limit":
        await waitForConsent(core, task, AbortSignal.any([signal, wake]))
        break
      case "tools":
        if (waitsFor(task, core.ledger.live.tasks)) return
        await endTools(core, task, signal)
        return
      case "yield":
        await endYield(core, task, signal)
        return
      default:
        unreachable(state)
    }
  }
}

/** Asks whoever may end the run here, and goes on or ends it. */
async function endTools(core: Core, task: Task, signal: AbortSignal): Promise<void> {
  const why = await stopOf({ core, conversation: task.conversation, signal }, task)
  if (core.closing()) return
  await settleTools(core, task, why).stored
  // A host that ended right after it had stored the answer left its spool.
  await core.ledger.spools.drop(task.id)
}

/** Asks whoever may go on with the run, and goes on or ends it. */
async function endYield(core: Core, task: Task, signal: AbortSignal): Promise<void> {
  const more = await moreOf({ core, conversation: task.conversation, signal }, task)
  if (!core.closing()) await settleYield(core, task, more).stored
}

async function fail(core: Core, task: Task, model: ModelRef, reason: string, error: string): Promise<void> {
  const attempt: Attempt = {
    asked: { model },
    attempt: task.attempt,
    partial: emptyPartial,
    stopReason: reason === "aborted" ? "aborted" : "error",
    error,
    again: false,
  }
  await settleFailed(core, task, attempt, reason).stored
}

/** A model as it is named where it could not be resolved. */
type ModelRef = Pick<Model, "provider" | "id" | "api">

function namedModel(name: string): ModelRef {
  const [provider = "", ...id] = name.split("/")
  return { provider, id: id.join("/"), api: "openai-completions" }
}

/** A model by name. A server of this machine is asked how much its model reads at once before anything depends on that. */
async function modelFor({ options: { models } }: Core, name: string): Promise<ReturnType<Models["resolve"]>> {
  const named = models.resolve(name)
  if (!named.ok || named.model.contextWindow !== undefined) return named
  await models.api(named.model)
  return models.resolve(name)
}

async function prepare(core: Core, task: Task, signal: AbortSignal): Promise<Built | undefined> {
  const asking = { core, conversation: task.conversation, signal }
  const turn = await turnAgent(asking)
  const { agent } = turn
  if (task.abort !== null) {
    await fail(core, task, namedModel(agent.model), "aborted", stopped)
    return undefined
  }
  if (waitsForConsent(core, task)) return undefined
  const resolved = await modelFor(core, agent.model)
  if (!resolved.ok) {
    await fail(core, task, namedModel(agent.model), "no_model", resolved.problem)
    return undefined
  }
  const built = await newRequest(asking, resolved.model, turn)
  // Stopped meanwhile: nothing is asked for any more, a summary neither.
  if (core.closing() || liveTask(core, task.id)?.abort !== null) return undefined
  const plan = await compactionPlan(core, task, built)
  if (core.closing() || liveTask(core, task.id)?.abort !== null) return undefined
  if (plan === "stop") {
    await fail(core, task, built.model, "too_long", tooLongText(built.model))
    return undefined
  }
  const { keep } = roomOf(built.model.contextWindow, core.options.settings.compaction)
  const input = { reason: "threshold", focus: "", to: built.pin.to, keep } as const
  if (plan === "first") {
    core.ledger.commit("relaxed", (tx) => compactFirst(tx, task, input))
    return undefined
  }
  core.ledger.commit("relaxed", (tx) => {
    tellUnseen(tx, task.conversation, built.model, built.request.messages)
    tellWindow(tx, task.conversation, built.model)
    if (plan === "behind" && underWay(tx.live, task.conversation) === undefined)
      addCompaction(tx, task.conversation, null, input, true)
    tx.setTask(task.id, {
      status: "running",
      attempt: task.attempt + 1,
      ...stored({ phase: "request", ...countsOf(task), pin: built.pin }),
    })
  })
  return built
}

async function leftover(core: Core, task: Task): Promise<Partial> {
  return partialOf(await core.ledger.spools.read(task.id, task.attempt))
}

function cleaned({ options: { redact } }: Core, partial: Partial): Partial {
  return redact === undefined ? partial : cleanPartial(partial, redact)
}

/** After a crash in mid-request: keep what came, and build the same request; undefined when the turn has ended instead. */
async function askAgain(core: Core, task: Task, pin: Built["pin"]): Promise<Built | undefined> {
  const partial = cleaned(core, await leftover(core, task))
  const resolved = core.options.models.resolve(pin.model)
  const again = task.abort === null && resolved.ok
  const attempt: Attempt = {
    asked: { model: resolved.ok ? resolved.model : namedModel(pin.model), pin },
    attempt: task.attempt,
    partial,
    stopReason: "aborted",
    error: again ? "cut off when its host ended" : task.abort !== null ? stopped : resolved.ok ? "" : resolved.problem,
    again,
  }
  if (!again || !resolved.ok) {
    await settleFailed(core, task, attempt, task.abort === null ? "no_model" : "aborted").stored
    await core.ledger.spools.drop(task.id)
    return undefined
  }
  const built = await rebuildRequest(core, task.conversation, resolved.model, pin)
  const receipt = core.ledger.commit("flushed", (tx) => {
    if (partial.parts.length > 0) addAttempt(tx, task, { ...attempt, asked: built })
    tx.setTask(task.id, { status: "running", attempt: task.attempt + 1 })
  })
  await receipt.stored
  await core.ledger.spools.drop(task.id, task.attempt)
  return built
}

type Ask = { readonly response: Response } | { readonly error: ProviderError }

async function ask(core: Core, built: Built, progress: GenerationProgress, signal: AbortSignal): Promise<Ask> {
  const { models } = core.options
  const first = await models.key(built.model)
  if ("problem" in first) return { error: new ProviderError("auth", "no_key", first.problem) }
  try {
    const asked = await askWith(core, built, progress, signal, first.key)
    // A token that was refused may only have ended: with another one it is asked once more, before anything was answered.
    const refused = "error" in asked && asked.error.kind === "auth" && asked.error.status === 401
    if (!refused || first.key === undefined || !(await models.renew?.(built.model, first.key))) return asked
    const second = await models.key(built.model)
    return "problem" in second ? asked : await askWith(core, built, progress, signal, second.key)
  } finally {
    progress.end()
  }
}

async function askWith(
  core: Core,
  built: Built,
  progress: GenerationProgress,
  signal: AbortSignal,
  apiKey: string | undefined,
): Promise<Ask> {
  try {
    const response = await built.api.call(built.request, built.encoded, {
      apiKey,
      headers: built.model.headers,
      signal,
      clock: core.clock,
      stallMs: core.options.settings.stallMs,
      firstByteMs: core.options.settings.firstByteMs,
      onDelta: (delta) => progress.add(delta),
    })
    return { response }
  } catch (error) {
    if (error instanceof ProviderError) return { error: cleanError(error, core.options.redact) }
    throw error
  }
}

/** Ask once and settle what came of it; false when nothing may be written any more. */
async function request(core: Core, task: Task, built: Built, tries: number, signal: AbortSignal): Promise<boolean> {
  const started = core.clock.monotonic()
  const progress = new GenerationProgress(core, task.id, task.attempt)
  core.at("ask")
  const asked = await ask(core, built, progress, signal)
  core.at("answered")
  const now = liveTask(core, task.id)
  if (now === undefined || core.closing()) return false
  const { redact } = core.options
  const durationMs = Math.round(core.clock.monotonic() - started)
  if ("response" in asked && now.abort === null) {
    const { response } = asked
    const clean = redact === undefined ? response : { ...response, content: cleanParts(response.content, redact) }
    await settleResponse(core, now, built, clean, durationMs).stored
  } else {
    // A stop that was stored before the answer rules: its calls never run, and no queued input follows it.
    const error = "error" in asked ? asked.error : new ProviderError("aborted", "aborted", stopped)
    await settleError(core, now, built, error, cleaned(core, progress.partial), tries, durationMs)
  }
  await core.ledger.spools.drop(task.id)
  return true
}

async function settleError(
  core: Core,
  task: Task,
  built: Built,
  error: ProviderError,
  partial: Partial,
  tries: number,
  durationMs: number,
): Promise<void> {
  const aborted = task.abort !== null || error.kind === "aborted"
  const overflowed = !aborted && error.kind === "overflow" && countsOf(task).compactions === 0
  const delay = aborted ? null : retryDelay(error, tries + 1, core.options.settings.retry)
  const attempt: Attempt = {
    asked: built,
    attempt: task.attempt,
    partial,
    stopReason: aborted ? "aborted" : "error",
    error: aborted
      ? stopped
      : delay === null
        ? lastWords(error, tries + 1, core.options.settings.retry)
        : error.message,
    again: delay !== null || overflowed,
    durationMs,
  }
  const room = roomOf(built.model.contextWindow, core.options.settings.compaction)
  if (overflowed) await settleOverflow(core, task, attempt, room.keep).stored
  else if (delay === null) await settleFailed(core, task, attempt, aborted ? "aborted" : error.reason).stored
  else await settleRetry(core, task, attempt, tries + 1, delay).stored
}

async function wait(
  core: Core,
  task: Task,
  state: Extract<GenerationState, { phase: "retry" }>,
  signal: AbortSignal,
): Promise<void> {
  const remaining = remainingWait(state.until, state.waitMs, core.clock.now())
  const until = core.clock.now() + remaining
  // The clock has gone back: whoever counts down is told the true end.
  if (until < state.until) core.ledger.commit("relaxed", (tx) => tx.setTask(task.id, stored({ ...state, until })))
  await sleep(core.clock, remaining, signal)
  const now = await stillWanted(core, task)
  if (now === undefined) return
  core.ledger.commit("relaxed", (tx) => tx.setTask(task.id, stored({ phase: "prepare", ...countsOf(now) })))
}

/** Waits until the person lets the run go on, or stops it. */
async function waitForConsent(core: Core, task: Task, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
  const now = await stillWanted(core, task)
  if (now !== undefined) core.ledger.commit("flushed", (tx) => consent(tx, now))
}

/** A task after a wait; undefined where it was stopped meanwhile, and has ended so, or where the engine closes. */
async function stillWanted(core: Core, task: Task): Promise<Task | undefined> {
  const now = liveTask(core, task.id)
  if (now === undefined || core.closing()) return undefined
  if (now.abort === null) return now
  const agent = readDocument(core.ledger.live, task.conversation, "agent")
  await fail(core, now, namedModel(agent?.model ?? ""), "aborted", stopped)
  return undefined
}
