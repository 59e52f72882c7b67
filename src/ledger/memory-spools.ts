/** Spools without a disk: progress is kept until its process ends; there are no raw files and nothing to keep. */
import { assert } from "../std/assert.ts"
import type { TaskId } from "./records.ts"
import type { Spool, Spools } from "./spool.ts"

type Kept = { readonly payloads: string[]; size: number }

export class MemorySpools implements Spools {
  readonly #spools = new Map<string, Kept>()

  open(task: TaskId, attempt: number, how?: "new"): Spool {
    const key = `${task}.${attempt}`
    const before = how === "new" ? undefined : this.#spools.get(key)
    const kept = before ?? { payloads: [], size: 0 }
    this.#spools.set(key, kept)
    let open = true
    return {
      task,
      attempt,
      get size() {
        return kept.size
      },
      append(payload) {
        assert(open, "a spool is appended to while it is open")
        const begin = kept.size
        if (payload === "") return begin
        kept.payloads.push(payload)
        kept.size += Buffer.byteLength(payload)
        return begin
      },
      close() {
        open = false
      },
    }
  }

  async read(task: TaskId, attempt: number): Promise<readonly string[]> {
    return [...(this.#spools.get(`${task}.${attempt}`)?.payloads ?? [])]
  }

  files(): null {
    return null
  }

  async keep(): Promise<null> {
    return null
  }

  outputPath(): null {
    return null
  }

  async readOutput(): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
    return { bytes: new Uint8Array(), size: 0 }
  }

  async drop(task: TaskId, attempt?: number): Promise<void> {
    for (const key of [...this.#spools.keys()]) {
      const [ofTask, ofAttempt] = key.split(".").map(Number)
      if (ofTask === task && (attempt === undefined || ofAttempt === attempt)) this.#spools.delete(key)
    }
  }
}
