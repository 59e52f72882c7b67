/**
 * Spools as files of a session's folder: `spool/<task>.<attempt>.<epoch>`, with `.out`, `.status` and `.begun` for what
 * a command writes itself.
 *
 * - A file's epoch is its first owner's. The next owner copies a framed spool before it appends, so that a stale owner
 *   writes into nothing; raw files stay where they are, since the command that writes them lives on.
 * - An append is one write at the end of the last whole record; one that failed half-way is cut before the next.
 * - `keep` links and does not move: what a spool holds is there until the commit that settles its task has been stored.
 * - What stands in the folder is known in memory from the opening on; nobody else makes names there but for the raw
 *   files, which are probed.
 */
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, readdirSync, writeSync } from "node:fs"
import { open, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { assert } from "../std/assert.ts"
import { errorCode } from "../std/files.ts"
import { fileMode, makeFolder } from "./folder.ts"
import type { SessionPaths } from "./folder.ts"
import { Outputs } from "./outputs.ts"
import type { TaskId } from "./records.ts"
import { frame, readFrames } from "./spool-frames.ts"
import { outputLimits, type RawFiles, type Spool, type Spools } from "./spool.ts"

const spoolName = /^(\d+)\.(\d+)\.(\d+)(\.out|\.status|\.begun)?$/
/** Spools of tasks that the ledger does not know: a power cut took the commit. Kept apart, for a person to look at. */
const asideName = "unknown"

export type TaskStanding = "live" | "ended" | "unknown"

export class SpoolFiles implements Spools {
  readonly #folder: string
  readonly #epoch: number
  readonly #outputs: Outputs
  /** Epochs under which files of (task, attempt) may stand, oldest first. */
  readonly #epochs = new Map<string, number[]>()

  constructor(paths: SessionPaths, epoch: number) {
    this.#folder = paths.spool
    this.#epoch = epoch
    this.#outputs = new Outputs(paths.output)
    makeFolder(this.#folder)
    for (const name of readdirSync(this.#folder)) {
      const parts = spoolName.exec(name)
      if (parts) this.#note(Number(parts[1]), Number(parts[2]), Number(parts[3]))
    }
  }

  /** Removes what ended tasks left behind and puts aside what nobody knows. */
  async sweep(standing: (task: TaskId) => Promise<TaskStanding>): Promise<void> {
    const tasks = new Set([...this.#epochs.keys()].map((key) => Number(key.split(".")[0])))
    for (const task of tasks) {
      const found = await standing(task)
      if (found === "ended") await this.drop(task)
      if (found === "unknown") await this.#putAside(task)
    }
  }

  open(task: TaskId, attempt: number, how?: "new"): Spool {
    const path = this.#path(task, attempt, this.#epoch)
    const before = how === "new" ? null : this.#framed(task, attempt)
    const bytes = before === null ? new Uint8Array() : readFileSync(before)
    const { end, size } = readFrames(bytes)
    const fd = openSync(path, before === path ? "r+" : "w+", fileMode)
    this.#note(task, attempt, this.#epoch)
    try {
      if (before === path) ftruncateSync(fd, end)
      else if (end > 0) writeWhole(fd, bytes.subarray(0, end), 0)
    } catch (error) {
      closeSync(fd)
      throw error
    }
    return new SpoolFile(task, attempt, fd, end, size)
  }

  async read(task: TaskId, attempt: number): Promise<readonly string[]> {
    const path = this.#framed(task, attempt)
    return path === null ? [] : readFrames(await readFile(path)).payloads
  }

  files(task: TaskId, attempt: number): RawFiles {
    const own = this.#path(task, attempt, this.#epoch)
    const base = this.#rawBase(task, attempt) ?? own
    this.#note(task, attempt, this.#epoch)
    return { output: `${base}.out`, status: `${base}.status`, begun: `${own}.begun` }
  }

  async keep(task: TaskId, attempt: number, limits = outputLimits): Promise<string | null> {
    const raw = this.#rawBase(task, attempt)
    if (raw !== null && existsSync(`${raw}.out`)) return this.#outputs.keep(task, `${raw}.out`, limits)
    const payloads = await this.read(task, attempt)
    return payloads.length === 0 ? null : this.#outputs.write(task, payloads.join(""), limits)
  }

  outputPath(task: TaskId): string {
    return this.#outputs.path(task)
  }

  async readOutput(
    task: TaskId,
    attempt: number,
    from: number,
    to: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
    const raw = this.#rawBase(task, attempt)
    const live = raw === null ? null : await readSlice(`${raw}.out`, from, to)
    return live ?? (await readSlice(this.#outputs.path(task), from, to)) ?? { bytes: new Uint8Array(), size: 0 }
  }

  /** What cannot be looked at now is swept at the next opening. */
  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder)
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      return []
    }
  }

  async drop(task: TaskId, attempt?: number): Promise<void> {
    const isIts = (ofTask: string | undefined, ofAttempt: string | undefined): boolean =>
      Number(ofTask) === task && (attempt === undefined || Number(ofAttempt) === attempt)
    const names = this.#names().filter((name) => {
      const parts = spoolName.exec(name)
      return parts !== null && isIts(parts[1], parts[2])
    })
    await Promise.all(names.map((name) => rm(join(this.#folder, name), { force: true })))
    for (const key of [...this.#epochs.keys()]) {
      const [ofTask, ofAttempt] = key.split(".")
      if (isIts(ofTask, ofAttempt)) this.#epochs.delete(key)
    }
  }

  async #putAside(task: TaskId): Promise<void> {
    const aside = join(this.#folder, asideName)
    makeFolder(aside)
    for (const name of readdirSync(this.#folder)) {
      if (spoolName.exec(name)?.[1] === String(task)) await rename(join(this.#folder, name), join(aside, name))
    }
    for (const key of [...this.#epochs.keys()]) if (key.startsWith(`${task}.`)) this.#epochs.delete(key)
  }

  #path(task: TaskId, attempt: number, epoch: number): string {
    return join(this.#folder, `${task}.${attempt}.${epoch}`)
  }

  /** The framed spool of the newest owner. */
  #framed(task: TaskId, attempt: number): string | null {
    return this.#newest(task, attempt, (base) => existsSync(base))
  }

  /** What the raw files of the newest owner have in common. */
  #rawBase(task: TaskId, attempt: number): string | null {
    return this.#newest(task, attempt, (base) => existsSync(`${base}.out`) || existsSync(`${base}.status`))
  }

  #newest(task: TaskId, attempt: number, stands: (base: string) => boolean): string | null {
    const epochs = this.#epochs.get(`${task}.${attempt}`) ?? []
    const found = epochs.findLast((epoch) => stands(this.#path(task, attempt, epoch)))
    return found === undefined ? null : this.#path(task, attempt, found)
  }

  #note(task: TaskId, attempt: number, epoch: number): void {
    assert(task > 0 && attempt > 0, `a spool is of a task and an attempt: ${task}.${attempt}`)
    const key = `${task}.${attempt}`
    const epochs = this.#epochs.get(key) ?? []
    if (!epochs.includes(epoch))
      this.#epochs.set(
        key,
        [...epochs, epoch].sort((one, other) => one - other),
      )
  }
}

class SpoolFile implements Spool {
  readonly task: TaskId
  readonly attempt: number
  readonly #fd: number
  #end: number
  #size: number
  #torn = false
  #open = true

  constructor(task: TaskId, attempt: number, fd: number, end: number, size: number) {
    this.task = task
    this.attempt = attempt
    this.#fd = fd
    this.#end = end
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  append(payload: string): number {
    assert(this.#open, "a spool is appended to while it is open")
    const begin = this.#size
    if (payload === "") return begin
    const record = frame(payload)
    if (this.#torn) ftruncateSync(this.#fd, this.#end)
    this.#torn = true
    writeWhole(this.#fd, record, this.#end)
    this.#torn = false
    this.#end += record.length
    this.#size += Buffer.byteLength(payload)
    return begin
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    closeSync(this.#fd)
  }
}

/** One write, as the rule is; a file system that takes less is asked for the rest, and says then why. */
function writeWhole(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
}

async function readSlice(
  path: string,
  from: number,
  to: number,
): Promise<{ readonly bytes: Uint8Array; readonly size: number } | null> {
  if (!existsSync(path)) return null
  const file = await open(path, "r")
  try {
    const { size } = await file.stat()
    const bytes = new Uint8Array(Math.max(0, Math.min(to, size) - from))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
    return { bytes: bytes.subarray(0, bytesRead), size }
  } finally {
    await file.close()
  }
}
