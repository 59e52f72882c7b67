/**
 * Durable tasks: what the engine is made of. Read this first, then generation.ts and tool-call.ts.
 *
 * - A run is the turns from an input to its final answer. Each turn is one generation task; each call that it makes is one call task, owned by
 *   it. A conversation is busy while its `run` document stands, and that document always names a live generation.
 * - A task is a state machine whose phase and checkpoint are committed at every step. Nothing that matters lives in memory only: killed at
 *   any moment, the next owner of the ledger reads phase, checkpoint and spool, and goes on.
 * - Code is never stored, only names and versions. A task whose code is missing waits visibly.
 * - An invocation is the code that works on a task now. It ends by a commit: the next phase, a wait, or an outcome. It holds one abort
 *   controller, which fires when the task's abort mark is committed or the engine closes.
 * - No effect happens inside a commit, and none before the commit that marks it has been stored and flushed.
 * - A turn's attempts are entries too (an assistant message that stopped as `error` or `aborted`): seen by the person, never by a model.
 * - Closing writes no outcome. What was running is pending for whoever opens the ledger next.
 */
import { assert } from "../std/assert.ts"
import type { JsonObject } from "../std/json.ts"
import type { ThinkingLevel } from "../message/message.ts"
import type { Task } from "../ledger/records.ts"
import type { ContextPatch } from "../protocol/records.ts"

export const generationKind = "generation"
export const callKind = "toolCall"
export const compactionKind = "compaction"
export const undoKind = "undo"
export const shellKind = "shell"
export const taskVersions: Readonly<Record<string, number>> = {
  [generationKind]: 1,
  [callKind]: 1,
  [compactionKind]: 1,
  [undoKind]: 1,
  [shellKind]: 1,
}

/**
 * What a request was made from; pinned, so that asking again after a crash sends the same bytes. `tools`: those that a hook chose for this turn.
 */
export type RequestPin = {
  readonly model: string
  readonly thinking: ThinkingLevel
  readonly from: number
  readonly to: number
  readonly prompt: number
  readonly encoder: string
  readonly hash: string
  readonly bytes: number
  readonly patch?: ContextPatch
  readonly tools?: readonly string[]
}

/**
 * What a generation carries from phase to phase: `tries` counts failed attempts in a row, `cuts` answers in a row whose calls the token limit
 * cut, `compactions` those that this turn has asked for: never in a loop.
 */
export type Counts = { readonly tries: number; readonly cuts: number; readonly compactions: number }

/** Where a generation stands. */
export type GenerationState =
  | ({ readonly phase: "prepare" } & Counts)
  | ({ readonly phase: "compact"; readonly task: number } & Counts)
  | ({ readonly phase: "request"; readonly pin: RequestPin } & Counts)
  | ({
      readonly phase: "retry"
      readonly until: number
      readonly waitMs: number
      readonly error: string
    } & Counts)
  /** The run has cost as much as it may, and waits for the person. */
  | ({ readonly phase: "limit"; readonly cost: number; readonly of: number } & Counts)
  /** The answer is stored, and whoever might go on with the run is asked. */
  | { readonly phase: "yield"; readonly entry: number }
  | { readonly phase: "tools"; readonly cuts: number; readonly entry: number; readonly calls: readonly number[] }

/**
 * A call as its model made it; `after` is the call that must end first in a sequential round, `tools` those that its turn was offered where they
 * were other ones than the conversation's.
 */
export type CallInput = {
  readonly entry: number
  readonly callId: string
  readonly name: string
  readonly args: JsonObject
  readonly argumentsError?: string
  readonly after?: number
  readonly tools?: readonly string[]
}

/**
 * Where a call stands. Until `dispatched` is true nothing has happened to the world; from then on a restart goes by the effect class that
 * was stored with the mark.
 */
export type CallState =
  | { readonly phase: "prepare" }
  | {
      readonly phase: "execute"
      readonly dispatched: boolean
      readonly effect: string
      readonly args: JsonObject
      readonly intent: JsonObject
      readonly dispatchedAt: number
    }

export function generationState(task: Task): GenerationState {
  assert(task.kind === generationKind, `task ${task.id} is a ${task.kind}, not a generation`)
  return { ...task.checkpoint, phase: task.phase } as GenerationState
}

export function countsOf(task: Task): Counts {
  const { tries, cuts, compactions } = task.checkpoint
  return { tries: Number(tries ?? 0), cuts: Number(cuts ?? 0), compactions: Number(compactions ?? 0) }
}

export function callState(task: Task): CallState {
  assert(task.kind === callKind, `task ${task.id} is a ${task.kind}, not a call`)
  return { ...task.checkpoint, phase: task.phase } as CallState
}

export function callInput(task: Task): CallInput {
  assert(task.kind === callKind, `task ${task.id} is a ${task.kind}, not a call`)
  return task.input as CallInput
}

/** A command of the person's; `excluded`: the model is not told of it. */
export type ShellInput = { readonly command: string; readonly excluded: boolean }

export function shellInput(task: Task): ShellInput {
  assert(task.kind === shellKind, `task ${task.id} is a ${task.kind}, not a command`)
  return task.input as ShellInput
}

/** True where the generation waits for tasks of its own that are still live. */
export function waitsFor(task: Task, live: { has(id: number): boolean }): boolean {
  const state = generationState(task)
  if (state.phase === "tools") return state.calls.some((call) => live.has(call))
  return state.phase === "compact" && live.has(state.task)
}

/** Phase and checkpoint of a state, as a task stores them. */
export function stored(
  state: GenerationState | CallState | { readonly phase: "summarize" } | { readonly phase: "write" },
): {
  readonly phase: string
  readonly checkpoint: JsonObject
} {
  const { phase, ...checkpoint } = state
  return { phase, checkpoint }
}
