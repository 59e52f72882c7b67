/**
 * What undo gives back. A run of typing is one step, as is every other edit.
 *
 * - Steps are whole texts: drafts are small, since long pastes are folded into marks. Old steps go when there are too many or they hold too
 *   much.
 */
import type { Edit } from "./edit.ts"

const stepsMax = 200
const unitsMax = 4 * 1024 * 1024

export type UndoKind = "typing" | "other"

export class Undo {
  #past: Edit[] = []
  #future: Edit[] = []
  #last: UndoKind | null = null

  /** Called with the state before an edit. A space or a line break begins a new step. */
  record(edit: Edit, kind: UndoKind, breaks = false): void {
    if (!(kind === "typing" && this.#last === "typing")) this.#past.push(edit)
    this.#last = breaks ? null : kind
    this.#future = []
    let units = this.#past.reduce((sum, step) => sum + step.text.length, 0)
    while (this.#past.length > stepsMax || (units > unitsMax && this.#past.length > 1)) {
      units -= this.#past.shift()?.text.length ?? 0
    }
  }

  get undoable(): boolean {
    return this.#past.length > 0
  }

  get redoable(): boolean {
    return this.#future.length > 0
  }

  /** What stood before the last step, or null. `now` is kept for `redo`. */
  undo(now: Edit): Edit | null {
    return this.#step(now, this.#past, this.#future)
  }

  redo(now: Edit): Edit | null {
    return this.#step(now, this.#future, this.#past)
  }

  /** The cursor moved: what is typed from here on is a step of its own. */
  pause(): void {
    this.#last = null
  }

  clear(): void {
    this.#past = []
    this.#future = []
    this.#last = null
  }

  #step(now: Edit, from: Edit[], to: Edit[]): Edit | null {
    const step = from.pop()
    if (step === undefined) return null
    to.push(now)
    this.#last = null
    return step
  }
}
