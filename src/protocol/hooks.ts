/**
 * The seams of the loop: where whoever extends Cairn may change what happens next. Each is a function of plain values that answers with what it
 * wants, or with nothing.
 *
 * - They run between commits, never inside one, and may run again after a crash: what they do beside answering must bear being done twice.
 * - One that throws, or answers with something of another shape, is named in a notice and changes nothing. A `beforeCall` that does so blocks:
 *   a guard that fails lets nothing by.
 * - `signal` fires when the work is stopped. Nobody waits for an answer after that.
 * - Hooks are asked in their order. `context`, `nextTurn`, `beforeCall` and `afterCall` build on each other's answers; of the others the first
 *   answer counts.
 */
import type { Json, JsonObject } from "../std/json.ts"
import type { AssistantMessage, Message, ThinkingLevel, ToolResultMessage, UserPart } from "../message/message.ts"
import type { CallOutcome } from "./records.ts"

export type HookContext = {
  readonly session: string
  readonly conversation: number
  readonly signal: AbortSignal
}

/** What the next turn is asked with. `model` is `provider/id`, `tools` are names. */
export type TurnChoices = {
  readonly model: string
  readonly thinking: ThinkingLevel
  readonly tools: readonly string[]
}

/** A call as it is to run: arguments checked against its tool's schema. */
export type CallSeam = { readonly tool: string; readonly callId: string; readonly args: JsonObject }

/** What the model and the screen are told of a call. */
export type CallResult = {
  readonly content: readonly UserPart[]
  readonly isError: boolean
  readonly details?: Json
}

export type Hooks = {
  /** Who this is, in notices and refusals. */
  readonly name: string
  /** Changes what one request tells the model; nothing of it is kept in the conversation. */
  context?(
    request: { readonly system: string; readonly messages: readonly Message[] },
    at: HookContext,
  ): Promise<{ readonly system?: string; readonly messages?: readonly Message[] } | undefined>
  /** Chooses for one turn, without changing what the conversation has chosen. */
  nextTurn?(turn: TurnChoices & { readonly turn: number }, at: HookContext): Promise<Partial<TurnChoices> | undefined>
  /** Ends the run after the calls of a turn; the answer is why. */
  stopAfterTurn?(
    turn: { readonly turn: number; readonly results: readonly ToolResultMessage[] },
    at: HookContext,
  ): Promise<string | undefined>
  /** Lets a call by, rewrites its arguments, or blocks it and says why. */
  beforeCall?(
    call: CallSeam,
    at: HookContext,
  ): Promise<{ readonly block: string } | { readonly args: JsonObject } | undefined>
  /** Replaces what a call gave. */
  afterCall?(
    call: CallSeam & { readonly outcome: CallOutcome; readonly result: CallResult },
    at: HookContext,
  ): Promise<CallResult | undefined>
  /** Goes on with a run that would end; the answer is the next input. */
  continueRun?(
    run: { readonly turn: number; readonly answer: AssistantMessage },
    at: HookContext,
  ): Promise<string | undefined>
  /** Declines a compaction and says why, or supplies its summary. */
  compaction?(
    plan: { readonly reason: string; readonly focus: string; readonly messages: readonly Message[] },
    at: HookContext,
  ): Promise<{ readonly decline: string } | { readonly summary: string } | undefined>
}

export type Seam = Exclude<keyof Hooks, "name">

export const seams = [
  "context",
  "nextTurn",
  "stopAfterTurn",
  "beforeCall",
  "afterCall",
  "continueRun",
  "compaction",
] as const satisfies readonly Seam[]
