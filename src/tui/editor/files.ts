/**
 * The paths of a folder for completion: what a person would name, so nothing that is ignored.
 *
 * - In a repository git itself is asked, which knows every rule; elsewhere the folder is walked without hidden and dependency folders.
 * - Bounded: a folder of any size costs at most this many paths; what is left out can still be typed.
 * - A large list is worked through in pieces, between which keys are heard.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { indexPaths, noPaths, type PathIndex } from "./path-index.ts"

const pathsMax = 250_000
const listBytesMax = 64 * 1024 * 1024
/** Paths that are worked through at once: a few milliseconds. */
const pieceMax = 10_000
/** After this long a list is asked for again, behind the one that is shown. */
const staleMs = 10_000

const skipped = new Set(["node_modules", "target", "dist", "__pycache__", "venv"])

async function gitPaths(folder: string): Promise<readonly string[] | null> {
  try {
    const child = Bun.spawn(["git", "-C", folder, "ls-files", "-co", "--exclude-standard", "-z"], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    })
    const text = await new Response(child.stdout).text()
    if ((await child.exited) !== 0) return null
    return text.slice(0, listBytesMax).split("\0").filter(Boolean).slice(0, pathsMax)
  } catch {
    // No git on this machine: the walk below does without.
    return null
  }
}

async function walk(folder: string): Promise<readonly string[]> {
  const paths: string[] = []
  const queue = [""]
  for (let at = queue.shift(); at !== undefined && paths.length < pathsMax; at = queue.shift()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.name.startsWith(".") || skipped.has(entry.name)) continue
      const path = at === "" ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) queue.push(path)
      else paths.push(path)
    }
  }
  return paths
}

/** Hears keys before it goes on. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Every folder on the way to a path, from the inside, until one that is known. */
function addFolders(folders: Set<string>, path: string): void {
  for (let slash = path.lastIndexOf("/", path.length - 2); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
    const folder = path.slice(0, slash + 1)
    if (folders.has(folder)) return
    folders.add(folder)
  }
}

/** What may be named under `folder`, relative to it: files, and every folder on the way to them with a slash at the end. */
export async function listPaths(folder: string): Promise<readonly string[]> {
  const paths = (await gitPaths(folder)) ?? (await walk(folder))
  const folders = new Set<string>()
  for (const [place, path] of paths.entries()) {
    if (place % pieceMax === pieceMax - 1) await breathe()
    addFolders(folders, path)
  }
  return [...paths, ...folders]
}

async function indexOf(folder: string): Promise<PathIndex> {
  return indexPaths(await listPaths(folder), pieceMax, breathe)
}

/** The paths of one folder, fetched when first asked for. */
export class Paths {
  readonly folder: string
  readonly #now: () => number
  readonly #ready: () => void
  #index: PathIndex = noPaths
  #at = Number.NEGATIVE_INFINITY
  #busy = false

  /** `ready` hears that a new list is there. */
  constructor(folder: string, now: () => number, ready: () => void) {
    this.folder = folder
    this.#now = now
    this.#ready = ready
  }

  /** The newest list, at once; a stale one is replaced behind it. */
  get(): PathIndex {
    if (!this.#busy && this.#now() - this.#at > staleMs) void this.#fetch()
    return this.#index
  }

  async #fetch(): Promise<void> {
    this.#busy = true
    this.#index = await indexOf(this.folder)
    this.#at = this.#now()
    this.#busy = false
    this.#ready()
  }
}
