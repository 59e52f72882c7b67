/** Time for what changes with time alone: elapsed seconds and countdowns. It stands still when nothing does. */
import type { Store } from "./dispatch.ts"
import type { ScreenOptions } from "./options.ts"
import type { ScreenState } from "./state.ts"
import { needsTicks, tickMs, tickRemoteMs } from "./status/activity.ts"

export class Ticker {
  readonly #store: Store
  readonly #options: Pick<ScreenOptions, "clock" | "terminal">
  #cancel: (() => void) | null = null

  constructor(store: Store, options: Pick<ScreenOptions, "clock" | "terminal">) {
    this.#store = store
    this.#options = options
  }

  look(state: ScreenState): void {
    if (!needsTicks(state)) return this.close()
    if (this.#cancel !== null) return
    const ms = this.#options.terminal.remote ? tickRemoteMs : tickMs
    this.#cancel = this.#options.clock.after(ms, () => {
      this.#cancel = null
      this.#store.dispatch({ type: "tick", now: this.#options.clock.now() })
    })
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
  }
}
