/**
 * Kept outputs: what a settled call said in full, where its result had to be cut; `output/<task>`.
 *
 * - Kept for good before the commit that names it: the file is synced and so is its folder.
 * - All outputs of a session together have a limit; past it the oldest tasks' go, and reading one of those finds
 *   nothing.
 */
import { chmod, copyFile, link, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { fileMode, makeFolder, placeFile, syncFile, syncFolder } from "./folder.ts"
import type { TaskId } from "./records.ts"

/** What a session keeps in outputs; the newest is kept whatever its size. */
const outputsBytesMax = 1024 ** 3

export class Outputs {
  readonly #folder: string
  readonly #bytesMax: number

  constructor(folder: string, bytesMax = outputsBytesMax) {
    this.#folder = folder
    this.#bytesMax = bytesMax
    makeFolder(folder)
  }

  path(task: TaskId): string {
    return join(this.#folder, String(task))
  }

  /** Keeps the file `from` under the task's name, in place of what was kept before; `from` stays. */
  async link(task: TaskId, from: string): Promise<string> {
    const path = this.path(task)
    const draft = `${path}.new`
    await rm(draft, { force: true })
    // A file system without links keeps a copy, which is the same once the command has ended.
    await link(from, draft).catch(() => copyFile(from, draft))
    await chmod(draft, fileMode)
    syncFile(draft)
    await rename(draft, path)
    // Renaming a link over another link of the same file does nothing, and leaves the first.
    await rm(draft, { force: true })
    syncFolder(this.#folder)
    await this.#prune(task)
    return path
  }

  async write(task: TaskId, text: string): Promise<string> {
    const path = this.path(task)
    placeFile(path, text)
    await this.#prune(task)
    return path
  }

  async #prune(newest: TaskId): Promise<void> {
    const tasks = (await readdir(this.#folder)).filter((name) => /^\d+$/.test(name)).map(Number)
    const sizes = await Promise.all(tasks.map(async (task) => ({ task, size: (await stat(this.path(task))).size })))
    let total = sizes.reduce((sum, { size }) => sum + size, 0)
    for (const { task, size } of sizes.sort((one, other) => one.task - other.task)) {
      if (total <= this.#bytesMax || task === newest) continue
      await rm(this.path(task), { force: true })
      total -= size
    }
  }
}
