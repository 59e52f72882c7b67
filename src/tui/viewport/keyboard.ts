/** Selecting with the keyboard, as something that is on or off: what `copy-mode.ts` does while it is on. */
import type { RowBlock } from "../rows/content.ts"
import { CopyMode, type CopyMove, type CopyUnit } from "./copy-mode.ts"
import type { Range } from "./draw.ts"
import type { Position } from "./place.ts"
import type { Shift } from "./store.ts"
import type { Window } from "./window.ts"

export class Keyboard<B extends RowBlock> {
  readonly #window: Window<B>
  readonly #changed: () => void
  #mode: CopyMode<B> | null = null

  constructor(window: Window<B>, changed: () => void) {
    this.#window = window
    this.#changed = changed
  }

  get cursor(): Position | null {
    return this.#mode?.cursor ?? null
  }

  get range(): Range | null {
    return this.#mode?.range ?? null
  }

  /** What a copy takes; null while it is off. */
  text(): string | null {
    return this.#mode?.text() ?? null
  }

  /** False where there is nothing to select. */
  open(): boolean {
    this.#mode ??= CopyMode.open(this.#window) ?? null
    return this.#did(this.#mode !== null)
  }

  close(): boolean {
    const open = this.#mode !== null
    this.#mode = null
    return this.#did(open)
  }

  move(to: CopyMove): boolean {
    return this.#did(this.#mode?.move(to) ?? false)
  }

  mark(by: CopyUnit): boolean {
    this.#mode?.mark(by)
    return this.#did(this.#mode !== null)
  }

  swapEnds(): boolean {
    return this.#did(this.#mode?.swapEnds() ?? false)
  }

  goTo(position: Position): void {
    this.#mode?.goTo(position)
  }

  shift(shift: Shift): void {
    this.#mode?.shift(shift)
  }

  #did(happened: boolean): boolean {
    if (happened) this.#changed()
    return happened
  }
}
