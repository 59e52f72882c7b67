/**
 * Earlier inputs of this folder, newest last, and a walk through them.
 *
 * - A walk begins with what is in the editor, which comes back at its end. With text in the editor it stops only at inputs that begin alike.
 * - The same input twice in a row is kept once.
 */

/** More would make every start read more than anyone walks through. */
export const historyMax = 500

/** A place in the walk: `items.length` is the draft, which the walk began with. */
export type Walk = { readonly draft: string; readonly place: number }

/** `items` and one more, without a repetition, cut to size. */
export function remember(items: readonly string[], text: string): readonly string[] {
  if (text.trim() === "" || items.at(-1) === text) return items
  return [...items, text].slice(-historyMax)
}

/** The next older input that begins with `walk.draft`; null where there is none. */
export function older(items: readonly string[], walk: Walk): Walk | null {
  for (let place = walk.place - 1; place >= 0; place--) {
    const item = items[place] ?? ""
    if (item.startsWith(walk.draft) && item !== walk.draft) return { ...walk, place }
  }
  return null
}

/** The next newer one, or the draft at the end. */
export function newer(items: readonly string[], walk: Walk): Walk | null {
  if (walk.place >= items.length) return null
  for (let place = walk.place + 1; place < items.length; place++) {
    const item = items[place] ?? ""
    if (item.startsWith(walk.draft) && item !== walk.draft) return { ...walk, place }
  }
  return { ...walk, place: items.length }
}

export function textAt(items: readonly string[], walk: Walk): string {
  return items[walk.place] ?? walk.draft
}

/** The history of one editor, and where its walk is. */
export class History {
  #items: readonly string[]
  #walk: Walk | null = null

  constructor(items: readonly string[]) {
    this.#items = items
  }

  /** An input was sent. */
  add(text: string): void {
    this.#items = remember(this.#items, text)
    this.#walk = null
  }

  /** The text of one step back from `draft`, or null at the oldest. */
  previous(draft: string): string | null {
    return this.#go(older(this.#items, this.#walk ?? { draft, place: this.#items.length }))
  }

  next(): string | null {
    return this.#walk === null ? null : this.#go(newer(this.#items, this.#walk))
  }

  /** The text is `text` now: where that is not what the walk shows, the walk is over. */
  look(text: string): void {
    if (this.#walk !== null && text !== textAt(this.#items, this.#walk)) this.#walk = null
  }

  #go(walk: Walk | null): string | null {
    if (walk === null) return null
    this.#walk = walk
    return textAt(this.#items, walk)
  }
}
