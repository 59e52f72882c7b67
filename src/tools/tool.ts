/**
 * What the model may do to the machine. One tool, one file; this file is the contract.
 *
 * - A tool never throws for weather: a missing file, a failed command, a full disk is a result with `isError`. A thrown error is a bug,
 *   is named as one in the result, and the run goes on.
 * - `prepare` looks and gets ready and may write temporary files, but changes nothing that anybody else sees. Its answer, the intent, is
 *   stored. Then the call is marked as dispatched, durably, and only then `execute` changes things: the mark is the last thing before the effect.
 * - What a restart does with a call that was marked and has no result is the tool's `effect`: `pure` runs again; `reconcile` is asked by
 *   `reconcile`, from arguments and intent alone; `keyed` runs again with the same `context.key`; `unsafe` never runs again, and the model is
 *   told that the outcome is unknown, with all output kept so far (`recover` may end what the call left running).
 * - `content` is for the model: short, exact, and it says what to do next. `details` is for the screen, plain JSON.
 * - Paths are resolved once, at the door (`paths.ts`). The calls of one round run in parallel unless a tool is `sequential`; calls with the
 *   same `target` (a real path) run one after the other, and one without a target begins behind those before it that have one.
 * - Tools read no environment and no settings: what they need comes in the context.
 */
import type { Static, TSchema } from "@sinclair/typebox"
import type { Json, JsonObject } from "../std/json.ts"
import type { Clock } from "../std/clock.ts"
import type { ThinkingLevel, UserPart } from "../message/message.ts"

export type Effect = "pure" | "reconcile" | "keyed" | "unsafe"

/** What a call gives: for the model, and for the screen. */
export type ToolResult = {
  readonly content: readonly UserPart[]
  readonly isError: boolean
  readonly details?: Json
  /** True where the model got less than there was: the call's spool is then kept as an output. */
  readonly cut?: boolean
}

/**
 * Where a call's raw output and exit status live, so that they outlive this process; absent in a session without a disk. `begun` is another
 * name in every process that opens the session: a call that is run anew begins under a name of its own.
 */
export type CallFiles = { readonly output: string; readonly status: string; readonly begun: string }

/** What the session knows and keeps of files. Real paths, and SHA-256 in hex. */
export type FileHistory = {
  /** The file as this conversation's model last saw it; null where it never did. */
  seen(path: string): Promise<string | null>
  /** The content with this hash; null where it is not kept. */
  content(hash: string): Promise<Uint8Array | null>
  /** Keep contents: `flushed` where something is going to replace them. Throws an Error with a `code` where the disk refuses. */
  keep(contents: readonly Uint8Array[], flush: "flushed" | "relaxed"): Promise<void>
}

/** `name` tells the children of one call apart. Model, thinking and tools are the parent's where left out, without the tool that asks. */
export type SubagentAsk = {
  readonly prompt: string
  readonly name?: string
  readonly model?: string
  readonly thinking?: ThinkingLevel
  readonly tools?: readonly string[]
}

/** `reason`: `aborted`, `no_model`, or why else the run had no answer. */
export type SubagentAnswer =
  | { readonly status: "answered"; readonly text: string; readonly conversation: number }
  | { readonly status: "unanswered"; readonly reason: string; readonly conversation: number }

