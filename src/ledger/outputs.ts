/**
 * Kept outputs: what a settled call said in full, where its result had to be cut; `output/<task>`.
 *
 * - Kept for good before the commit that names it: the file is synced and so is its folder.
 * - Of an output beyond its limit the end is kept. All outputs of a session together have a limit too; past it the
 *   oldest tasks' go, and reading one of those finds nothing.
 */
import { chmod, copyFile, link, open, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { fileMode, makeFolder, placeFile, syncFile, syncFolder } from "./folder.ts"
import type { TaskId } from "./records.ts"
import type { OutputLimits } from "./spool.ts"

const pieceBytes = 256 * 1024

/** Copies a file from byte `start` on, in pieces of one buffer. */
async function copyEnd(from: string, to: string, start: number): Promise<void> {
  const source = await open(from, "r")
  try {
    const target = await open(to, "w", fileMode)
    try {
      const piece = new Uint8Array(pieceBytes)
      for (let at = start; ;) {
        const { bytesRead } = await source.read(piece, 0, piece.length, at)
        if (bytesRead === 0) return
        // In place: writing a whole file from a part of the buffer would copy it, sixty-four megabytes in all.
        for (let done = 0; done < bytesRead;) done += (await target.write(piece, done, bytesRead - done)).bytesWritten
        at += bytesRead
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
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
