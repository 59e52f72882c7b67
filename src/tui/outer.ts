/**
 * What the terminal around the screen is told: its title, that work is going on, a bell when it ends while nobody looks.
 *
 * - The bell rings once for each end, and only when the terminal said that it is not in front.
 */
import { cleanLine } from "../std/clean.ts"
import { sessionOf } from "../protocol/view.ts"
import type { App } from "./app.ts"
import { attempt } from "./commands/stage.ts"
import type { ScreenState } from "./state.ts"
import { isBusy } from "./status/activity.ts"

const name = "cairn"
const titleUnitsMax = 80

export class Outer {
  readonly #app: App
  #title = ""

  constructor(app: App) {
    this.#app = app
  }

  look(after: ScreenState, before: ScreenState): void {
    this.#titleOf(after)
    const busy = isBusy(after)
    if (busy === isBusy(before)) return
    this.#app.renderer.setProgramStatus({ state: busy ? "working" : "idle" })
    const { settings } = this.#app.options
    if (!busy && !after.watched && settings.bell) attempt(this.#app, this.#app.terminal.ring())
  }

  #titleOf(state: ScreenState): void {
    const session = cleanLine(sessionOf(state.view)?.title ?? "").slice(0, titleUnitsMax)
    const title = session === "" ? name : `${name}: ${session}`
    if (title === this.#title) return
    this.#title = title
    this.#app.terminal.title(title)
  }
}
