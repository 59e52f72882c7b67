/**
 * A call of bash from its start to its result: in files, where it outlives this process, or in a pipe.
 *
 * - Whatever comes first ends it: its own end, its timeout, an abort. The last two end everything that it started.
 * - What a call that ended by itself left running goes on, and is listed.
 */
import { existsSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { sleep } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import type { JsonObject } from "../std/json.ts"
import { capturedFile, commandResult } from "./bash-result.ts"
import { claimIntent, claimOf, claimUnstarted } from "./bash-claim.ts"
import { freedFact, OutputGrowth } from "./bash-growth.ts"
import { limitOf, reporter, reportOf, settleMs, stillRunning, supervised, type Args } from "./bash-watch.ts"
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
import { EndsKeeper } from "./output.ts"
import { reasonOf } from "./paths.ts"
import { endCommand, identityOf, isAlive, processTable, storedIdentity, type Identity } from "./processes.ts"
import { sizeText } from "./show.ts"
import { errorResult, type CallFiles, type Prepared, type ToolContext, type ToolResult } from "./tool.ts"
import { orphanMsDefault, startWatchdog, watchStepSeconds } from "./watchdog.ts"

/** With less than this free where outputs go, a command that is told to write there would fail for it. */
const freeBytesMin = 64 * 1024 * 1024
/** A command that runs this long gets a watchdog. */
const watchAfterMs = 250
/** Where it cannot be started, it is tried again after so long. */
const watchAgainMs = 5_000
/** How long to wait for the output of a command that has ended to fall silent: what it left running may never be. */
const settleMsMax = 500

/** In files where there are some with room: then the intent says how a later process claims the call. */
export async function prepareCommand({ files }: ToolContext): Promise<Prepared> {
  const isRoom = files !== null && (await freeBytes(files)) >= freeBytesMin
  return { ok: true, intent: isRoom ? claimIntent(files) : {} }
}

/** Run the command as it was prepared. */
export async function runCommand(
  spec: CommandSpec,
  args: Args,
  intent: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  const { files } = context
  if (files === null) return runInPipe(spec, args, context, [])
  const claim = claimOf(intent, files)
  if (claim !== null) return runInFiles(spec, { ...files, begun: claim.path }, args, context)
  const free = await freeBytes(files)
  const note = `Only ${sizeText(free)} are free on the disk of ${dirname(files.output)}: the output was kept in memory only.`
  return runInPipe(spec, args, context, [note])
}

async function freeBytes({ output }: CallFiles): Promise<number> {
  const disk = await statfs(dirname(output))
  return disk.bavail * disk.bsize
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

/** What cannot be remembered is found all the same, by its key: it goes on, for whoever opens the session next. */
async function rememberStart(started: Started, deadline: number | null, context: ToolContext): Promise<void> {
  if (started.identity !== null) await context.remember({ ...started.identity, deadline })
}

async function runInFiles(spec: CommandSpec, files: CallFiles, args: Args, context: ToolContext): Promise<ToolResult> {
  const started = tryStart(spec, () => startInFiles(spec, files, fileBytesMax(context)))
  if (!started.ok) return started.result
  const limitMs = limitOf(args)
  await rememberStart(started.value, deadlineOf(limitMs, context), context)
  const { pid, identity, gone } = started.value
  return superviseInFiles(files, { leader: pid, identity, gone, limitMs }, args, context)
}

/** A running command, started by this process (`gone`) or by one before it. */
type Running = {
  readonly leader: number | null
  readonly identity: Identity | null
  readonly gone?: Promise<Ending>
  readonly limitMs: number | null
  /** Bytes of the output's beginning that were freed before. */
  readonly freed?: number
}

async function superviseInFiles(
  files: CallFiles,
  { leader, identity, gone, limitMs, freed = 0 }: Running,
  args: Args,
  context: ToolContext,
): Promise<ToolResult> {
  const { clock, key } = context
  const tell = reporter(context)
  const most = fileBytesMax(context)
  const growth = new OutputGrowth(files.output, { kept: context.outputBytesMax, most, freed }, context)
  const onOutput = (bytes: Uint8Array, skipped: number): void => {
    tell(bytes, skipped)
    growth.grew(skipped + bytes.length)
  }
  const endWatch = leader === null ? () => {} : watchLater(files, leader, limitMs, context)
  try {
    const follow = (signal: AbortSignal): ReturnType<typeof followCommand> =>
      followCommand({ files, identity, gone, clock, signal, onOutput })
    const { value, stop: asked, survivors } = await supervised(leader, limitMs, context, follow, growth.over)
    const capture = await capturedFile(files.output)
    // Its relay had gone, so that it may have ended by that.
    const stop = capture.size >= most ? ({ by: "output_limit" } as const) : asked
    const running = stop === null ? await stillRunning(key, leader, value.held, context) : survivors
    const notes = await fileNotes(files)
    return commandResult({
      ...reportOf(args, value.ending, stop),
      capture,
      running,
      notes,
      kept: { path: files.output, bytesMax: context.outputBytesMax ?? Infinity },
    })
  } finally {
    endWatch()
  }
}

/** A watchdog for what runs for a while; the function that it returns ends it, or that it comes. */
function watchLater(files: CallFiles, leader: number, limitMs: number | null, context: ToolContext): () => void {
  const { clock, orphanMs = orphanMsDefault } = context
  let end = (): void => {}
  const deadlineSeconds = limitMs === null ? null : limitMs / 1_000
  const watch = {
    status: files.status,
    leader,
    deadlineSeconds,
    orphanSeconds: Math.ceil(orphanMs / 1_000),
    stepSeconds: watchStepSeconds,
  }
  const start = (): void => {
    try {
      end = startWatchdog(watch)
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      // The machine has no process or descriptor to spare now.
      cancel = clock.after(watchAgainMs, start)
    }
  }
  let cancel = clock.after(watchAfterMs, start)
  return () => {
    cancel()
    end()
  }
}

/** Go on with a command that a process before this one started; null where it is neither running nor known how it ended. */
export async function adoptCommand(
  args: Args,
  facts: JsonObject,
  context: ToolContext,
  intent: JsonObject,
): Promise<ToolResult | "not started" | null> {
  const { files } = context
  if (files === null) return null
  const claim = claimOf(intent, files)
  const neverBegins = (): boolean => claim !== null && claimUnstarted(claim)
  // Without a status file no wrapper was started for it; or it ran in a pipe, which broke when its host ended.
  if (!existsSync(files.status)) return neverBegins() ? "not started" : null
  const stored = storedIdentity(facts)
  let identity = aliveWrapper(stored, context.key)
  if (identity === null && readStatus(files.status) === null) {
    if (neverBegins()) return "not started"
    // It may have begun since it was looked for.
    identity = aliveWrapper(stored, context.key)
    if (identity === null && readStatus(files.status) === null) return null
  }
  const isStored = identity === null || identity.pid === stored?.pid
  const limitMs = isStored ? remainingMs(args, facts, context) : limitOf(args)
  if (identity !== null) {
    takeOver(files)
    if (!isStored) await context.remember({ ...identity, deadline: deadlineOf(limitMs, context) })
  }
  const freed = Number(facts[freedFact] ?? 0)
  return superviseInFiles(files, { leader: identity?.pid ?? null, identity, limitMs, freed }, args, context)
}

/** Who runs a command; found by its key where its host ended before it could remember that. */
function aliveWrapper(stored: Identity | null, key: string): Identity | null {
  if (stored !== null && isAlive(stored)) return stored
  const pid = processTable.wrapper(key)
  return pid === null ? null : identityOf(pid)
}

function deadlineOf(limitMs: number | null, { clock }: ToolContext): number | null {
  return limitMs === null ? null : clock.now() + limitMs
}

/** What is left of the time that the call was given: never more than all of it, whatever the clock did meanwhile. */
function remainingMs(args: Args, { deadline }: JsonObject, { clock }: ToolContext): number | null {
  if (typeof deadline !== "number") return null
  return Math.min(limitOf(args) ?? Infinity, Math.max(0, deadline - clock.now()))
}

/** What a running command may write: more than is kept in the end, so that one that says much is not ended for it. */
function fileBytesMax({ outputBytesMax = 0 }: ToolContext): number {
  return Math.max(outputFileBytesMax, outputBytesMax)
}

async function fileNotes(files: CallFiles): Promise<readonly string[]> {
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
  try {
    await rememberStart(started.value, null, context)
  } catch (error) {
    // Its pipe ends here: nobody could go on with it.
    await endCommand(spec.key, started.value.pid, context.clock)
    throw error
  }
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
