/**
 * From key presses to commands. One handler hears every key; nothing below it binds keys of its own.
 *
 * - Contexts are asked innermost first: overlay, a sequence that has begun, the focused panel, the editor, global. The first command that
 *   applies has the key; when none does, the key is free: text for whatever takes text.
 * - Two Escapes that came as one event are two. A letter of another alphabet with Ctrl or Alt counts by its place on the keyboard.
 * - A sequence waits for its next key as long as the keymap says. Where what may follow is shown after a moment, it waits until that can be read;
 *   but a sequence of letters where text is typed never waits longer.
 * - Text that comes at once is handed on at once, as one piece. A line break behind it waits for a moment: if more text follows, it was pasted
 *   by a terminal that does not mark pastes, and is a line break; else it is Enter. So such a paste sends at most one input.
 */
import type { KeyEvent } from "@opentui/core"
import { chordsOf, type Chord } from "../home/chord.ts"
import { expire, noKeys, press, type Match, type MatchState } from "../home/key-match.ts"
import type { Keymap, Run } from "../home/keymap.ts"
import type { Clock } from "../std/clock.ts"

/** Keys closer together than this were not typed by hand, also where a terminal sends them one by one. */
const burstGapMs = 4
/** So many characters at once are a paste, of which more may be on its way; fewer may be a quick hand over a slow line. */
const burstCharsMin = 24
/** How long a paste, or a line break that came with text, waits for what may follow. */
const burstHoldMs = 20
/** How long a sequence waits while what may follow is on the screen: to read it all, not to be found an hour later. */
const hintsReadMs = 15_000

export type KeysOptions = {
  readonly clock: Clock
  keymap(): Keymap
  /** Innermost first, for the state as it is now. */
  contexts(): readonly string[]
  /** True when the command applied. */
  run(run: Run): boolean
  /** True where a command waits for one character: the next key is that, whatever it is bound to. */
  awaiting(): boolean
  /** A key that is no character came instead. */
  stopAwaiting(): void
  /** Text that no command wanted. */
  type(text: string): void
  /** A key that no command wanted and that is no text: for a field that edits by itself. */
  rest(event: KeyEvent): void
  /** True where a key that is nothing else is text: in the editor, a dialog, the search line. */
  typing(): boolean
  /** After so many milliseconds what may follow is shown; 0: never. */
  hintsMs(): number
  /** The keys of a sequence that has begun; empty when it is over. `hints`: what may follow is to be shown. */
  pending(keys: readonly Chord[], hints: boolean): void
}

const printable = /^[^\x00-\x1f\x7f-\x9f]+$/u

/** What the key types, or undefined. Input methods commit several characters in one event. */
export function textOf(
  event: Pick<KeyEvent, "ctrl" | "meta" | "super" | "hyper" | "sequence" | "name">,
): string | undefined {
  if (event.ctrl || event.meta || event.super === true || event.hyper === true) return undefined
  return printable.test(event.sequence) ? event.sequence : undefined
}

export class Keys {
  readonly #options: KeysOptions
  #state: MatchState = noKeys
  /** The text of the keys that are pending, for the case that they turn out to be text. */
  #held = ""
  #cancelExpiry: (() => void) | null = null
  #cancelHints: (() => void) | null = null
  #hints = false
  /** Text that came at once and was not handed on yet, and the line break behind it, which may be Enter. */
  #gathered = ""
  /** Characters that came in a run without a gap, and when the last one was dealt with. */
  #run = 0
  #lastAt = Number.NEGATIVE_INFINITY
  #enter: KeyEvent | null = null
  #behindPaste = false
  #settling = false
  #cancelWait: (() => void) | null = null

  constructor(options: KeysOptions) {
    this.#options = options
  }

