/**
 * Asking the hooks: what `protocol/hooks.ts` promises them, carried out.
 *
 * - Nobody is asked inside a commit. What was answered is part of the next one, so a crash before it asks again.
 * - A failure is a notice that names the hook, once for the same failure while this engine is open, and the answer is that there is none.
 * - With no hook for a seam, nothing waits.
 */
import type { JsonObject } from "../std/json.ts"
import type { AssistantMessage, Message, ToolResultMessage } from "../message/message.ts"
import type { CallResult, CallSeam, HookContext, Hooks, Seam, TurnChoices } from "../protocol/hooks.ts"
import type { CallOutcome } from "../protocol/records.ts"
import type { Core } from "./core.ts"
import { append } from "./entries.ts"
import { isCompaction, isContext, isGuard, isResult, isSentence, isTurnChoices } from "./hook-values.ts"

/** Where hooks are asked: in whose name a failure is told, and what ends the asking. */
export type Asking = { readonly core: Core; readonly conversation: number; readonly signal: AbortSignal }

type Said<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "nothing" }
  | { readonly kind: "failed"; readonly problem: string }

const told = new WeakMap<Core, Set<string>>()

/** Says in the conversation that a hook failed. */
export function tellFailure(
  { core, conversation }: Asking,
  hook: string,
  seam: Seam,
  problem: string,
  detail: string = problem,
): void {
  const text = `The extension ${hook} failed at ${seam}: ${problem}`
  const before = told.get(core) ?? new Set()
  told.set(core, before)
  if (before.has(text) || core.closing()) return
  before.add(text)
  core.options.report(`${hook}, ${seam}: ${detail}`)
  core.ledger.commit("relaxed", (tx) => {
    append(tx, { conversation }, { kind: "notice", level: "warning", code: "hook", text })
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function stopped(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }))
}

async function said<T>(
  asking: Asking,
  hook: Hooks,
  seam: Seam,
  ask: (at: HookContext) => Promise<unknown>,
  fits: (value: unknown) => value is T,
): Promise<Said<T>> {
  const { core, conversation, signal } = asking
  let problem: string
  let detail: string | undefined
  try {
    const at = { session: core.ledger.session, conversation, signal }
    const value = await Promise.race([ask(at), stopped(signal)])
    if (value === undefined || signal.aborted) return { kind: "nothing" }
    if (fits(value)) return { kind: "answer", value }
    problem = "its answer is not of the shape that this seam takes"
  } catch (error) {
    if (signal.aborted) return { kind: "nothing" }
    detail = error instanceof Error ? error.stack : undefined
    problem = messageOf(error)
  }
  tellFailure(asking, hook.name, seam, problem, detail)
  return { kind: "failed", problem }
}

/** Those of the engine's hooks that are asked at `seam`. */
export function hooksAt(core: Core, seam: Seam): readonly Hooks[] {
  return (core.options.hooks ?? []).filter((hook) => hook[seam] !== undefined)
}

type Told = { readonly system: string; readonly messages: readonly Message[] }

/** What a request is to tell, after all hooks had their say; `request` itself where none had any. */
export async function toldModel(asking: Asking, request: Told): Promise<Told> {
  let now = request
  for (const hook of hooksAt(asking.core, "context")) {
    const asked = now
    const answer = await said(asking, hook, "context", async (at) => hook.context?.(asked, at), isContext)
    if (answer.kind !== "answer") continue
    const { system = now.system, messages = now.messages } = answer.value
    now = { system, messages }
  }
  return now
}

/** What the next turn is asked with. */
export async function turnChoices(asking: Asking, choices: TurnChoices, turn: number): Promise<TurnChoices> {
  let now = choices
  for (const hook of hooksAt(asking.core, "nextTurn")) {
    const asked = { ...now, turn }
    const answer = await said(asking, hook, "nextTurn", async (at) => hook.nextTurn?.(asked, at), isTurnChoices)
    if (answer.kind !== "answer") continue
    const problem = choiceProblem(asking.core, answer.value)
    if (problem === null) now = { ...now, ...answer.value }
    else tellFailure(asking, hook.name, "nextTurn", problem)
  }
  return now
}

