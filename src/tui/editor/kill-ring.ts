/**
 * What was deleted, for putting it back. Deletions in a row in one direction are one text.
 *
 * - `yankPop` works only right after `yank` or itself, and replaces what that put.
 */
import { replace, type Edit, type Range } from "./edit.ts"

const killsMax = 60

export class KillRing {
  #kills: string[] = []
  #joining = false
  #yanked: { readonly range: Range; readonly place: number } | null = null

  /** `front`: the text stood before what was killed last, as with deleting words backwards. */
  kill(text: string, front: boolean): void {
    this.#yanked = null
    if (text === "") return
    const last = this.#kills.at(-1)
    if (this.#joining && last !== undefined) this.#kills[this.#kills.length - 1] = front ? text + last : last + text
    else this.#kills.push(text)
    if (this.#kills.length > killsMax) this.#kills.shift()
    this.#joining = true
  }

  /** Something else happened: the next kill is a text of its own, and there is nothing to pop. */
  rest(): void {
    this.#joining = false
    this.#yanked = null
  }

  get newest(): string | undefined {
    return this.#kills.at(-1)
  }

  yank(edit: Edit): Edit | null {
    const text = this.newest
    if (text === undefined) return null
    this.#joining = false
    this.#yanked = { range: { from: edit.cursor, to: edit.cursor + text.length }, place: this.#kills.length - 1 }
    return replace(edit, { from: edit.cursor, to: edit.cursor }, text)
  }

  yankPop(edit: Edit): Edit | null {
    const yanked = this.#yanked
    if (yanked === null || this.#kills.length < 2) return null
    const place = (yanked.place + this.#kills.length - 1) % this.#kills.length
    const text = this.#kills[place] ?? ""
    this.#yanked = { range: { from: yanked.range.from, to: yanked.range.from + text.length }, place }
    return replace(edit, yanked.range, text)
  }
}
