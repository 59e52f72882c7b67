/**
 * Commands that the person runs with `!` or `!!`: a task each, with a key, a spool and an output of its own.
 *
 * - It runs whether or not the agent does, is seen while it runs, and is stopped with the conversation's other work.
 * - However it ends, and whatever ends it, it is one entry with the output that it had. A command that outlives its host is adopted by the next
 *   one, as a call of the agent's is.
 */
import type { JsonObject } from "../std/json.ts"
import { isObject } from "../std/json.ts"
import { textOf } from "../message/message.ts"
import type { Task, TaskId } from "../ledger/records.ts"
import { Refusal, type Answers, type Command } from "../protocol/port.ts"
import type { Tool, ToolContext } from "../tools/tool.ts"
import { callContext } from "./call-context.ts"
import { adopted, withoutCode } from "./call-restart.ts"
import { executed, keptResult, notStarted, type Ended } from "./call-result.ts"
import { liveTask, type Core } from "./core.ts"
import { append, dataOf } from "./entries.ts"
import { entitle, titleOf } from "./inbox.ts"
import { CallProgress } from "./progress.ts"
import { taskEnded } from "./task-ended.ts"
import { shellInput, shellKind, taskVersions } from "./task.ts"

function bashOf(core: Core): Tool | undefined {
  return core.options.tools.find((candidate) => candidate.name === "bash")
}

/** Run a command of the person's to its end. Throws {@link Refusal}. */
export async function runShell(core: Core, asked: Extract<Command, { type: "shell" }>): Promise<Answers["shell"]> {
  const { conversation, command, excluded } = asked
  if (!core.ledger.live.conversations.has(conversation))
    throw new Refusal("no_conversation", `There is no conversation c${conversation} in this session.`)
  if (bashOf(core) === undefined)
    throw new Refusal("no_tool", "This agent has no bash tool, so commands cannot be run here.")
  const receipt = core.ledger.commit("relaxed", (tx) => {
    const version = taskVersions[shellKind] ?? 1
    const input = { command, excluded }
    const checkpoint = { dispatched: false }
    // A session in which a command ran has begun, and needs a name to be found by.
    entitle(tx, titleOf([{ type: "text", text: `! ${command}` }]), true)
    return tx.addTask({ conversation, kind: shellKind, version, input, phase: "execute", checkpoint }).id
  })
  const { outcome } = await taskEnded(core, receipt.value)
  const id = Number(outcome?.["entry"])
  const entry = await core.ledger.entry(id)
  const data = entry === undefined ? undefined : dataOf(entry)
  if (data?.kind !== "shell") throw new Refusal("not_run", "The command was not run: the session could not record it.")
  return { entry: id, output: data.output, exit: data.exit }
}

/** Work on such a task until the command has ended or the engine closes. */
export async function runShellTask(core: Core, id: TaskId, signal: AbortSignal): Promise<void> {
  const task = liveTask(core, id)
  if (task === undefined) return
  const { dispatched, dispatchedAt } = task.checkpoint
  const started = core.clock.monotonic()
  const before = dispatched === true ? Math.max(0, core.clock.now() - Number(dispatchedAt)) : 0
  const progress = new CallProgress(core, id, Math.max(1, task.attempt))
  const context = callContext(core, task, signal, progress)
  try {
    const ended = await endOf(core, task, dispatched === true, context)
    if (core.closing()) return
    await settle(core, task, ended, Math.round(before + core.clock.monotonic() - started))
  } finally {
    progress.end()
  }
}

async function endOf(core: Core, task: Task, dispatched: boolean, context: ToolContext): Promise<Ended> {
  const tool = bashOf(core)
  if (tool === undefined) return withoutCode("bash")
  const args: JsonObject = { command: shellInput(task).command }
  if (dispatched) {
    core.at("inherit")
    const { intent } = task.checkpoint
    const ended = await adopted(core, task, tool, { args, intent: isObject(intent) ? intent : {} }, context)
    core.at("inherited")
    if (ended !== "run") return ended
  }
  if (context.signal.aborted) return notStarted()
  const prepared = (await tool.prepare?.(args, context)) ?? { ok: true, intent: {} }
  if (!prepared.ok) return { outcome: "failed", result: prepared.result }
  const { intent } = prepared
  core.ledger.commit("relaxed", (tx) => tx.setTask(task.id, { checkpoint: { dispatched: false, intent } }))
  await core.mark(task.id)
  core.at("effect")
  const result = await tool.execute(args, intent, context)
  core.at("effected")
  return executed(context, result)
}

function exitOf(details: unknown): number | null {
  return isObject(details) && typeof details.exit === "number" ? details.exit : null
}

async function settle(core: Core, task: Task, ended: Ended, durationMs: number): Promise<void> {
  const { command, excluded } = shellInput(task)
  const { kept, result } = await keptResult(core, task, ended.result)
  const receipt = core.ledger.commit("flushed", (tx) => {
    const { conversation, id } = task
    const entry = append(
      tx,
      { conversation, byTask: id },
      {
        kind: "shell",
        command: core.options.redact?.(command) ?? command,
        output: textOf(result),
        exit: exitOf(result.details),
        excluded,
        durationMs,
        outcome: ended.outcome,
        kept: kept === null ? undefined : { path: kept, bytes: Bun.file(kept).size },
      },
    )
    const status = ended.outcome === "aborted" ? "aborted" : "completed"
    tx.setTask(id, { status, outcome: { entry: entry.id } })
  })
  await receipt.stored
  core.at("settled")
  await core.ledger.spools.drop(task.id)
}
