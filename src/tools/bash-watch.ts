/**
 * Watching over a command, wherever its output goes: what ends it, what it left behind, what is reported of it.
 *
 * - A timeout or an abort ends everything that the call started; what outlives even that is told.
 * - Nobody waits for what cannot be ended: after a moment the command's output is taken as it is.
 */
import { sleep } from "../std/clock.ts"
import { unreachable } from "../std/assert.ts"
import { errorCode } from "../std/files.ts"
import { waitingEditor } from "./bash-editor.ts"
import type { CommandReport } from "./bash-result.ts"
import type { Ending } from "./command.ts"
import { endCommand, processTable, type Found } from "./processes.ts"
import type { ToolContext } from "./tool.ts"

const timeoutSecondsMax = 7 * 24 * 60 * 60
/** How long the output of a command that has ended may stay silent before it is taken as whole. */
export const settleMs = 100
/** How long to wait for a wrapper whose command has been ended. */
const lastWaitMs = 1_000

export type Args = { readonly command: string; readonly timeout?: number }

/** How often it is looked whether the command has come to wait for a person. */
const editorLookMs = 3_000

const never = new AbortController().signal

/** Why a command is ended before its end. */
type Stop = { readonly by: "abort" | "timeout" | "output_limit" } | { readonly by: "editor"; readonly editor: string }

/** Waits for the first reason to end the command; null once `over` aborts. */
async function stopReason(
  leader: number | null,
  limitMs: number | null,
  context: ToolContext,
  over: AbortSignal,
  full: AbortSignal,
): Promise<Stop | null> {
  const { clock, key, signal } = context
  const either = AbortSignal.any([over, signal, full])
  const end = limitMs === null ? Infinity : clock.monotonic() + limitMs
  for (;;) {
    const left = end - clock.monotonic()
    const passed = await sleep(clock, Math.min(left, editorLookMs), either)
    if (!passed) return over.aborted ? null : { by: full.aborted ? "output_limit" : "abort" }
    if (left <= editorLookMs) return { by: "timeout" }
    const editor = editorOf(key, leader)
    if (editor !== null) return { by: "editor", editor }
  }
}

/** The editor in which the command waits, or null; also where there is no telling now, as without descriptors to spare: the next look may tell. */
function editorOf(key: string, leader: number | null): string | null {
  try {
    return waitingEditor(processTable.commandProcesses(key, leader))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
}

function timeoutOf({ timeout }: Args): number | null {
  return timeout === undefined || !(timeout > 0) ? null : Math.min(timeout, timeoutSecondsMax)
}

/** How long the command may run, or null. */
export function limitOf(args: Args): number | null {
  const seconds = timeoutOf(args)
  return seconds === null ? null : seconds * 1_000
}

/**
 * Run `work` until it has ended or is to be ended, after `limitMs` at the latest, or since its output is `full`; `leader` is the wrapper, where it
 * is alive.
 */
export async function supervised<T>(
  leader: number | null,
  limitMs: number | null,
  context: ToolContext,
  work: (abandon: AbortSignal) => Promise<T>,
  full: AbortSignal = never,
): Promise<{ readonly value: T; readonly stop: Stop | null; readonly survivors: readonly Found[] }> {
  const over = new AbortController()
  const abandon = new AbortController()
  const stopping = stopReason(leader, limitMs, context, over.signal, full).then(async (stop) => {
    if (stop === null) return { stop, survivors: [] }
    const survivors = await endCommand(context.key, leader, context.clock)
    // The wrapper now ends by itself; where it cannot, its output is taken as it is.
    void sleep(context.clock, lastWaitMs, over.signal).then(() => abandon.abort())
    return { stop, survivors }
  })
  // Whoever waits for the work hears of it below: what nobody watches over any more is not waited for.
  stopping.catch(() => abandon.abort())
  try {
    const value = await work(abandon.signal)
    over.abort()
    return { value, ...(await stopping) }
  } finally {
    over.abort()
  }
}

/** Reports output as text, as it comes; `skipped` bytes before it are passed over. */
export function reporter(context: ToolContext): (bytes: Uint8Array, skipped: number) => void {
  // One decoder for all that goes on: a character may come in two pieces.
  let decoder = new TextDecoder("utf-8")
  let at = 0
  return (bytes, skipped) => {
    if (skipped > 0) decoder = new TextDecoder("utf-8")
    at += skipped
    context.progress(decoder.decode(bytes, { stream: true }), { at, bytes: bytes.length })
    at += bytes.length
  }
}

/** What the result says of an ending. */
export function reportOf(
  args: Args,
  ending: Ending,
  stop: Stop | null,
): Pick<CommandReport, "command" | "ending" | "ended"> {
  const { command } = args
  if (stop === null) return { command, ending, ended: { by: "itself" } }
  switch (stop.by) {
    case "abort":
      return { command, ending, ended: { by: "abort" } }
    case "timeout":
      return { command, ending, ended: { by: "timeout", seconds: timeoutOf(args) ?? 0 } }
    case "output_limit":
      return { command, ending, ended: { by: "output_limit" } }
    case "editor":
      return { command, ending, ended: stop }
    default:
      return unreachable(stop)
  }
}

/** What the call left running. What is gone a moment later was only on its way out; `waited`: that moment has passed already. */
export async function stillRunning(
  key: string,
  leader: number | null,
  waited: boolean,
  context: ToolContext,
): Promise<readonly Found[]> {
  const first = processTable.commandProcesses(key, leader)
  if (first.length === 0 || waited) return first
  await sleep(context.clock, settleMs, context.signal)
  return processTable.commandProcesses(key, leader)
}
