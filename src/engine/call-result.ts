/**
 * How a call ends: one result entry, in the flushed commit that ends its task.
 *
 * - What was cut is kept in full, on the disk before the commit that names it; what the spool holds goes after that commit.
 * - Secrets are taken out of both before either is told, stored or sent.
 * - Outcomes: done, failed, not started, unknown, reconciled, aborted.
 */
import { redactJson, type Redact } from "../std/redact.ts"
import type { Tx } from "../ledger/ledger.ts"
import type { Task } from "../ledger/records.ts"
import type { CallOutcome } from "../protocol/records.ts"
import { errorResult, type ToolContext, type ToolResult } from "../tools/tool.ts"
import type { Core } from "./core.ts"
import { append } from "./entries.ts"
import { redactFile } from "./redact-file.ts"
import { repeatNote, repeatsMax, timesGiven } from "./repeats.ts"
import { callInput } from "./task.ts"

export type Ended = { readonly outcome: CallOutcome; readonly result: ToolResult }

/** The end of a call whose code ran to its end. */
export function executed(context: ToolContext, result: ToolResult): Ended {
  // What was done before the stop was heard is done, and its model has to know.
  if (!result.isError) return { outcome: "done", result }
  return { outcome: context.signal.aborted ? "aborted" : "failed", result }
}

export function notStarted(): Ended {
  return { outcome: "not started", result: errorResult("Not started: the run was stopped before this call began.") }
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
export async function keptResult(
  core: Core,
  task: Task,
  given: ToolResult,
): Promise<{ readonly kept: string | null; readonly result: ToolResult }> {
  const { redact } = core.options
  const result = redact === undefined ? given : redactedResult(given, redact)
  if (result.cut !== true) return { kept: null, result }
  const { spools } = core.ledger
  try {
    core.at("keep")
    const { maxBytes: bytes, maxSessionBytes: sessionBytes } = core.options.settings.output
    const kept = await spools.keep(task.id, Math.max(1, task.attempt), { bytes, sessionBytes })
    core.at("kept")
    if (kept !== null && redact !== undefined) await redactFile(kept, redact)
    return { kept, result: renamed(result, spools.files(task.id, 1)?.output, kept) }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error
    const note = { type: "text", text: `[The whole output could not be kept: ${error.message}.]` } as const
    return { kept: null, result: { ...result, content: [...result.content, note] } }
  }
}

function redactedResult(result: ToolResult, redact: Redact): ToolResult {
  const content = result.content.map((part) => (part.type === "text" ? { ...part, text: redact(part.text) } : part))
  return {
    ...result,
    content,
    ...(result.details === undefined ? {} : { details: redactJson(result.details, redact) }),
  }
}

function tellCircle(tx: Tx, conversation: number, name: string): void {
  const text = `The agent has called ${name} with the same arguments and the same result ${repeatsMax} times; it was told so.`
  append(tx, { conversation }, { kind: "notice", level: "warning", code: "repeated", text })
}

/** Store the result and end the task. */
export async function settleCall(core: Core, task: Task, ended: Ended, durationMs: number): Promise<void> {
  const input = callInput(task)
  const { spools } = core.ledger
  const { kept, result } = await keptResult(core, task, ended.result)
  const given = result.content.length > 0 ? result.content : [{ type: "text" as const, text: "(no output)" }]
  const isCircle = (await timesGiven(core, task, given)) === repeatsMax
  const content = isCircle ? [...given, { type: "text" as const, text: repeatNote }] : given
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
    if (isCircle) tellCircle(tx, task.conversation, input.name)
  })
  await receipt.stored
  core.at("settled")
  await spools.drop(task.id)
}
