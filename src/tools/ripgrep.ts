/**
 * ripgrep, the engine of `grep`: it comes with this program, and nothing is downloaded.
 *
 * - In the executable it is embedded; a program cannot be started from there, so it is unpacked once into the cache folder, whole or not at all.
 * - It reads no configuration of its own, and searches what `find` sees too: hidden files, without what the ignore files exclude.
 * - It is a process, so a search can be ended at any moment, whatever the pattern.
 */
import { accessSync, constants, statSync } from "node:fs"
import { chmod, mkdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { sleep, type Clock } from "../std/clock.ts"
import { errorCode } from "../std/files.ts"
import { headChars } from "../std/lines.ts"
import { reasonOf } from "./paths.ts"

/** Where the bundler puts what it embeds. */
const embeddedRoot = "/$bunfs/"
/** Of one line of its output: a path, a number and what is shown of a line. */
const rawCharsMax = 8 * 1024

export type Ripgrep = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly message: string }

async function bundled(): Promise<string> {
  // The bundler knows platform and processor, and embeds the one file.
  const module: { readonly default: unknown } = await import(
    `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
    { with: { type: "file" } }
  )
  return String(module.default)
}

function isProgram(path: string, size: number): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).size === size
  } catch {
    // Missing and not to be started are the same here: it is unpacked.
    return false
  }
}

/** Its name in the executable bears a hash of its content, so it need not be read to know whether it is there already. */
async function unpacked(from: string, cache: string): Promise<string> {
  const embedded = Bun.file(from)
  const path = join(cache, "bin", basename(from).replace(/\.$/, ""))
  if (isProgram(path, embedded.size)) return path
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.new`
  try {
    await Bun.write(draft, embedded)
    await chmod(draft, 0o700)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  return path
}

const found = new Map<string, Promise<Ripgrep>>()

/** Where ripgrep can be started; `cache` is a folder for what this program unpacks. */
export function ripgrep(cache: string): Promise<Ripgrep> {
  const before = found.get(cache)
  if (before !== undefined) return before
  const path = locate(cache)
  found.set(cache, path)
  // What did not work may work the next time: a full disk, a folder that was closed.
  void path.then(({ ok }) => (ok ? undefined : found.delete(cache)))
  return path
}

async function locate(cache: string): Promise<Ripgrep> {
  const embedded = await bundled()
  if (!embedded.startsWith(embeddedRoot)) return { ok: true, path: embedded }
  try {
    return { ok: true, path: await unpacked(embedded, cache) }
  } catch (error) {
    return { ok: false, message: `The search program cannot be unpacked into ${cache}: ${reasonOf(error)}.` }
  }
}

const baseOptions = [
  "--no-config",
  "--no-messages",
  "--no-require-git",
  "--no-ignore-global",
  "--hidden",
  "--glob=!.git",
  "--color=never",
]

/** In order one processor searches, in any order all of them do. */
export type Order = "by path" | "any order"

export type Run = {
  readonly options: readonly string[]
  /** What is searched is here: a folder as a real path. */
  readonly cwd: string
  /** Folders that are left out, as real paths. */
  readonly refused: readonly string[]
  readonly order: Order
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly limitMs: number
  /** One line of output, cut where it is long; false when there is enough. */
  take(line: string): boolean
}

export type Ran =
  | { readonly status: "ran" }
  | { readonly status: "late" }
  /** It refused its arguments. */
  | { readonly status: "failed"; readonly complaint: string }
  | { readonly status: "unstarted"; readonly message: string }

/** Options that leave `folders` out of a search in `cwd`. */
function without(folders: readonly string[], cwd: string): readonly string[] {
  const inside = folders.filter((folder) => folder.startsWith(`${cwd}/`))
  return inside.map((folder) => `--glob=!/${folder.slice(cwd.length + 1).replace(/[\\*?[\]{}!]/g, "\\$&")}`)
}

/** Run it to its end, or to the end of what is wanted of it. */
export async function runRipgrep(program: string, run: Run): Promise<Ran> {
  const { cwd, clock, signal, limitMs } = run
  const sorted = run.order === "by path" ? ["--sort=path"] : []
  const argv = [program, ...baseOptions, ...sorted, ...without(run.refused, cwd), ...run.options]
  let child
  try {
    child = Bun.spawn(argv, { cwd, env: { ...run.env }, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    const place = dirname(program)
    return {
      status: "unstarted",
      message: `The search program cannot be started in ${place}: ${reasonOf(error)}. CAIRN_CACHE names another folder.`,
    }
  }
  const { stdout, stderr } = child
  const complaint = new Response(stderr).text()
  const end = (): void => child.kill("SIGKILL")
  const over = new AbortController()
  let late = false
  void sleep(clock, limitMs, AbortSignal.any([over.signal, signal])).then((whole) => {
    late = whole
    if (whole) end()
  })
  signal.addEventListener("abort", end, { once: true })
  try {
    await takeLines(stdout, run.take, end)
    const status = await child.exited
    if (late) return { status: "late" }
    return status === 2 ? { status: "failed", complaint: reasonIn(await complaint) } : { status: "ran" }
  } finally {
    signal.removeEventListener("abort", end)
    over.abort()
  }
}

async function takeLines(
  output: ReadableStream<Uint8Array>,
  take: (line: string) => boolean,
  end: () => void,
): Promise<void> {
  const splitter = new RawLines()
  const decoder = new TextDecoder("utf-8")
  let wanted = true
  for await (const bytes of output) {
    if (!wanted) continue
    wanted = splitter.push(decoder.decode(bytes, { stream: true })).every(take)
    if (!wanted) end()
  }
}

/** The reason in what it says of a pattern, which is many lines with a picture. */
function reasonIn(complaint: string): string {
  const lines = complaint.split("\n").map((line) => line.trim())
  const named = lines.find((line) => line.startsWith("error: "))
  return (named ?? lines.find((line) => line !== "") ?? "").replace(/^(rg|error): /, "")
}

/** Splits text that comes in pieces into lines, keeping a bounded part of each. */
class RawLines {
  #line = ""

  push(text: string): readonly string[] {
    const parts = text.split("\n")
    const last = parts.pop() ?? ""
    const lines = parts.map((part) => {
      const line = headChars(this.#line + part, rawCharsMax)
      this.#line = ""
      return line
    })
    if (this.#line.length < rawCharsMax) this.#line += headChars(last, rawCharsMax)
    return lines
  }
}
