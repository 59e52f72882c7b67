/**
 * A call: from the model's words to one result, whatever happens on the way.
 *
 * - prepare (find, validate, look) → intent → mark → execute → result. The mark is flushed after everything else and before the effect.
 * - Every call ends as exactly one result entry, in the commit that ends its task: done, failed, not started, unknown, reconciled, aborted.
 * - An invocation that starts at a marked call was cut by a crash: `pure` and `keyed` run again, `reconcile` asks the world, `unsafe` never
 *   runs again. A call that was never marked runs, whatever its class.
 * - Calls that change the same real path run one after the other.
 */
import type { JsonObject } from "../std/json.ts"
import type { Task, TaskId } from "../ledger/records.ts"
import { textOf } from "../message/message.ts"
import { errorResult, type Tool, type ToolContext } from "../tools/tool.ts"
import { isEndOfSession, liveTask, type Core } from "./core.ts"
import { callContext, toolNames } from "./call-context.ts"
import { findTool, validated } from "./call-check.ts"
import { afterCrash, outputOf, withoutCode, type Dispatched } from "./call-restart.ts"
import { executed, notStarted, settleCall, type Ended } from "./call-result.ts"
import { guarded, hooksAt, replacedResult } from "./hooks.ts"
import { CallProgress } from "./progress.ts"
import { callInput, callState, stored, type CallInput } from "./task.ts"
import type { Turns } from "./turns.ts"

/** Work on a call until it has ended or the engine closes. */
export async function runCall(core: Core, id: TaskId, signal: AbortSignal, paths: Turns): Promise<void> {
  const task = liveTask(core, id)
  if (task === undefined) return
  const marked = markedState(task)
  const started = core.clock.monotonic()
  const before = marked === null ? 0 : Math.max(0, core.clock.now() - marked.dispatchedAt)
  const ended = await endOf(core, task, marked, signal, paths)
  if (ended === undefined || core.closing()) return
  const durationMs = Math.round(before + core.clock.monotonic() - started)
  const told = await toldOf(core, task, ended, signal)
  const now = liveTask(core, id)
  if (now === undefined || core.closing()) return
  await settleCall(core, now, told, durationMs)
}

/** The end of a call as hooks let it be told. */
async function toldOf(core: Core, task: Task, ended: Ended, signal: AbortSignal): Promise<Ended> {
  if (hooksAt(core, "afterCall").length === 0) return ended
  const { name: tool, callId, args } = callInput(task)
  const asking = { core, conversation: task.conversation, signal }
  const { content, isError, details } = ended.result
  const result = await replacedResult(
    asking,
    { tool, callId, args, outcome: ended.outcome },
    { content, isError, details },
  )
  return { ...ended, result: { ...ended.result, ...result } }
}

/** Where the call was when its host ended, if its effect had begun by then. */
function markedState(task: Task): Dispatched | null {
  const state = callState(task)
  return state.phase === "execute" && state.dispatched ? state : null
}

async function endOf(
  core: Core,
  task: Task,
  marked: Dispatched | null,
  signal: AbortSignal,
  paths: Turns,
): Promise<Ended | undefined> {
  const input = callInput(task)
  const { tools } = core.options
  // What has begun is asked after, also where its tool has been switched off since.
  const on = marked === null ? toolNames(core, task) : tools.map(({ name }) => name)
  const found = findTool(tools, on, input)
  if (!found.ok && marked !== null) return withoutCode(input.name, await outputOf(core, task))
  if (!found.ok) {
    // Where it was prepared already, its tool was there then.
    const outcome = callState(task).phase === "execute" ? "not started" : "failed"
    return { outcome, result: found.result }
  }
  const { tool } = found
  const progress = new CallProgress(core, task.id, Math.max(1, task.attempt))
  const context = callContext(core, task, signal, progress)
  try {
    return marked === null
      ? await begun(core, task, tool, context, paths)
      : await inTurn(paths, tool, marked.args, context, () => taken(core, task, tool, marked, context))
  } catch (error) {
    if (core.closing()) return undefined
    if (isEndOfSession(error)) throw error
    core.options.report(`${tool.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    const text = `The tool ${tool.name} failed in a way that is a bug of this program: ${error instanceof Error ? error.message : String(error)}`
    return { outcome: "failed", result: errorResult(text) }
  } finally {
    progress.end()
  }
}

/** A call that has not been marked: it runs, whatever its class. */
async function begun(
  core: Core,
  task: Task,
  tool: Tool,
  context: ToolContext,
  paths: Turns,
): Promise<Ended | undefined> {
  const state = callState(task)
  // Prepared and not dispatched when its host ended: it is prepared anew, or not at all.
  if (state.phase === "execute") await tool.discard?.(state.intent, context)
  if (task.abort !== null) return notStarted()
  const input = callInput(task)
  const asked = validated(tool, input)
  if (!asked.ok) return { outcome: "failed", result: asked.result }
  const asking = { core, conversation: task.conversation, signal: context.signal }
  const call = { tool: tool.name, callId: input.callId, args: asked.args }
  const guard = await guarded(asking, call, (args) => rewritten(tool, input, args))
  if (context.signal.aborted) return core.closing() ? undefined : notStarted()
  if (guard.kind === "blocked") return { outcome: "failed", result: errorResult(guard.why) }
  const { args } = guard
  return inTurn(paths, tool, args, context, () => prepareAndRun(core, task, tool, args, context))
}

/** What is wrong with arguments that a hook gave, or null. */
function rewritten(tool: Tool, input: CallInput, args: JsonObject): string | null {
  const checked = validated(tool, { ...input, args })
  return checked.ok ? null : textOf(checked.result)
}

/** A marked call whose host ended: taken up, or run where it had not begun. */
async function taken(
  core: Core,
  task: Task,
  tool: Tool,
  marked: Dispatched,
  context: ToolContext,
): Promise<Ended | undefined> {
  core.at("inherit")
  const ended = await afterCrash(core, task, tool, marked, context)
  core.at("inherited")
  return ended === "run" ? prepareAndRun(core, task, tool, marked.args, context) : ended
}

function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }))
}

/**
 * Work on one path has its turn at it, in the order of the calls. Whatever may look at any path sees what the calls before it have written: a
 * model that edits and tests in one round means the edited files.
 */
function inTurn<T>(
  paths: Turns,
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
  work: () => Promise<T>,
): Promise<T> {
  const { target } = tool
  if (target === undefined) return paths.behind(work)
  const path = async (): Promise<string> => target(args, context)
  if (tool.effect !== "pure") return paths.inOrder(path, "changes", work)
  // A disk that does not answer who only reads holds up the others no longer than until somebody stops that.
  return paths.inOrder(() => Promise.race([path(), aborted(context.signal)]), "looks", work)
}

async function prepareAndRun(
  core: Core,
  task: Task,
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
): Promise<Ended | undefined> {
  core.at("prepare")
  const prepared = (await tool.prepare?.(args, context)) ?? { ok: true, intent: {} }
  core.at("prepared")
  if (!prepared.ok) return { outcome: "failed", result: prepared.result }
  const { intent } = prepared
  if (context.signal.aborted) {
    await tool.discard?.(intent, context)
    return core.closing() ? undefined : notStarted()
  }
  const { effect } = tool
  core.ledger.commit("relaxed", (tx) => {
    const state = stored({ phase: "execute", dispatched: false, effect, args, intent, dispatchedAt: 0 })
    tx.setTask(task.id, { attempt: 1, ...state })
  })
  await core.mark(task.id)
  core.at("effect")
  const result = await tool.execute(args, intent, context)
  core.at("effected")
  return executed(context, result)
}
