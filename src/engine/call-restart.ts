/**
 * What a restart does with a call that was marked and has no result: by the effect class that was stored with the mark.
 *
 * - `pure` and `keyed` run again, `reconcile` asks the world, `unsafe` never runs again. What of an unsafe call outlived its host is adopted:
 *   its true result, as if nothing had happened. Only where nobody can tell what became of it is its outcome unknown.
 * - A call whose tool is gone from this build is unknown too: nobody here can ask after it.
 * - Adopting is no step that kills: however often a host dies over a long command, the next one takes it up. Starting one may be.
 */
import { assert, unreachable } from "../std/assert.ts"
import type { Task } from "../ledger/records.ts"
import { tail } from "../protocol/view.ts"
import { errorResult, type Effect, type Tool, type ToolContext } from "../tools/tool.ts"
import { executed, notStarted, type Ended } from "./call-result.ts"
import type { Core } from "./core.ts"
import type { CallState } from "./task.ts"

export type Dispatched = Extract<CallState, { phase: "execute" }>

const lost = "The outcome of this call is unknown: the agent was ended while it ran, and it was not run again."

/** Characters of a lost call's output that its model is told: the end of it. */
const outputMax = 16 * 1024

/** What a call had put out when its host ended. */
export async function outputOf(core: Core, { id, attempt }: Task): Promise<string> {
  return (await core.ledger.spools.read(id, Math.max(1, attempt))).join("")
}

/** The end of a marked call of which nobody can tell more than what it had put out. */
function unknown(text: string, output: string): Ended {
  const told = output === "" ? text : `${text} What it had put out by then:\n${tail(output, outputMax)}`
  return { outcome: "unknown", result: errorResult(told) }
}

/** The end of a marked call of a tool that this build does not have. */
export function withoutCode(name: string, output = ""): Ended {
  return unknown(`${lost} The tool ${name} is not here any more. Look at what it did before going on.`, output)
}

/** The end of a marked call, or `run` where it had not begun and is to run now. */
export function afterCrash(
  core: Core,
  task: Task,
  tool: Tool,
  state: Dispatched,
  context: ToolContext,
): Promise<Ended | "run"> {
  // The stored class rules, unless this build's tool is stricter: code that is unsafe now was never proved safe then.
  const effect = tool.effect === "unsafe" ? "unsafe" : (state.effect as Effect)
  switch (effect) {
    case "pure":
    case "keyed":
      return runAgain(task, tool, state, context)
    case "reconcile":
      return reconciled(task, tool, state, context)
    case "unsafe":
      return adopted(core, task, tool, state, context)
    default:
      return unreachable(effect)
  }
}

async function runAgain(task: Task, tool: Tool, { args, intent }: Dispatched, context: ToolContext): Promise<Ended> {
  if (task.abort !== null) return { outcome: "aborted", result: errorResult("Stopped before it ended.") }
  return executed(context, await tool.execute(args, intent, context))
}

async function reconciled(
  task: Task,
  tool: Tool,
  { args, intent }: Dispatched,
  context: ToolContext,
): Promise<Ended | "run"> {
  assert(tool.reconcile !== undefined, `${tool.name} is a reconcile tool without reconcile`)
  const truth = await tool.reconcile(args, intent, context)
  switch (truth.status) {
    case "done":
      return { outcome: "reconciled", result: truth.result }
    case "unknown":
      return { outcome: "unknown", result: truth.result }
    case "not started":
      return task.abort === null ? "run" : notStarted()
    default:
      return unreachable(truth)
  }
}

/** The end of a marked call whose effect may have outlived its host, or `run` where it is certain that it has not begun. */
export async function adopted(
  core: Core,
  task: Task,
  tool: Tool,
  { args, intent }: Pick<Dispatched, "args" | "intent">,
  context: ToolContext,
): Promise<Ended | "run"> {
  const { restarts } = task
  const count = (deaths: number): void => {
    if (restarts > 0) core.ledger.commit("relaxed", (tx) => tx.setTask(task.id, { restarts: deaths }))
  }
  if (tool.adopt !== undefined) count(0)
  const result = await tool.adopt?.(args, task.facts, context, intent)
  if (result === "not started") {
    // Starting it may be what kills.
    count(restarts)
    return task.abort === null ? "run" : notStarted()
  }
  if (result != null) return executed(context, result)
  const recovered = await tool.recover?.(args, task.facts, context)
  if (recovered !== undefined) return { outcome: "unknown", result: recovered }
  return unknown(`${lost} Look at what it did before going on.`, await outputOf(core, task))
}
