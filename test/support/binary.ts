/**
 * The executable, as a person has it: built once when the sources are newer, started with an environment of its own.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { cairnPlan } from "../../src/build.ts"
import { bearersOf, endNow } from "./process.ts"

const root = dirname(dirname(import.meta.dir))

/** What goes into the executable. */
const sources = ["src", "themes", "keymaps", "package.json", "bun.lock", "tsconfig.json"]

function newest(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  // A folder's own time tells of files that were removed.
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

let built: Promise<string> | undefined

/** The path of the executable of these sources, or of the one that `CAIRN_BINARY` names: a release is tested as it is. */
export function builtBinary(): Promise<string> {
  const given = process.env.CAIRN_BINARY
  built ??= given === undefined ? buildIfStale() : Promise.resolve(given)
  return built
}

async function buildIfStale(): Promise<string> {
  const binary = statSync(cairnPlan.outfile, { throwIfNoEntry: false })
  const changed = Math.max(...sources.map((name) => newest(join(root, name))))
  if (binary !== undefined && binary.mtimeMs > changed) return cairnPlan.outfile
  // A process of its own: the bundler in this one would count towards what tests measure and leave behind.
  const builder = Bun.spawn([process.execPath, join(root, "src/build.ts")], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  })
  const [output, errors, status] = await Promise.all([text(builder.stdout), text(builder.stderr), builder.exited])
  if (status !== 0) throw new Error(`the executable could not be built:\n${output}${errors}`)
  return cairnPlan.outfile
}

const text = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text()

/**
 * A person's machine: a home with nothing in it, and the environment that goes with it. Removed when disposed of, with all
 * that still runs there.
 */
export type Machine = Disposable & {
  readonly folder: string
  readonly home: string
  /** An empty folder to start programs in. */
  readonly work: string
  readonly env: Readonly<Record<string, string>>
}

export function tempMachine(): Machine {
  const folder = mkdtempSync(join(tmpdir(), "cairn-machine-"))
  const made = (name: string): string => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    return path
  }
  const home = made("home")
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    TMPDIR: made("tmp"),
    XDG_CONFIG_HOME: made("config"),
    XDG_DATA_HOME: made("data"),
    XDG_CACHE_HOME: made("cache"),
    XDG_STATE_HOME: made("state"),
    XDG_RUNTIME_DIR: made("run"),
  }
  const remove = (): void => {
    // Commands outlive who started them, and so do hosts: what a test leaves running would be with all tests after it.
    for (const { pid } of bearersOf(`XDG_DATA_HOME=${env.XDG_DATA_HOME}`)) endNow(pid)
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, home, work: made("work"), env, [Symbol.dispose]: remove }
}

export type RunOptions = {
  /** Added to the machine's own. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  /** Another executable than the built one. */
  readonly binary?: string
  readonly ceilingMs?: number
}

export type RunResult = {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the executable to its end on `machine`, with nothing in its environment but that machine's and `env`. */
export async function runBinary(
  machine: Machine,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const child = Bun.spawn([options.binary ?? (await builtBinary()), ...args], {
    cwd: options.cwd ?? machine.work,
    env: { ...machine.env, ...options.env },
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.ceilingMs ?? 60_000,
    killSignal: "SIGKILL",
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), child.exited])
  return { status: child.exitCode, signal: child.signalCode as NodeJS.Signals | null, stdout, stderr }
}
