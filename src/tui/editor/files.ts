/**
 * The paths of a folder for completion: what a person would name, so nothing that is ignored.
 *
 * - In a repository git itself is asked, which knows every rule; elsewhere the folder is walked without hidden and dependency folders.
 * - Bounded: a folder of any size costs at most this many paths and this much time; what is left out can still be typed.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"

const pathsMax = 50_000
const listBytesMax = 8 * 1024 * 1024
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

/** `paths` and every folder on the way to them, folders with a slash at the end. */
export function withFolders(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      folders.add(path.slice(0, slash + 1))
    }
  }
  return [...paths, ...folders]
}

/** What may be named under `folder`, relative to it. */
export async function listPaths(folder: string): Promise<readonly string[]> {
  return withFolders((await gitPaths(folder)) ?? (await walk(folder)))
}

/** The paths of one folder, fetched when first asked for. */
export class Paths {
  readonly folder: string
  readonly #now: () => number
  readonly #ready: () => void
  #paths: readonly string[] = []
  #at = Number.NEGATIVE_INFINITY
  #busy = false

  /** `ready` hears that a new list is there. */
  constructor(folder: string, now: () => number, ready: () => void) {
    this.folder = folder
    this.#now = now
    this.#ready = ready
  }

  /** The newest list, at once; a stale one is replaced behind it. */
  get(): readonly string[] {
    if (!this.#busy && this.#now() - this.#at > staleMs) void this.#fetch()
    return this.#paths
  }

  async #fetch(): Promise<void> {
    this.#busy = true
    this.#paths = await listPaths(this.folder)
    this.#at = this.#now()
    this.#busy = false
    this.#ready()
  }
}
