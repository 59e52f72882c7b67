/**
 * A call of bash from its start to its result: in files, where it outlives this process, or in a pipe.
 *
 * - Whatever comes first ends it: its own end, its timeout, an abort. The last two end everything that it started.
 * - What a call that ended by itself left running goes on, and is listed.
 */
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { unreachable } from "../std/assert.ts"
import { sleep } from "../std/clock.ts"
import type { JsonObject } from "../std/json.ts"
import { capturedFile, commandResult, type CommandReport } from "./bash-result.ts"
import {
  followCommand,
  outputFileBytesMax,
  readStatus,
  reportBytesMax,
  startInFiles,
  startInPipe,
  takeOver,
  type CommandSpec,
  type Ending,
  type Started,
} from "./command.ts"
import { EndsKeeper, type Capture } from "./output.ts"
import { reasonOf } from "./paths.ts"
import { endCommand, isAlive, processTable, storedIdentity, type Found, type Identity } from "./processes.ts"
import { sizeText } from "./show.ts"
import { errorResult, type CallFiles, type ToolContext, type ToolResult } from "./tool.ts"
import { orphanSeconds, startWatchdog, watchStepSeconds } from "./watchdog.ts"

/** With less than this free where outputs go, a command that is told to write there would fail for it. */
const freeBytesMin = 64 * 1024 * 1024
const timeoutSecondsMax = 7 * 24 * 60 * 60
/** A command that runs this long gets a watchdog. */
const watchAfterMs = 1_000
/** How long the output of a command that has ended may stay silent before it is taken as whole. */
const settleMs = 100
/** How long to wait for that silence: what a command left running may never be silent. */
const settleMsMax = 500
/** How long to wait for a wrapper whose command has been ended. */
const lastWaitMs = 1_000

export type Args = { readonly command: string; readonly timeout?: number }

/** Run the command, in files where there are some with room. */
export async function runCommand(spec: CommandSpec, args: Args, context: ToolContext): Promise<ToolResult> {
  const { files } = context
  if (files === null) return runInPipe(spec, args, context, [])
  const free = await freeBytes(files)
  if (free >= freeBytesMin) return runInFiles(spec, files, args, context)
  const note = `Only ${sizeText(free)} are free on the disk of ${dirname(files.output)}: the output was kept in memory only.`
  return runInPipe(spec, args, context, [note])
}

async function freeBytes({ output }: CallFiles): Promise<number> {
  const disk = await statfs(dirname(output))
  return disk.bavail * disk.bsize
}

/** Why a command is ended before its end. */
type Stop = "abort" | "timeout"

/** Waits for the first reason to end the command; null once `over` aborts. */
async function stopReason(limitMs: number | null, context: ToolContext, over: AbortSignal): Promise<Stop | null> {
  const either = AbortSignal.any([over, context.signal])
  if (limitMs !== null && (await sleep(context.clock, limitMs, either))) return "timeout"
  if (!either.aborted) await new Promise((resolve) => either.addEventListener("abort", resolve, { once: true }))
  return over.aborted ? null : "abort"
}

function timeoutOf({ timeout }: Args): number | null {
  return timeout === undefined || !(timeout > 0) ? null : Math.min(timeout, timeoutSecondsMax)
}

