/**
 * A call: from the model's words to one result, whatever happens on the way.
 *
 * - prepare (find, validate, look) → intent → mark → execute → result. The mark is flushed after everything else and before the effect.
 * - Every call ends as exactly one result entry, in the commit that ends its task: done, failed, not started, unknown, reconciled, aborted.
 * - An invocation that starts at a marked call was cut by a crash: `pure` and `keyed` run again, `reconcile` asks the world, `unsafe` never
 *   runs again. A call that was never marked runs, whatever its class.
 * - Calls that change the same real path run one after the other.
 */
import { assert } from "../std/assert.ts"
import type { JsonObject } from "../std/json.ts"
import type { Task, TaskId } from "../ledger/records.ts"
import type { CallOutcome } from "../protocol/records.ts"
import { errorResult, type Tool, type ToolContext, type ToolResult } from "../tools/tool.ts"
import { liveTask, type Core } from "./core.ts"
import { append } from "./entries.ts"
import { readDocument } from "./documents.ts"
import { findTool, validated } from "./call-check.ts"
import { CallProgress } from "./progress.ts"
import { callInput, callState, stored, type CallState } from "./task.ts"
import type { Turns } from "./turns.ts"

type Ended = { readonly outcome: CallOutcome; readonly result: ToolResult }
type Execute = Extract<CallState, { phase: "execute" }>

/** Work on a call until it has ended or the engine closes. */
export async function runCall(core: Core, id: TaskId, signal: AbortSignal, paths: Turns): Promise<void> {
  const task = liveTask(core, id)
  if (task === undefined) return
  const started = core.clock.monotonic()
  const ended = await endOf(core, task, signal, paths)
  const now = liveTask(core, id)
  if (ended === undefined || now === undefined || core.closing()) return
  await settle(core, now, ended, Math.round(core.clock.monotonic() - started))
}

