/** The executable in a terminal that remembers what it wrote, and when. */
import type { Machine } from "../support/binary.ts"

export const size = { cols: 100, rows: 30 }
/** Where the cursor stands in an empty editor. */
export const editor = { row: size.rows - 1, column: 3 }

/** A program in a terminal that remembers what it wrote and wakes who waits for it. */
export class Watched implements AsyncDisposable {
  readonly #started = performance.now()
  readonly #child: Bun.Subprocess
  readonly #terminal: Bun.Terminal
  #text = ""
  #waiting: (() => void)[] = []
  bytes = 0
  /** Where each piece of output ends in the text, and when it came. */
  readonly pieces: { readonly end: number; readonly at: number }[] = []

  constructor(command: readonly string[], machine: Machine) {
    const decoder = new TextDecoder()
    this.#terminal = new Bun.Terminal({
      ...size,
      data: (_, bytes) => {
        this.bytes += bytes.length
        this.#text += decoder.decode(bytes, { stream: true })
        this.pieces.push({ end: this.#text.length, at: performance.now() })
        for (const wake of this.#waiting.splice(0)) wake()
      },
    })
    this.#child = Bun.spawn([...command], { terminal: this.#terminal, env: { ...machine.env }, cwd: machine.work })
  }

  get pid(): number {
    return this.#child.pid
  }

  get sinceStart(): number {
    return performance.now() - this.#started
  }

  get length(): number {
    return this.#text.length
  }

  get text(): string {
    return this.#text
  }

  write(text: string): void {
    this.#terminal.write(text)
  }

  /** Resolves when `wanted` is written after `from`. */
  async says(wanted: string, from = 0): Promise<void> {
    while (this.#text.indexOf(wanted, from) === -1) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Milliseconds from a key to the frame that has it: its cursor stands behind it. */
  async key(place: number): Promise<number> {
    const from = this.length
    const pressed = performance.now()
    this.write("k")
    await this.says(`\x1b[${editor.row};${editor.column + place}H\x1b[?25h`, from)
    return performance.now() - pressed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#child.exited
    this.#terminal.close()
  }
}
