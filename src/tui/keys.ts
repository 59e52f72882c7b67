/**
 * From key presses to commands. One handler hears every key; nothing below it binds keys of its own.
 *
 * - Contexts are asked innermost first: overlay, a sequence that has begun, the focused panel, the editor, global. The first command that
 *   applies has the key; when none does, the key is free: text for whatever takes text.
 * - Two Escapes that came as one event are two. A letter of another alphabet with Ctrl or Alt counts by its place on the keyboard.
 * - A line break that comes in the same burst as the text before it is held for a moment: if more text follows, it was pasted by a terminal
 *   that does not mark pastes, and is a line break; else it is Enter.
 */
import type { KeyEvent } from "@opentui/core"
import { chordsOf, type Chord } from "../home/chord.ts"
import { expire, noKeys, press, type Match, type MatchState } from "../home/key-match.ts"
import type { Keymap, Run } from "../home/keymap.ts"
import type { Clock } from "../std/clock.ts"

/** Keys closer together than this were not typed by hand. */
const burstGapMs = 4
/** So many characters in a burst are a paste; fewer may be a quick hand over a slow line. */
const burstCharsMin = 24
/** How long a line break of a burst waits for what may follow. */
const burstHoldMs = 12

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
  /** The keys of a sequence that has begun; empty when it is over. */
  pending(keys: readonly Chord[]): void
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
  #burst = 0
  #lastAt = Number.NEGATIVE_INFINITY
  #heldEnter: { readonly event: KeyEvent; readonly cancel: () => void } | null = null

  constructor(options: KeysOptions) {
    this.#options = options
  }

  /** A key press. Everything is taken from it: what is left over is handed on by `type` and `rest`. */
  press(event: KeyEvent): void {
    if (event.eventType === "release") return
    event.preventDefault()
    this.#settleEnter(event)
    const text = textOf(event)
    if (this.#countBurst(text) && isEnter(event)) return this.#holdEnter(event)
    this.#handle(event, text)
  }

  close(): void {
    this.#cancelExpiry?.()
    this.#heldEnter?.cancel()
  }

  /** True when this key belongs to a burst long enough to be a paste. */
  #countBurst(text: string | undefined): boolean {
    const now = this.#options.clock.monotonic()
    const joined = now - this.#lastAt <= burstGapMs
    this.#lastAt = now
    this.#burst = joined ? this.#burst + (text?.length ?? 0) : (text?.length ?? 0)
    return joined && this.#burst >= burstCharsMin
  }

  #holdEnter(event: KeyEvent): void {
    const cancel = this.#options.clock.after(burstHoldMs, () => {
      this.#heldEnter = null
      this.#handle(event, undefined)
    })
    this.#heldEnter = { event, cancel }
  }

  /** More came after a held line break: it was part of the text. */
  #settleEnter(next: KeyEvent): void {
    const held = this.#heldEnter
    if (held === null) return
    held.cancel()
    this.#heldEnter = null
    if (isEnter(next) || textOf(next) !== undefined) this.#options.type("\n")
    else this.#handle(held.event, undefined)
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
      this.#cancelExpiry = options.clock.after(match.timeoutMs, () => this.#expire())
      return options.pending(match.chords)
    }
    options.pending([])
    if (match.type === "dropped") return
    if (match.type === "commands") {
      for (const run of match.commands) if (options.run(run)) return
    }
    const free = before + (text ?? "")
    if (free !== "") options.type(free)
    else if (event !== null) options.rest(event)
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
