/**
 * An output that grows without end: its head is freed while it runs, so that no more is on the disk than will be kept, and in the end the
 * command is ended for it.
 *
 * - What is freed is remembered first: nobody takes the zeros that stand there then for output.
 * - Where the file system cannot free a part of a file, the whole of it stands until the last limit.
 */
import { dlopen, FFIType } from "bun:ffi"
import { closeSync, openSync } from "node:fs"
import type { ToolContext } from "./tool.ts"
import { captureHeadBytes, captureTailBytes } from "./output.ts"

/** Under which name a call's facts say how many bytes of its output, from the beginning, are not there any more. */
export const freedFact = "freed"

/** Freed at a time: each time costs a commit. */
const stepBytesMax = 8 * 1024 * 1024
/** File systems free whole blocks. */
const blockBytes = 4096
/** The beginning stays, for the result. */
const headBytes = Math.ceil(captureHeadBytes / blockBytes) * blockBytes

const keepSizeAndPunchHole = 3

type Fallocate = (fd: number, mode: number, offset: number, length: number) => number

let loaded: Fallocate | null | undefined

function fallocate(): Fallocate | null {
  if (loaded !== undefined) return loaded
  loaded = null
  if (process.platform !== "linux") return loaded
  for (const name of ["libc.so.6", "libc.so"]) {
    try {
      const args = [FFIType.i32, FFIType.i32, FFIType.i64_fast, FFIType.i64_fast]
      const { symbols } = dlopen(name, { fallocate: { args, returns: FFIType.i32 } })
      loaded = symbols.fallocate as Fallocate
      return loaded
    } catch {
      // Another C library has it, or none: then nothing is freed.
      continue
    }
  }
  return loaded
}

/** Gives the blocks from byte `from` to byte `to` back to the disk; false where that cannot be done. */
function free(path: string, from: number, to: number): boolean {
  const call = fallocate()
  if (call === null) return false
  const file = openSync(path, "r+")
  try {
    return call(file, keepSizeAndPunchHole, from, to - from) === 0
  } finally {
    closeSync(file)
  }
}

export type GrowthLimits = {
  /** Bytes of its end that are kept when it has ended; absent: all. */
  readonly kept?: number
  /** Bytes at which its command is ended. */
  readonly most: number
  /** What an agent before this one freed. */
  readonly freed: number
}

/** Watches over the size of an output. */
export class OutputGrowth {
  readonly #path: string
  readonly #limits: GrowthLimits
  readonly #context: ToolContext
  readonly #over = new AbortController()
  #size = 0
  #freed: number
  #freeing = false

  constructor(path: string, limits: GrowthLimits, context: ToolContext) {
    this.#path = path
    this.#limits = limits
    this.#context = context
    this.#freed = Math.max(headBytes, limits.freed)
  }

  /** Fires when there is more than there may be. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  grew(bytes: number): void {
    this.#size += bytes
    const { most } = this.#limits
    const kept = Math.max(captureTailBytes, this.#limits.kept ?? Infinity)
    if (this.#size >= most) this.#over.abort()
    const upTo = Math.floor((this.#size - kept) / blockBytes) * blockBytes
    const step = Math.min(stepBytesMax, Math.max(blockBytes, kept / 4))
    if (this.#freeing || upTo - this.#freed < step) return
    this.#freeing = true
    void this.#free(upTo)
  }

  async #free(upTo: number): Promise<void> {
    const from = this.#freed
    try {
      await this.#context.remember({ [freedFact]: upTo })
      this.#freeing = !free(this.#path, from, upTo)
      // What cannot be freed stands there still, and will: it is not tried again.
      if (this.#freeing) await this.#context.remember({ [freedFact]: from === headBytes ? this.#limits.freed : from })
      else this.#freed = upTo
    } catch (error) {
      // A session that takes nothing more says so itself, and nothing is freed that nobody is told of; nor is what has gone meanwhile.
      if (!(error instanceof Error)) throw error
    }
  }
}
