/**
 * The terminal while the screen has it, and how it is given back.
 *
 * - Every end that can be caught gives it back whole: the renderer leaves its modes, and we wait until that is written. For what cannot be
 *   caught there is `reset.ts`.
 * - The process is not ended here: whoever started the screen hears how it ended.
 * - Stopped in the background, a process does not hear of a new size: it is asked for when it comes back, before anything is drawn.
 */
import { constants } from "node:os"
import { createCliRenderer, type CliRenderer } from "@opentui/core"
import type { TerminalFacts } from "./options.ts"
import type { Clock } from "../std/clock.ts"

/** A paste of this size is still read; the editor decides what it takes. */
const inputBytesMax = 64 * 1024 * 1024

/** A key waits for the frame before it, at most: what streams has a pace of its own, far below this. */
const maxFps = 125

/** A terminal that is gone never takes the last bytes: the wait for it has an end. */
const closeMsMax = 1_000

/** The one mode that the renderer sets and leaves: grapheme clusters. */
const leftOn = "\x1b[?2027l"

/**
 * How many colours there are is decided by us. The renderer believes names, and writes all colours as red, green and blue where it knows
 * none: a terminal with fewer takes those for something else.
 */
function colorEnvironment({ name, colors }: TerminalFacts): Readonly<Record<string, string>> {
  if (colors === "truecolor") return { TERM: name, COLORTERM: "truecolor" }
  return { TERM: name.includes("256color") ? name : `${name}-256color`, COLORTERM: "" }
}

/** Opens the terminal. `typed` gives, once, what was typed before anybody listened. */
export async function openRenderer(options: {
  readonly mouse: boolean
  readonly terminal: TerminalFacts
}): Promise<{ readonly renderer: CliRenderer; typed(): string }> {
  let early: string | null = ""
  // Keys alone: what a terminal answers begins with an escape and finds its own way.
  const listen = (sequence: string): boolean => {
    if (early !== null && !sequence.startsWith("\x1b")) early += sequence
    return false
  }
  const renderer = await createCliRenderer({
    prependInputHandlers: [listen],
    environment: colorEnvironment(options.terminal),
    exitOnCtrlC: false,
    exitSignals: [],
    maxFps,
    useMouse: options.mouse,
    enableMouseMovement: false,
    autoFocus: false,
    consoleMode: "disabled",
    openConsoleOnError: false,
    externalOutputMode: "passthrough",
    screenMode: "alternate-screen",
    useKittyKeyboard: {},
    stdinParserMaxBufferBytes: inputBytesMax,
  })
  const typed = (): string => {
    renderer.removeInputHandler(listen)
    // Before the terminal was ours it made a line break of Enter.
    const text = (early ?? "").replaceAll("\n", "\r")
    early = null
    return text
  }
  return { renderer, typed }
}

/** Signals that end the screen: all that would end a process and can be heard by one. */
const endingSignals = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGABRT",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
  "SIGTERM",
  "SIGXCPU",
  "SIGVTALRM",
] as const
export type EndingSignal = (typeof endingSignals)[number]

/** The status that a shell expects of a program that a signal ended. */
export function signalStatus(name: EndingSignal): number {
  return 128 + constants.signals[name]
}

export type TerminalEvents = {
  signal(name: EndingSignal): void
  /** An error that nobody caught: a bug. */
  crashed(error: unknown): void
  /** The terminal is gone: there is nobody to draw for. */
  gone(): void
}

/** Node refreshes the size on a signal that a stopped process does not get. */
type Refreshing = { _refreshSize?: () => void }

export class Terminal {
  readonly #renderer: CliRenderer
  readonly #clock: Clock
  readonly #process: NodeJS.Process | undefined
  readonly #undo: (() => void)[] = []
  #suspended = false

