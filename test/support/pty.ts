/**
 * A program in a pseudo terminal, byte by byte: what it wrote, which modes it left on, and how it ended.
 *
 * - Waits look again and again until what is expected is there; a ceiling ends a wait for what never comes.
 */
import { eventually } from "./eventually.ts"

/** Private modes by number, as `CSI ? n h` and `CSI ? n l` set and reset them. */
const modePattern = /\x1b\[\?([\d;]+)([hl])/g

export class Pty implements AsyncDisposable {
  readonly #child: Bun.Subprocess
  readonly #terminal: Bun.Terminal
  #text = ""

  constructor(
    command: readonly string[],
    options: {
      readonly columns?: number
      readonly rows?: number
      readonly env?: Record<string, string>
      readonly cwd?: string
    } = {},
  ) {
    const decoder = new TextDecoder("utf-8")
    this.#terminal = new Bun.Terminal({
      cols: options.columns ?? 80,
      rows: options.rows ?? 24,
      data: (_, bytes) => {
        this.#text += decoder.decode(bytes, { stream: true })
      },
    })
    this.#child = Bun.spawn([...command], {
      terminal: this.#terminal,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: "/nonexistent",
        TERM: "xterm-256color",
        COLORTERM: "truecolor",
        ...options.env,
      },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    })
  }

  get pid(): number {
    return this.#child.pid
  }

  /** All that was written so far. */
  get text(): string {
    return this.#text
  }

  /** Modes that are on after all that was written. */
  get modes(): readonly number[] {
    const on = new Set<number>()
    for (const [, numbers = "", end] of this.#text.matchAll(modePattern)) {
      for (const number of numbers.split(";").map(Number)) {
        if (end === "h") on.add(number)
        else on.delete(number)
      }
    }
    return [...on].sort((a, b) => a - b)
  }

  write(bytes: string): void {
    this.#terminal.write(bytes)
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
  }

  /** The terminal goes away, as when its window is closed. */
  close(): void {
    this.#terminal.close()
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits until `wanted` was written after `from` code units. */
  async says(wanted: string, from = 0): Promise<void> {
    await eventually(
      () => this.#text.indexOf(wanted, from) !== -1,
      () => `${JSON.stringify(wanted)} was not written: ${JSON.stringify(this.#text.slice(-2_000))}`,
    )
  }

  /** The exit status, or the signal that ended it. What it wrote last may come after that: wait for it with `says`. */
  async ended(): Promise<number | string> {
    const status = await this.#child.exited
    return this.#child.signalCode ?? status
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#child.exited
    this.#terminal.close()
  }
}