  /** A key press. Everything is taken from it: what is left over is handed on by `type` and `rest`. */
  press(event: KeyEvent): void {
    if (event.eventType === "release") return
    event.preventDefault()
    const { clock } = this.#options
    const text = textOf(event)
    if (clock.monotonic() - this.#lastAt > burstGapMs) {
      this.#run = 0
      this.#behindPaste = false
    }
    this.#run += text?.length ?? 0
    if (text === undefined) this.#pressOther(event)
    // In the middle of a paste nothing is looked up.
    else if (this.#gathered !== "" && this.#isPaste()) this.#gather(text, null)
    else this.#handle(event, text)
    this.#lastAt = clock.monotonic()
  }

  #pressOther(event: KeyEvent): void {
    if (this.#behindPaste && !isEnter(event) && !isTab(event)) return
    if (isEnter(event) && (this.#gathered !== "" || this.#run >= burstCharsMin)) return this.#gather("", event)
    if (isTab(event) && this.#isPaste()) return this.#gather("\t", null)
    this.flush()
    this.#handle(event, undefined)
  }

  close(): void {
    this.#cancelExpiry?.()
    this.#cancelHints?.()
    this.#cancelWait?.()
  }

  #isPaste(): boolean {
    return this.#enter !== null || this.#gathered.includes("\n") || this.#run >= burstCharsMin
  }

  /** Text goes behind a line break that was held, which thereby is one. */
  #gather(text: string, enter: KeyEvent | null): void {
    this.#gathered += (this.#enter === null ? "" : "\n") + text
    this.#enter = enter
    if (this.#settling) return
    this.#settling = true
    queueMicrotask(() => this.#settle())
  }

  /** All that came at once has been heard. */
  #settle(): void {
    this.#settling = false
    this.#cancelWait?.()
    this.#cancelWait = null
    if (this.#isPaste()) this.#cancelWait = this.#options.clock.after(burstHoldMs, () => this.flush())
    else this.flush()
  }

  /** A paste came that the terminal marked. What follows at once was in it, behind an end mark of its own making, and presses no keys. */
  pasted(): void {
    this.#run = burstCharsMin
    this.#behindPaste = true
    this.#lastAt = this.#options.clock.monotonic()
  }

  /** A second end mark: what came since the first one was in the paste, its last line break included. */
  pasteEnded(): void {
    if (this.#behindPaste && this.#enter !== null) this.#gather("", null)
  }

  /** Hands on what was held: something else than a key came. */
  flush(): void {
    this.#cancelWait?.()
    this.#cancelWait = null
    const [text, enter] = [this.#gathered, this.#enter]
    this.#gathered = ""
    this.#enter = null
    if (text !== "") this.#options.type(text)
    if (enter !== null) this.#handle(enter, undefined)
  }

  #handle(event: KeyEvent, text: string | undefined): void {
    const options = this.#options
    if (options.awaiting()) {
      if (text !== undefined) return options.type(text)
      options.stopAwaiting()
      if (event.name === "escape") return
    }
    for (const chord of chordsOf(event)) {
      this.#cancelExpiry?.()
      this.#cancelExpiry = null
      this.#cancelHints?.()
      this.#cancelHints = null
      const pressed = press(this.#state, chord, options.contexts(), options.keymap())
      this.#take(pressed.state, pressed.match, text, event)
    }
  }

  #take(state: MatchState, match: Match, text: string | undefined, event: KeyEvent | null): void {
    const options = this.#options
    const before = this.#held
    this.#state = state
    this.#held = ""
    if (match.type === "pending") {
      this.#held = before + (text ?? "")
      return this.#await(match.chords, match.timeoutMs)
    }
    this.#hints = false
    options.pending([], false)
    if (match.type === "dropped") return
    if (match.type === "commands") {
      this.flush()
      for (const run of match.commands) if (options.run(run)) return
      // The last key of a sequence is no text by itself, only with those before it.
      if (match.chords.length > 1 && before === "") return
    }
    const free = before + (text ?? "")
    if (free !== "") this.#gather(free, null)
    else if (event !== null) options.rest(event)
  }

  /** Waits for the next key of a sequence, and says after a moment that what may follow can be shown. */
  #await(chords: readonly Chord[], timeoutMs: number): void {
    const { clock, pending, hintsMs, typing } = this.#options
    const ms = typing() && this.#held !== "" ? 0 : hintsMs()
    if (ms === 0) this.#hints = false
    const wait = (until: number): void => {
      this.#cancelExpiry?.()
      this.#cancelExpiry = clock.after(until, () => this.#expire())
      pending(chords, this.#hints)
    }
    if (ms === 0 || this.#hints) return wait(this.#hints ? hintsReadMs : timeoutMs)
    // A keymap may give less time than the hints wait: then they come in its place, and with them the time to read.
    wait(Math.max(timeoutMs, ms + 1))
    this.#cancelHints = clock.after(ms, () => {
      this.#cancelHints = null
      this.#hints = true
      wait(hintsReadMs)
    })
  }

  #expire(): void {
    this.#cancelExpiry = null
    const pressed = expire(this.#state, this.#options.contexts(), this.#options.keymap())
    this.#take(pressed.state, pressed.match, undefined, null)
  }
}

function isEnter(event: KeyEvent): boolean {
  return (event.name === "return" || event.name === "linefeed") && !event.ctrl && !event.meta && !event.shift
}

function isTab(event: KeyEvent): boolean {
  return event.name === "tab" && !event.ctrl && !event.meta && !event.shift
}