async function endOf(core: Core, task: Task, signal: AbortSignal, paths: Turns): Promise<Ended | undefined> {
  const input = callInput(task)
  const found = findTool(core.options.tools, agentTools(core, task), input)
  if (!found.ok) return { outcome: "failed", result: found.result }
  const { tool } = found
  const state = callState(task)
  const progress = new CallProgress(
    core,
    task.id,
    Math.max(1, task.attempt),
    core.ledger.spools.files(task.id, 1) !== null,
  )
  const context = contextOf(core, task, signal, progress)
  try {
    if (state.phase === "execute" && state.dispatched) {
      const again = (): Promise<Ended | undefined> => afterCrash(core, task, tool, state, context)
      return await inTurn(paths, tool, state.args, context, again)
    }
    // Prepared and not dispatched when its host ended: it is prepared anew, or not at all.
    if (state.phase === "execute") await tool.discard?.(state.intent, context)
    if (task.abort !== null) return notStarted()
    const args = validated(tool, input)
    if (!args.ok) return { outcome: "failed", result: args.result }
    const { args: checked } = args
    return await inTurn(paths, tool, checked, context, () => prepareAndRun(core, task, tool, checked, context))
  } catch (error) {
    if (core.closing()) return undefined
    core.options.report(`${tool.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    const text = `The tool ${tool.name} failed in a way that is a bug of this program: ${error instanceof Error ? error.message : String(error)}`
    return { outcome: "failed", result: errorResult(text) }
  } finally {
    progress.end()
  }
}

/** Work that changes a path has its turn at it, in the order of the calls. */
function inTurn<T>(
  paths: Turns,
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
  work: () => Promise<T>,
): Promise<T> {
  const { target } = tool
  return target === undefined ? work() : paths.inOrder(async () => target(args, context), work)
}

function agentTools(core: Core, task: Task): readonly string[] {
  return readDocument(core.ledger.live, task.conversation, "agent")?.tools ?? []
}

function notStarted(): Ended {
  return { outcome: "not started", result: errorResult("Not started: the run was stopped before this call began.") }
}

function contextOf(core: Core, task: Task, signal: AbortSignal, progress: CallProgress): ToolContext {
  const { machine, models } = core.options
  const agent = readDocument(core.ledger.live, task.conversation, "agent")
  const resolved = agent === undefined ? undefined : models.resolve(agent.model)
  return {
    cwd: machine.folder,
    key: `${core.ledger.session}:${task.id}`,
    signal,
    clock: core.clock,
    env: machine.env,
    files: core.ledger.spools.files(task.id, 1),
    shell: machine.shell,
    home: machine.home,
    refused: machine.refused,
    readable: machine.readable,
    images: resolved?.ok === true && resolved.model.input.includes("image"),
    progress: (text) => progress.add(text),
    remember: async (fact) => {
      const receipt = core.ledger.commit("flushed", (tx) => {
        const now = tx.live.tasks.get(task.id)
        if (now !== undefined) tx.setTask(task.id, { facts: { ...now.facts, ...fact } })
      })
      await receipt.stored
    },
  }
}

async function prepareAndRun(
  core: Core,
  task: Task,
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
): Promise<Ended | undefined> {
  const prepared = (await tool.prepare?.(args, context)) ?? { ok: true, intent: {} }
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
  return executed(context, await tool.execute(args, intent, context))
}

function executed(context: ToolContext, result: ToolResult): Ended {
  // What was done before the stop was heard is done, and its model has to know.
  if (!result.isError) return { outcome: "done", result }
  return { outcome: context.signal.aborted ? "aborted" : "failed", result }
}

async function afterCrash(
  core: Core,
  task: Task,
  tool: Tool,
  state: Execute,
  context: ToolContext,
): Promise<Ended | undefined> {
  const { args, intent } = state
  // The stored class rules, unless this build's tool is stricter: code that is unsafe now was never proved safe then.
  const effect = tool.effect === "unsafe" ? "unsafe" : state.effect
  if (effect === "reconcile") {
    assert(tool.reconcile !== undefined, `${tool.name} is a reconcile tool without reconcile`)
    const truth = await tool.reconcile(args, intent, context)
    if (truth.status === "done") return { outcome: "reconciled", result: truth.result }
    if (truth.status === "unknown") return { outcome: "unknown", result: truth.result }
    return task.abort === null ? prepareAndRun(core, task, tool, args, context) : notStarted()
  }
  if (effect === "pure" || effect === "keyed") {
    if (task.abort !== null) return { outcome: "aborted", result: errorResult("Stopped before it ended.") }
    return executed(context, await tool.execute(args, intent, context))
  }
  const unknown = errorResult(
    `The outcome of this call is unknown: the agent was ended while it ran, and it was not run again. Look at what it did before going on.`,
  )
  return { outcome: "unknown", result: (await tool.recover?.(args, task.facts, context)) ?? unknown }
}

/** Texts name the spool while the call runs; the result names where it is kept. */
function renamed(result: ToolResult, from: string | undefined, to: string | null): ToolResult {
  if (from === undefined || to === null) return result
  const content = result.content.map((part) =>
    part.type === "text" ? { ...part, text: part.text.replaceAll(from, to) } : part,
  )
  return { ...result, content }
}

/** What was cut is kept in full; a disk that refuses even that costs the output, and not the call. */
async function keptResult(
  core: Core,
  task: Task,
  result: ToolResult,
): Promise<{ readonly kept: string | null; readonly result: ToolResult }> {
  if (result.cut !== true) return { kept: null, result }
  const { spools } = core.ledger
  try {
    const kept = await spools.keep(task.id, Math.max(1, task.attempt))
    return { kept, result: renamed(result, spools.files(task.id, 1)?.output, kept) }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error
    const note = { type: "text", text: `[The whole output could not be kept: ${error.message}.]` } as const
    return { kept: null, result: { ...result, content: [...result.content, note] } }
  }
}

async function settle(core: Core, task: Task, ended: Ended, durationMs: number): Promise<void> {
  const input = callInput(task)
  const { spools } = core.ledger
  const { kept, result } = await keptResult(core, task, ended.result)
  const content = result.content.length > 0 ? result.content : [{ type: "text" as const, text: "(no output)" }]
  const tool = core.options.tools.find((candidate) => candidate.name === input.name)
  const receipt = core.ledger.commit("flushed", (tx) => {
    append(
      tx,
      { conversation: task.conversation, byTask: task.id },
      {
        kind: "toolResult",
        message: {
          role: "toolResult",
          toolCallId: input.callId,
          toolName: input.name,
          content,
          isError: result.isError,
          timestamp: tx.now,
        },
        task: task.id,
        outcome: ended.outcome,
        title: tool?.title(input.args) ?? input.name,
        details: result.details,
        output: kept === null ? undefined : { path: kept, bytes: Bun.file(kept).size },
        durationMs,
      },
    )
    const status = ended.outcome === "aborted" ? "aborted" : "completed"
    tx.setTask(task.id, { status, outcome: { outcome: ended.outcome } })
  })
  await receipt.stored
  await spools.drop(task.id)
}
