/**
 * Standard output and error as what they may be: a pipe whose reader has gone, a full disk, a reader that is slow or never reads.
 *
 * - Writing never throws and never blocks: text waits here, in order, while a write is under way. The first failure is kept, and all text
 *   after it goes nowhere.
 * - Whoever writes much looks at `waiting` and leaves out what can be left out.
 */
import { write } from "node:fs"
import type { Json } from "../std/json.ts"
import { errorCode } from "../std/files.ts"

/** How long a pipe that takes nothing just now is left alone. */
const againMs = 5

export class Output {
  readonly #fd: number
  #text = ""
  #writing: Promise<void> | null = null
  #failure: Error | null = null
  readonly #onFailure = new Set<(failure: Error) => void>()

  constructor(fd: 1 | 2) {
    this.#fd = fd
  }

  get failure(): Error | null {
    return this.#failure
  }

  /** Code units that have not been handed to the system yet. */
  get waiting(): number {
    return this.#text.length
  }

  /** Calls `heard` at the first failure. */
  onFailure(heard: (failure: Error) => void): void {
    this.#onFailure.add(heard)
  }

  write(text: string): void {
    if (this.#failure !== null || text === "") return
    this.#text += text
    this.#writing ??= this.#drain()
  }

  /** Resolves when all has been written, or cannot be. */
  async flushed(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #drain(): Promise<void> {
    while (this.#text !== "" && this.#failure === null) {
      const bytes = Buffer.from(this.#text)
      this.#text = ""
      for (let at = 0; at < bytes.length && this.#failure === null;) at += await this.#some(bytes, at)
    }
    this.#writing = null
  }

  /** Bytes that were taken of what begins at `at`. */
  #some(bytes: Buffer, at: number): Promise<number> {
    return new Promise((resolve) => {
      write(this.#fd, bytes, at, bytes.length - at, null, (error, written) => {
        if (error === null) return resolve(written)
        const code = errorCode(error)
        if (code === "EAGAIN" || code === "EINTR") return setTimeout(() => resolve(0), againMs)
        this.#fail(error)
        resolve(0)
      })
    })
  }

  #fail(error: Error): void {
    this.#failure = error
    this.#text = ""
    for (const heard of this.#onFailure) heard(error)
  }
}

/** True where the reader has gone: it wanted no more, which is no failure of ours. */
export function isReaderGone(error: Error): boolean {
  return ["EPIPE", "EIO", "EBADF", "ENXIO"].includes(errorCode(error) ?? "")
}

/** What JSON may hold as it is and a terminal, or a reader that takes more than LF for the end of a line, would obey. */
const obeyed = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A value as one line, with no character in it that does anything. */
export function jsonLine(value: Json): string {
  const text = JSON.stringify(value)
  return `${text.replace(obeyed, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`
}