export type ToolContext = {
  /** The folder of the conversation: absolute, a real path. */
  readonly cwd: string
  /** `<session>:<task>`, the same at every run of this call: an idempotency key, and the marker in a child's environment. */
  readonly key: string
  readonly signal: AbortSignal
  readonly clock: Clock
  /** The environment of children: provider keys are not in it. */
  readonly env: Readonly<Record<string, string>>
  readonly files: CallFiles | null
  /** Bytes that are kept of an output, once its call has ended; absent: all that fits on the disk's limits. */
  readonly outputBytesMax?: number
  /** How long what the call started may go on after its host has died; absent: a day. */
  readonly orphanMs?: number
  /** The person's shell, or absent for `bash`, else `sh`. */
  readonly shell?: string
  readonly home: string
  /** A folder for what this program unpacks. */
  readonly cache: string
  /** Folders that hold ledgers: paths under them are refused, but for those under `readable`. */
  readonly refused: readonly string[]
  readonly readable: readonly string[]
  readonly history: FileHistory
  /** What the model can take: images are left out, with a note, when false. */
  readonly images: boolean
  /**
   * Ask an agent of its own, in a conversation that belongs to this call, and wait. Asked again by the same call under the same name, also after
   * a crash, it is the same conversation and the same answer. A tool that asks is `keyed`, or its child is stopped by a crash.
   */
  readonly subagent?: (ask: SubagentAsk) => Promise<SubagentAnswer>
  /**
   * Live output, cleaned or not: the screen cleans. `place`: where it stands among the bytes of all that is put out, and how many they are; else
   * it goes on from what came before. With `files` set, bash appends to its file itself and only reports here, and passes over what is too much.
   */
  progress(text: string, place?: { readonly at: number; readonly bytes: number }): void
  /** Durable facts about the running effect (a pid, its start time), committed before `execute` goes on. */
  remember(fact: JsonObject): Promise<void>
}

/** What became of a call that was marked and has no result: the truth where it can be told. */
export type Reconciled =
  | { readonly status: "done"; readonly result: ToolResult }
  | { readonly status: "not started" }
  | { readonly status: "unknown"; readonly result: ToolResult }

export type Prepared =
  { readonly ok: true; readonly intent: JsonObject } | { readonly ok: false; readonly result: ToolResult }

export type Tool<P extends TSchema = TSchema> = {
  readonly name: string
  /** What the model reads: short. */
  readonly description: string
  /** What a model is told instead that has no edit, and changes files by writing them whole. */
  readonly wholeDescription?: string
  readonly parameters: P
  readonly version: number
  readonly effect: Effect
  readonly sequential?: boolean
  /** One line for the screen: the path, the command. Takes arguments that are still being written, so every field may be missing. */
  title(args: JsonObject): string
  /** Repairs of arguments that models get wrong, before validation. */
  coerce?(args: JsonObject): JsonObject
  /** The one real path that this call changes or reads: at most one call works on it at a time. */
  target?(args: Static<P>, context: ToolContext): Promise<string>
  prepare?(args: Static<P>, context: ToolContext): Promise<Prepared>
  /** Removes what `prepare` left, where the call will not be executed. Does nothing when nothing is left. */
  discard?(intent: JsonObject, context: ToolContext): Promise<void>
  execute(args: Static<P>, intent: JsonObject, context: ToolContext): Promise<ToolResult>
  /** Required of `reconcile` tools. */
  reconcile?(args: Static<P>, intent: JsonObject, context: ToolContext): Promise<Reconciled>
  /**
   * For `unsafe` tools whose effect outlives this process, at a restart: goes on with what still runs, or gives the result of what ended
   * meanwhile, as `execute` would have. `not started` where that is certain, and stays so: the call then runs. null where nothing can be told;
   * then `recover` is asked.
   */
  adopt?(
    args: Static<P>,
    facts: JsonObject,
    context: ToolContext,
    intent: JsonObject,
  ): Promise<ToolResult | "not started" | null>
  /**
   * For `unsafe` tools, at a restart: `facts` are what `remember` stored. Ends what is still running and gives the result that says the
   * outcome is unknown, with the output kept so far.
   */
  recover?(args: Static<P>, facts: JsonObject, context: ToolContext): Promise<ToolResult>
}

/** A tool whose schema types its own functions. */
export function defineTool<P extends TSchema>(tool: Tool<P>): Tool<P> {
  return tool
}

/** A plain-text result. */
export function textResult(text: string, more: Partial<Omit<ToolResult, "content">> = {}): ToolResult {
  return { content: [{ type: "text", text }], isError: false, ...more }
}

/** A failure that the model can act on: what, where, and what to do. */
export function errorResult(text: string, details?: Json): ToolResult {
  return { content: [{ type: "text", text }], isError: true, details }
}