  constructor(
    renderer: CliRenderer,
    given: { readonly process?: NodeJS.Process; readonly clock: Clock },
    events: TerminalEvents,
  ) {
    const { process } = given
    this.#renderer = renderer
    this.#clock = given.clock
    this.#process = process
    if (process === undefined) return
    for (const name of endingSignals) {
      this.#on(process, name, () => events.signal(name))
    }
    this.#on(process, "SIGTSTP", () => void this.suspend())
    this.#on(process, "SIGCONT", () => void this.#stoppedUnasked(process))
    this.#on(process, "uncaughtException", events.crashed)
    this.#on(process, "unhandledRejection", events.crashed)
    this.#on(process.stdin, "end", events.gone)
    this.#on(process.stdin, "error", events.gone)
    this.#on(process.stdout, "error", events.gone)
  }

  /** Gives the terminal to the shell and stops, until the shell lets us go on. False where there is no shell to go to. */
  async suspend(): Promise<boolean> {
    const process = this.#process
    if (process === undefined || this.#suspended || process.platform === "win32") return false
    this.#suspended = true
    const resumed = new Promise<void>((resolve) => process.once("SIGCONT", () => resolve()))
    await this.#goAway()
    process.kill(process.pid, "SIGSTOP")
    await resumed
    await this.#comeBack(process)
    this.#suspended = false
    return true
  }

  /** A stop that cannot be heard is heard of when it is over: the shell may have set the terminal for itself. */
  async #stoppedUnasked(process: NodeJS.Process): Promise<void> {
    if (this.#suspended) return
    this.#suspended = true
    await this.#goAway()
    await this.#comeBack(process)
    this.#suspended = false
  }

  /** Runs `work` with the terminal given back, as for an editor of the person's. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#suspended = true
    await this.#goAway()
    try {
      return await work()
    } finally {
      await this.#comeBack(this.#process)
      this.#suspended = false
    }
  }

  /** Everything again, as on a screen of which nothing is known: the renderer does that for a size that came back to what it was. */
  redraw(): void {
    const { terminalWidth, terminalHeight } = this.#renderer
    this.#renderer.requestResize(terminalWidth, terminalHeight + 1)
    this.#renderer.requestResize(terminalWidth, terminalHeight)
  }

  /** The terminal's title. Nothing is written while another program has the terminal. */
  title(text: string): void {
    if (this.#process !== undefined && !this.#suspended) this.#renderer.setTerminalTitle(text)
  }

  /** One bell. It goes out between frames: inside of one it would end a control sequence. */
  async ring(): Promise<void> {
    if (this.#process === undefined) return
    await this.#renderer.idle()
    this.#process.stdout.write("\x07")
  }

  /** A sequence for the terminal, between frames. Nothing is sent while another program has it. */
  async send(sequence: string): Promise<void> {
    if (this.#process === undefined || this.#suspended) return
    await this.#renderer.idle()
    this.#process.stdout.write(sequence)
  }

  /** Resolves when the terminal is as it was. */
  async close(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo()
    try {
      if (!this.#renderer.isDestroyed) this.#renderer.destroy()
      const late = Promise.withResolvers<void>()
      const cancel = this.#clock.after(closeMsMax, late.resolve)
      await Promise.race([this.#renderer.closed, late.promise])
      cancel()
    } catch {
      // The library throws when its last bytes find no terminal: there is nothing left to give back.
      return
    }
    this.#process?.stdout.write(leftOn)
  }

  async #goAway(): Promise<void> {
    await this.#renderer.suspend()
    this.#process?.stdout.write(leftOn)
  }

  async #comeBack(process: NodeJS.Process | undefined): Promise<void> {
    if (process !== undefined) (process.stdout as Refreshing)._refreshSize?.()
    await this.#renderer.resume()
    const columns = process?.stdout.columns ?? this.#renderer.terminalWidth
    const rows = process?.stdout.rows ?? this.#renderer.terminalHeight
    this.#renderer.resize(columns, rows)
  }

  #on(emitter: NodeJS.EventEmitter, name: string, listener: (value: unknown) => void): void {
    emitter.on(name, listener)
    this.#undo.push(() => emitter.off(name, listener))
  }
}