/** Run `work` until it has ended or is to be ended, after `limitMs` at the latest; `leader` is the wrapper, where it is alive. */
async function supervised<T>(
  leader: number | null,
  limitMs: number | null,
  context: ToolContext,
  work: (abandon: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T; readonly stop: Stop | null; readonly survivors: readonly Found[] }> {
  const over = new AbortController()
  const abandon = new AbortController()
  const stopping = stopReason(limitMs, context, over.signal).then(async (stop) => {
    if (stop === null) return { stop, survivors: [] }
    const survivors = await endCommand(context.key, leader, context.clock)
    // The wrapper now ends by itself; where it cannot, its output is taken as it is.
    void sleep(context.clock, lastWaitMs, over.signal).then(() => abandon.abort())
    return { stop, survivors }
  })
  try {
    const value = await work(abandon.signal)
    over.abort()
    return { value, ...(await stopping) }
  } finally {
    over.abort()
  }
}

function reporter(context: ToolContext): (bytes: Uint8Array, skipped: number) => void {
  // One decoder for the whole output: a character may come in two pieces.
  const decoder = new TextDecoder("utf-8")
  return (bytes, skipped) => {
    const text = decoder.decode(bytes, { stream: true })
    context.progress(skipped > 0 ? `\n… ${sizeText(skipped)} more …\n${text}` : text)
  }
}

function tryStart<T>(
  spec: CommandSpec,
  start: () => T,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly result: ToolResult } {
  try {
    return { ok: true, value: start() }
  } catch (error) {
    return {
      ok: false,
      result: errorResult(`The command could not be started with ${spec.shell}: ${reasonOf(error)}.`),
    }
  }
}

/** What cannot be remembered could not be found again after a restart: it is ended. */
async function rememberStart(started: Started, deadline: number | null, context: ToolContext): Promise<void> {
  if (started.identity === null) return
  try {
    await context.remember({ ...started.identity, deadline })
  } catch (error) {
    await endCommand(context.key, started.pid, context.clock)
    throw error
  }
}

function limitOf(args: Args): number | null {
  const seconds = timeoutOf(args)
  return seconds === null ? null : seconds * 1_000
}

async function runInFiles(spec: CommandSpec, files: CallFiles, args: Args, context: ToolContext): Promise<ToolResult> {
  const started = tryStart(spec, () => startInFiles(spec, files))
  if (!started.ok) return started.result
  const limitMs = limitOf(args)
  const deadline = limitMs === null ? null : context.clock.now() + limitMs
  await rememberStart(started.value, deadline, context)
  const { pid, identity, gone } = started.value
  return superviseInFiles(files, { leader: pid, identity, gone, limitMs }, args, context)
}

/** A running command, started by this process (`gone`) or by one before it. */
type Running = {
  readonly leader: number | null
  readonly identity: Identity | null
  readonly gone?: Promise<Ending>
  readonly limitMs: number | null
}

async function superviseInFiles(
  files: CallFiles,
  { leader, identity, gone, limitMs }: Running,
  args: Args,
  context: ToolContext,
): Promise<ToolResult> {
  const { clock, key } = context
  const onOutput = reporter(context)
  const endWatch = leader === null ? () => {} : watchLater(files, leader, limitMs, context)
  try {
    const { value, stop, survivors } = await supervised(leader, limitMs, context, (signal) =>
      followCommand({ files, identity, gone, clock, signal, onOutput }),
    )
    const capture = await capturedFile(files.output)
    const running = stop === null ? await stillRunning(key, leader, value.held, context) : survivors
    const notes = await fileNotes(files, capture)
    return commandResult({ ...reportOf(args, value.ending, stop), capture, running, notes, kept: files.output })
  } finally {
    endWatch()
  }
}

/** A watchdog for what runs for a while; the function that it returns ends it, or that it comes. */
function watchLater(files: CallFiles, leader: number, limitMs: number | null, { clock }: ToolContext): () => void {
  let end = (): void => {}
  const deadlineSeconds = limitMs === null ? null : limitMs / 1_000
  const cancel = clock.after(watchAfterMs, () => {
    end = startWatchdog({ status: files.status, leader, deadlineSeconds, orphanSeconds, stepSeconds: watchStepSeconds })
  })
  return () => {
    cancel()
    end()
  }
}

/** Go on with a command that a process before this one started; null where it is neither running nor known how it ended. */
export async function adoptCommand(args: Args, facts: JsonObject, context: ToolContext): Promise<ToolResult | null> {
  const { files } = context
  const identity = storedIdentity(facts)
  if (files === null) return null
  const alive = identity !== null && isAlive(identity)
  if (!alive && readStatus(files.status) === null) return null
  if (alive) takeOver(files)
  const { deadline } = facts
  const limitMs = typeof deadline === "number" ? Math.max(0, deadline - context.clock.now()) : null
  return superviseInFiles(files, { leader: alive ? identity.pid : null, identity, limitMs }, args, context)
}

function reportOf(args: Args, ending: Ending, stop: Stop | null): Pick<CommandReport, "command" | "ending" | "ended"> {
  const { command } = args
  if (stop === null) return { command, ending, ended: { by: "itself" } }
  switch (stop) {
    case "abort":
      return { command, ending, ended: { by: "abort" } }
    case "timeout":
      return { command, ending, ended: { by: "timeout", seconds: timeoutOf(args) ?? 0 } }
    default:
      return unreachable(stop)
  }
}

/** What the call left running. What is gone a moment later was only on its way out; `waited`: that moment has passed already. */
async function stillRunning(
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

async function fileNotes(files: CallFiles, capture: Capture): Promise<readonly string[]> {
  if (capture.size >= outputFileBytesMax)
    return [`The output reached its limit of ${sizeText(outputFileBytesMax)} and was ended there.`]
  const free = await freeBytes(files)
  if (free >= reportBytesMax) return []
  return [`The disk of ${dirname(files.output)} is full: the output may not be whole.`]
}

async function runInPipe(
  spec: CommandSpec,
  args: Args,
  context: ToolContext,
  notes: readonly string[],
): Promise<ToolResult> {
  const started = tryStart(spec, () => startInPipe(spec))
  if (!started.ok) return started.result
  await rememberStart(started.value, null, context)
  const keeper = new EndsKeeper()
  const { value, stop, survivors } = await supervised(started.value.pid, limitOf(args), context, (signal) =>
    readPipe(started.value.output, started.value.ended, keeper, signal, context),
  )
  const running = stop === null ? await stillRunning(spec.key, started.value.pid, false, context) : survivors
  return commandResult({ ...reportOf(args, value, stop), capture: keeper.capture(), running, notes, kept: null })
}

/** Reads until the command has ended and its output has come, or has been silent for a moment; what comes later is read and dropped. */
async function readPipe(
  output: ReadableStream<Uint8Array>,
  ended: Promise<Ending>,
  keeper: EndsKeeper,
  signal: AbortSignal,
  context: ToolContext,
): Promise<Ending> {
  const report = reporter(context)
  let keeping = true
  let silentSince = context.clock.monotonic()
  const reading = (async () => {
    for await (const bytes of output) {
      silentSince = context.clock.monotonic()
      if (!keeping) continue
      keeper.push(bytes)
      const shown = bytes.subarray(-reportBytesMax)
      report(shown, bytes.length - shown.length)
    }
  })()
  const over = new AbortController()
  // A pipe that breaks is at its end too.
  const stop = (): void => over.abort()
  void reading.then(stop, stop)
  const abandoned = new Promise<Ending>((resolve) => {
    signal.addEventListener("abort", () => resolve({ how: "lost" }), { once: true })
  })
  const ending = await Promise.race([ended, abandoned])
  const endedAt = context.clock.monotonic()
  silentSince = endedAt
  const enough = AbortSignal.any([over.signal, signal])
  for (let now = endedAt; !enough.aborted && now - silentSince < settleMs && now - endedAt < settleMsMax;) {
    await sleep(context.clock, settleMs, enough)
    now = context.clock.monotonic()
  }
  keeping = false
  return ending
}
