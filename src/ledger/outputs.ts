/**
 * Kept outputs: what a settled call said in full, where its result had to be cut; `output/<task>`.
 *
 * - Kept for good before the commit that names it: the file is synced and so is its folder.
 * - Of an output beyond its limit the end is kept. All outputs of a session together have a limit too; past it the
 *   oldest tasks' go, and reading one of those finds nothing.
 */
import { createReadStream, createWriteStream } from "node:fs"
import { chmod, copyFile, link, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { fileMode, makeFolder, placeFile, syncFile, syncFolder } from "./folder.ts"
import type { TaskId } from "./records.ts"
import type { OutputLimits } from "./spool.ts"

/** Copies a file from byte `start` on, in pieces. */
async function copyEnd(from: string, to: string, start: number): Promise<void> {
  await pipeline(createReadStream(from, { start }), createWriteStream(to, { mode: fileMode }))
}

export class Outputs {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    makeFolder(folder)
  }

  path(task: TaskId): string {
    return join(this.#folder, String(task))
  }

  /** Keeps the file `from` under the task's name, in place of what was kept before; `from` stays. */
  async keep(task: TaskId, from: string, limits: OutputLimits): Promise<string> {
    const path = this.path(task)
    const draft = `${path}.new`
    await rm(draft, { force: true })
    const { size } = await stat(from)
    if (size > limits.bytes) await copyEnd(from, draft, size - limits.bytes)
    // A file system without links keeps a copy, which is the same once the command has ended.
    else await link(from, draft).catch(() => copyFile(from, draft))
    await chmod(draft, fileMode)
    syncFile(draft)
    await rename(draft, path)
    // Renaming a link over another link of the same file does nothing, and leaves the first.
    await rm(draft, { force: true })
    syncFolder(this.#folder)
    await this.#prune(task, limits)
    return path
  }

  async write(task: TaskId, text: string, limits: OutputLimits): Promise<string> {
    const path = this.path(task)
    placeFile(path, Buffer.from(text).subarray(-limits.bytes))
    await this.#prune(task, limits)
    return path
  }

  /** The newest is kept whatever its size. */
  async #prune(newest: TaskId, { sessionBytes }: OutputLimits): Promise<void> {
    const tasks = (await readdir(this.#folder)).filter((name) => /^\d+$/.test(name)).map(Number)
    const sizes = await Promise.all(tasks.map(async (task) => ({ task, size: (await stat(this.path(task))).size })))
    let total = sizes.reduce((sum, { size }) => sum + size, 0)
    for (const { task, size } of sizes.sort((one, other) => one.task - other.task)) {
      if (total <= sessionBytes || task === newest) continue
      await rm(this.path(task), { force: true })
      total -= size
    }
  }
}