function choiceProblem(core: Core, { model, tools }: Partial<TurnChoices>): string | null {
  const resolved = model === undefined ? undefined : core.options.models.resolve(model)
  if (resolved?.ok === false) return resolved.problem
  const unknown = tools?.filter((name) => !core.options.tools.some((tool) => tool.name === name)) ?? []
  return unknown.length === 0 ? null : `there is no tool named ${unknown.join(", ")}`
}

/** Who ends the run after this turn, and why. */
export async function stopAfterTurn(
  asking: Asking,
  turn: { readonly turn: number; readonly results: readonly ToolResultMessage[] },
): Promise<{ readonly by: string; readonly why: string } | undefined> {
  for (const hook of hooksAt(asking.core, "stopAfterTurn")) {
    const answer = await said(asking, hook, "stopAfterTurn", async (at) => hook.stopAfterTurn?.(turn, at), isSentence)
    if (answer.kind === "answer") return { by: hook.name, why: answer.value }
  }
  return undefined
}

export type Guarded =
  { readonly kind: "go"; readonly args: JsonObject } | { readonly kind: "blocked"; readonly why: string }

/** Whether a call may run, and with which arguments; `check` says what is wrong with rewritten ones, or null. */
export async function guarded(
  asking: Asking,
  call: CallSeam,
  check: (args: JsonObject) => string | null,
): Promise<Guarded> {
  let { args } = call
  for (const hook of hooksAt(asking.core, "beforeCall")) {
    const asked = { ...call, args }
    const answer = await said(asking, hook, "beforeCall", async (at) => hook.beforeCall?.(asked, at), isGuard)
    if (answer.kind === "nothing") continue
    if (answer.kind === "failed") return { kind: "blocked", why: `Blocked: ${hook.name} failed: ${answer.problem}` }
    if ("block" in answer.value) return { kind: "blocked", why: `Blocked by ${hook.name}: ${answer.value.block}` }
    const problem = check(answer.value.args)
    if (problem !== null) {
      tellFailure(asking, hook.name, "beforeCall", problem)
      return { kind: "blocked", why: `Blocked: ${hook.name} gave arguments that do not fit: ${problem}` }
    }
    args = answer.value.args
  }
  return { kind: "go", args }
}

/** What is told of a call, after all hooks had their say. */
export async function replacedResult(
  asking: Asking,
  call: CallSeam & { readonly outcome: CallOutcome },
  result: CallResult,
): Promise<CallResult> {
  let now = result
  for (const hook of hooksAt(asking.core, "afterCall")) {
    const asked = { ...call, result: now }
    const answer = await said(asking, hook, "afterCall", async (at) => hook.afterCall?.(asked, at), isResult)
    if (answer.kind === "answer") now = answer.value
  }
  return now
}

/** What a run that would end is told to go on with. */
export async function continuation(
  asking: Asking,
  run: { readonly turn: number; readonly answer: AssistantMessage },
): Promise<string | undefined> {
  for (const hook of hooksAt(asking.core, "continueRun")) {
    const answer = await said(asking, hook, "continueRun", async (at) => hook.continueRun?.(run, at), isSentence)
    if (answer.kind === "answer") return answer.value
  }
  return undefined
}

export type CompactionChoice =
  { readonly kind: "decline"; readonly why: string } | { readonly kind: "summary"; readonly text: string }

/** What hooks make of a compaction; undefined where it is left to the model. */
export async function compactionChoice(
  asking: Asking,
  plan: { readonly reason: string; readonly focus: string; readonly messages: readonly Message[] },
): Promise<CompactionChoice | undefined> {
  for (const hook of hooksAt(asking.core, "compaction")) {
    const answer = await said(asking, hook, "compaction", async (at) => hook.compaction?.(plan, at), isCompaction)
    if (answer.kind !== "answer") continue
    if ("summary" in answer.value) return { kind: "summary", text: answer.value.summary }
    return { kind: "decline", why: `${hook.name} declined to compact: ${answer.value.decline}` }
  }
  return undefined
}
