/**
 * A command that runs on its own: started here, followed from files alone, by this process or by a later one.
 *
 * - A wrapper (`/bin/sh`, leader of its own session: no terminal, no signal from ours) runs the command and writes how it ended. Both outputs
 *   go through one pipe to a relay that appends them to the output file: a command that opens `/dev/stderr` anew would cut a plain file.
 * - The status file is made before the start, with two lines of a fixed length: `running`, which the wrapper overwrites with `exit N`, and the
 *   pid of the host, which a later host overwrites with its own. Its space is taken beforehand, so a full disk cannot swallow a status.
 * - Where the host has died by the end, status and output are flushed to the disk: nobody else will, before the power may go.
 * - The first thing that the wrapper does is to claim the call: only where it is the first to do so does it run the command (bash-claim.ts).
 * - The wrapper and the relay let TERM pass: they end when the command has, and what it started has closed the pipe.
 * - The command's text travels in the environment of the wrapper, so that `pkill -f` inside the command does not find the wrapper by it.
 */
import { constants as system } from "node:os"
import { closeSync, openSync, readFileSync, watch, writeFileSync, writeSync, type FSWatcher } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import { assert } from "../std/assert.ts"
import { sleep, type Clock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import { identityOf, isAlive, markerName, wrapperName, type Identity } from "./processes.ts"
import type { CallFiles } from "./tool.ts"

export type CommandSpec = {
  readonly command: string
  readonly shell: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly key: string
}

/** How a command ended: by itself, by a signal that hit the wrapper too, or nobody can tell. */
export type Ending =
  | { readonly how: "exit"; readonly code: number }
  | { readonly how: "signal"; readonly name: string }
  | { readonly how: "lost" }

export type Started = {
  readonly pid: number
  /** null where it was over before it could be looked at. */
  readonly identity: Identity | null
  /** Resolves when the wrapper has gone, with how it went itself. */
  readonly gone: Promise<Ending>
}

/** What one command may leave on disk; its relay is ended by the system beyond that, and the command by its next write. */
export const outputFileBytesMax = 1024 ** 3

/** Of each line of a status file, its end included. */
const statusLineBytes = 32
const commandVariable = "CAIRN_COMMAND"

/**
 * $1 marker, $2 shell. The command is run in a subshell of its own, so that what a shell says of a child's death is not said in its output.
 */
const runScript = `(
    ${markerName}="$1"
    export ${markerName}
    exec "$2" -c "$command" 2>&1
  )`

/**
 * $3 status file, $4 output file, $5 its limit in blocks of 512 bytes, $6 the claim (bash-claim.ts), $7 the mask to run under. What is left of
 * the line that the status overwrote is a line of its own.
 */
const fileScript = `umask 077
set -C
true >"$6" || exit 0
set +C
umask "$7"
trap : TERM INT HUP
command=$${commandVariable}
unset ${commandVariable}
{
  trap : TERM INT HUP
  ${runScript}
  printf 'exit %d\\n' "$?" 1<>"$3"
} | {
  trap '' TERM INT HUP
  ulimit -f "$5"
  exec cat >>"$4"
}
{ read -r status && read -r rest && read -r host; } <"$3"
kill -0 "$host" || sync "$3" "$4"`

/** The relay writes to our pipe, and the status goes to another one: a socket, as ours may be, cannot be opened again as \`/dev/stderr\`. */
const pipeScript = `trap : TERM INT HUP
command=$${commandVariable}
unset ${commandVariable}
exec 3>&2 2>/dev/null
{
  trap : TERM INT HUP
  ${runScript} 3>&-
  printf 'exit %d\\n' "$?" >&3
} | {
  trap '' TERM INT HUP
  exec cat 3>&-
}`

function spawn(spec: CommandSpec, argv: readonly string[], outputs: "ignore" | "pipe") {
  return Bun.spawn(["/bin/sh", "-c", ...argv], {
    cwd: spec.cwd,
    env: { ...spec.env, [commandVariable]: spec.command },
    stdin: "ignore",
    stdout: outputs,
    stderr: outputs,
    detached: true,
  })
}

/** The wrapper's own exit status says nothing of the command: that is in its status, or nowhere. */
function wrapperEnding({ signalCode }: Pick<Bun.Subprocess, "signalCode">): Ending {
  if (signalCode === null) return { how: "lost" }
  const name = typeof signalCode === "number" ? signalName(signalCode) : signalCode
  return { how: "signal", name: name ?? `${signalCode}` }
}

function statusLine(text: string): string {
  return `${text.padEnd(statusLineBytes - 1)}\n`
}

/** This process is the command's host from now on: what its watchdog looks for. */
export function takeOver(files: CallFiles): void {
  const file = openSync(files.status, "r+")
  try {
    writeSync(file, statusLine(`${process.pid}`), statusLineBytes)
  } finally {
    closeSync(file)
  }
}

/** Start a command whose output and status outlive this process. Throws an Error with a `code` where a file or process cannot be made. */
export function startInFiles(spec: CommandSpec, files: CallFiles, bytesMax: number = outputFileBytesMax): Started {
  closeSync(openSync(files.output, "a", 0o600))
  writeFileSync(files.status, statusLine("running") + statusLine(`${process.pid}`), { mode: 0o600 })
  const blocks = `${Math.ceil(bytesMax / 512)}`
  const mask = process.umask().toString(8)
  const { key, shell } = spec
  const argv = [fileScript, wrapperName, key, shell, files.status, files.output, blocks, files.begun, mask]
  const child = spawn(spec, argv, "ignore")
  const gone = child.exited.then(() => wrapperEnding(child))
  return { pid: child.pid, identity: identityOf(child.pid), gone }
}

/** Start a command whose output comes here, through a pipe, where there is no disk to put it. `ended` may be long before `gone`. */
export function startInPipe(
  spec: CommandSpec,
): Started & { readonly output: ReadableStream<Uint8Array>; readonly ended: Promise<Ending> } {
  const child = spawn(spec, [pipeScript, wrapperName, spec.key, spec.shell], "pipe")
  assert(child.stdout instanceof ReadableStream && child.stderr instanceof ReadableStream, "piped outputs are streams")
  const gone = child.exited.then(() => wrapperEnding(child))
  const ended = statusFrom(child.stderr).then(async (ending) => ending ?? (await gone))
  return { pid: child.pid, identity: identityOf(child.pid), gone, output: child.stdout, ended }
}

/** The status that comes through a pipe, as soon as its line is whole; null where the pipe ends without one. */
async function statusFrom(pipe: ReadableStream<Uint8Array>): Promise<Ending | null> {
  let text = ""
  for await (const bytes of pipe) {
    text += Buffer.from(bytes).toString("latin1")
    if (text.includes("\n")) break
  }
  return parseStatus(text)
}

/** How the command ended, by its status file alone; null while it runs, or where nothing valid was written. */
export function readStatus(path: string): Ending | null {
  let text: string
  try {
    text = readFileSync(path, "latin1")
  } catch {
    // Missing and unreadable are the same: no status.
    return null
  }
  return parseStatus(text)
}

function parseStatus(text: string): Ending | null {
  const [, how, value = ""] = /^(exit|signal) (\w+)\n/.exec(text) ?? []
  if (how === "exit" && /^\d{1,3}$/.test(value)) return { how: "exit", code: Number(value) }
  return how === "signal" ? { how: "signal", name: signalName(Number(value)) ?? value } : null
}

/** The name of signal `number`, or null where there is none. */
export function signalName(number: number): string | null {
  return Object.entries(system.signals).find(([, value]) => value === number)?.[0] ?? null
}

export type FollowOptions = {
  readonly files: CallFiles
  readonly identity: Identity | null
  readonly clock: Clock
  /** Where this process started the command: resolves when the wrapper has gone. */
  readonly gone?: Promise<Ending>
  /** Ends the following, not the command. */
  readonly signal: AbortSignal
  /** New output, as it comes, in bytes that are only good until this returns. `skipped` bytes before it were too many to report. */
  onOutput(bytes: Uint8Array, skipped: number): void
}

/** One screen frame: nothing is looked at more often. */
const pollMs = 33
/** How often a quiet command is looked at, where nobody tells of new output. */
const quietPollMs = 100
const quietAfterPolls = 60
/** Output reported at one look; a command that writes more is faster than anybody reads. */
export const reportBytesMax = 32 * 1024
/** While it does, it is looked at less often, and no more is reported than a large screen shows. */
const floodPollMs = 100
const floodBytesMax = 16 * 1024
/** Looks without new output after which the output of a command that has ended is taken as whole, though something still holds the pipe. */
const settledPolls = 3
/** Looks after which it is taken as whole anyway: what holds the pipe may write for ever. */
const settledPollsMax = 15

/** Resolves when the command has ended and its output is in the file; `held`: something that it started still holds the output. */
export async function followCommand(
  options: FollowOptions,
): Promise<{ readonly ending: Ending; readonly held: boolean }> {
  const { files, identity, clock, signal } = options
  const file = await open(files.output, "r")
  const buffer = new Uint8Array(reportBytesMax)
  let at = 0
  let quiet = 0
  let ended = 0
  let flood = false
  let gone: Ending | null = null
  const wake = new AbortController()
  const stop = AbortSignal.any([signal, wake.signal])
  void options.gone?.then((ending) => {
    gone = ending
    wake.abort()
  })
  const growth = new Growth(files.output)
  try {
    for (;;) {
      // Looked at before the output, so that what the output then holds is all that the command wrote.
      const left = gone ?? (options.gone === undefined && !lives(identity) ? { how: "lost" as const } : null)
      const status = readStatus(files.status)
      const grown = await report(file, at, flood ? buffer.subarray(0, floodBytesMax) : buffer, options)
      flood = grown - at > reportBytesMax
      // Silence counts from the end of the command: what it wrote last may still be on its way through the relay.
      quiet = grown > at || (status !== null && ended === 0) ? 0 : quiet + 1
      if (status !== null) ended++
      at = grown
      if (left !== null) return { ending: status ?? left, held: false }
      if (status !== null && (quiet >= settledPolls || ended > settledPollsMax)) return { ending: status, held: true }
      if (signal.aborted) return { ending: status ?? { how: "lost" }, held: true }
      if (status === null && quiet > quietAfterPolls) await growth.wait(clock, quietPollMs, stop)
      else await sleep(clock, flood && status === null ? floodPollMs : pollMs, stop)
    }
  } finally {
    growth.end()
    await file.close()
  }
}

function lives(identity: Identity | null): boolean {
  return identity !== null && isAlive(identity)
}

/** Report what is in the file beyond `at`; gives the new end. */
async function report(file: FileHandle, at: number, buffer: Uint8Array, options: FollowOptions): Promise<number> {
  const { size } = await file.stat()
  if (size <= at) return at
  const from = Math.max(at, size - buffer.length)
  const { bytesRead } = await file.read(buffer, 0, size - from, from)
  options.onOutput(buffer.subarray(0, bytesRead), from - at)
  return from + bytesRead
}

/** Tells of new output in a file, where the file system can: then what a quiet command prints is seen at once. */
class Growth {
  readonly #path: string
  #watcher: FSWatcher | null = null
  #isWatched = false
  #grown = Promise.withResolvers<void>()

  constructor(path: string) {
    this.#path = path
  }

  /** Only once somebody waits: a command that writes much would wake this process for nothing. */
  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    try {
      this.#watcher = watch(this.#path, () => this.#grown.resolve())
      // Some file systems tell nothing, and say so late.
      this.#watcher.on("error", () => this.end())
    } catch (error) {
      // It is looked at now and then all the same.
      if (errorCode(error) === undefined) throw error
    }
  }

  /** Until the file grows, for `ms` at most. */
  async wait(clock: Clock, ms: number, stop: AbortSignal): Promise<void> {
    this.#watch()
    const over = new AbortController()
    const late = sleep(clock, ms, AbortSignal.any([stop, over.signal]))
    await Promise.race([this.#grown.promise, late])
    over.abort()
    this.#grown = Promise.withResolvers<void>()
  }

  end(): void {
    this.#watcher?.close()
    this.#watcher = null
  }
}
