/**
 * What the agent is told beside its prompt: the person's and the projects' files, read whole and in order.
 *
 * - The person's own file first, then one of each folder from the root of the file system down to where work is done: the first of
 *   `AGENTS.override.md`, `AGENTS.md`, `CLAUDE.md`. It needs no trust: it is text.
 * - In a worktree that lies inside its main working tree, the main tree's file would be the same one again, and is left out.
 * - `SYSTEM.md` and `APPEND_SYSTEM.md` of a trusted project come before the person's.
 * - A file that cannot be read, is no text, or is too long is told by a notice; no file is cut in silence.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { estimateText } from "../message/estimate.ts"
import { errorCode } from "../std/files.ts"
import { upwards, workTreeOf } from "./folder.ts"

export const contextNames = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"] as const

/** A longer file fills a small model's window before the first word is said. */
export const contextBytesMax = 64 * 1024

/** `path` is as it was found; `bytes` is the size on disk; `tokens` an estimate of what is sent. */
export type ContextFile = {
  readonly path: string
  readonly text: string
  readonly bytes: number
  readonly tokens: number
}

export type Instructions = {
  readonly context: readonly ContextFile[]
  readonly system: ContextFile | null
  readonly append: ContextFile | null
  readonly notices: readonly string[]
}

export type InstructionPlaces = {
  /** Absolute, a real path. */
  readonly cwd: string
  /** The person's config folder. */
  readonly config: string
  /** The project's `.cairn`, when it is trusted. */
  readonly project: string | null
}

type Read = { readonly file: ContextFile | null; readonly notice: string | null }

function readContext(path: string): Read {
  try {
    const bytes = readFileSync(path)
    if (bytes.includes(0)) return { file: null, notice: `${path} is no text and was left out.` }
    const whole = new TextDecoder().decode(bytes).trim()
    if (bytes.length <= contextBytesMax) {
      return { file: { path, text: whole, bytes: bytes.length, tokens: estimateText(whole) }, notice: null }
    }
    const head = new TextDecoder()
      .decode(bytes.subarray(0, contextBytesMax))
      .replace(/\ufffd+$/, "")
      .trim()
    const text = `${head}\n(The rest of this file was left out; read it where you need it.)`
    const notice = `${path} has ${bytes.length} bytes; the model is told the first ${contextBytesMax} of them.`
    return { file: { path, text, bytes: bytes.length, tokens: estimateText(text) }, notice }
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return { file: null, notice: code === "ENOENT" ? null : `${path} cannot be read (${code}) and was left out.` }
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** The file that speaks for a folder; undefined where none does. */
function contextIn(folder: string): string | undefined {
  return contextNames.map((name) => join(folder, name)).find(isFile)
}

/** The folders that are asked, from the root down. */
function foldersFor(cwd: string): readonly string[] {
  const folders = upwards(cwd).toReversed()
  const tree = workTreeOf(cwd)
  const nested = tree !== undefined && tree.main !== null && tree.main !== tree.top && folders.includes(tree.main)
  if (!nested || contextIn(tree.top) === undefined) return folders
  return folders.filter((folder) => folder !== tree.main)
}

/** The same file by two names is told once, in its first place. */
function withoutRepeats(paths: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return paths.filter((path) => {
    const real = realpathSync(path)
    const fresh = !seen.has(real)
    seen.add(real)
    return fresh
  })
}

/** All that the agent is to be told, read now. */
export function readInstructions({ cwd, config, project }: InstructionPlaces): Instructions {
  const own = contextIn(config)
  const paths = [
    own,
    ...foldersFor(cwd)
      .filter((folder) => folder !== config)
      .map(contextIn),
  ]
  const read = withoutRepeats(paths.filter((path) => path !== undefined)).map(readContext)
  const first = (name: string): Read => {
    const path = [project, config].flatMap((folder) => (folder === null ? [] : [join(folder, name)])).find(isFile)
    return path === undefined ? { file: null, notice: null } : readContext(path)
  }
  const [system, append] = [first("SYSTEM.md"), first("APPEND_SYSTEM.md")]
  return {
    context: read.flatMap(({ file }) => (file === null || file.text === "" ? [] : [file])),
    system: system.file,
    append: append.file,
    notices: [...read, system, append].flatMap(({ notice }) => notice ?? []),
  }
}
