/**
 * The one place where the state changes, and the pace at which changes are drawn.
 *
 * - What a key did is drawn in the same turn of the event loop, whatever streams. What streams is drawn at the pace of a screen; how often a
 *   view scrolls to follow its end is its own affair.
 * - A burst of events is drawn once. With nothing to draw there is no timer.
 */
import type { Clock } from "../std/clock.ts"
import type { ScreenState } from "./state.ts"
import { update, type ScreenEvent } from "./update.ts"

/** Milliseconds between two paints of text that streams, here and over a network; and of commits, which come singly. */
const streamMs = 33
const streamRemoteMs = 100
/** The same, for text that comes faster than it is scrolled. */
const crowdedMs = 100
const crowdedRemoteMs = 200
const commitMs = 33

/** `content` says that the view may be drawn too, and not only what a key changed. */
export type Draw = (state: ScreenState, content: boolean) => void

export type Listener = (state: ScreenState, before: ScreenState, event: ScreenEvent) => void

/** Events after which the view shows something else. */
const contentEvents: ReadonlySet<string> = new Set(["older", "session.left", "conversation"])

export class Store {
  readonly #clock: Clock
  readonly #streamMs: number
  readonly #crowdedMs: number
  readonly #crowded: () => boolean
  readonly #listeners = new Set<Listener>()
  #state: ScreenState
  #draw: Draw | null = null
  #soon = false
  #due = false
  #cancel: (() => void) | null = null
  #dueAt = Number.POSITIVE_INFINITY
  #paintedAt = Number.NEGATIVE_INFINITY

  /** `crowded`: what came last is not all to be seen before the next scroll. */
  constructor(state: ScreenState, options: { readonly clock: Clock; readonly remote: boolean; crowded?(): boolean }) {
    this.#state = state
    this.#clock = options.clock
    this.#streamMs = options.remote ? streamRemoteMs : streamMs
    this.#crowdedMs = options.remote ? crowdedRemoteMs : crowdedMs
    this.#crowded = () => options.crowded?.() ?? false
  }

  get state(): ScreenState {
    return this.#state
  }

  drawWith(draw: Draw): void {
    this.#draw = draw
  }

  /** Hears every change, before it is drawn. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  dispatch(event: ScreenEvent): void {
    const before = this.#state
    const after = update(before, event)
    if (after === before) return
    this.#state = after
    for (const listener of this.#listeners) listener(after, before, event)
    if (event.type !== "frame") return this.#drawSoon(contentEvents.has(event.type))
    // The first snapshot is what a person waits for.
    if (event.frame.type === "snapshot") return this.#drawSoon(true)
    if (event.frame.type !== "progress") return this.#drawAfter(commitMs)
    this.#drawAfter(this.#crowded() ? this.#crowdedMs : this.#streamMs)
  }

  /** Draw again though nothing changed: the theme's colours, the size of the terminal. */
  redraw(): void {
    this.#drawSoon(true)
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#draw = null
  }

  #drawSoon(content: boolean): void {
    this.#due ||= content
    if (this.#soon) return
    this.#soon = true
    queueMicrotask(() => {
      this.#soon = false
      this.#paint(this.#due)
    })
  }

  #drawAfter(ms: number): void {
    const now = this.#clock.monotonic()
    const at = Math.max(now, this.#paintedAt + ms)
    if (at >= this.#dueAt) return
    this.#cancel?.()
    this.#dueAt = at
    if (at <= now) return this.#drawSoon(true)
    this.#cancel = this.#clock.after(at - now, () => this.#paint(true))
  }

  #paint(content: boolean): void {
    if (content) {
      this.#due = false
      this.#cancel?.()
      this.#cancel = null
      this.#dueAt = Number.POSITIVE_INFINITY
      this.#paintedAt = this.#clock.monotonic()
    }
    this.#draw?.(this.#state, content)
  }
}
