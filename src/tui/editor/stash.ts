/**
 * Drafts that were put aside: the newest first, kept for the folder, so that they outlive the program and its sessions.
 *
 * - Other screens of the folder put drafts aside too: what is there is read whenever it matters.
 */
import type { Draft, StashStore } from "../options.ts"

/** More than anyone keeps in mind; the oldest goes. */
const draftsMax = 50

export class Stash {
  readonly #store: StashStore

  constructor(store: StashStore) {
    this.#store = store
  }

  get drafts(): readonly Draft[] {
    return this.#store.load()
  }

  put(draft: Draft): void {
    this.#store.save([draft, ...this.drafts].slice(0, draftsMax))
  }

  /** Takes one out: 0 is the newest. Null where there is none at that place. */
  take(place: number): Draft | null {
    const { drafts } = this
    const draft = drafts[place]
    if (draft === undefined) return null
    this.#store.save(drafts.toSpliced(place, 1))
    return draft
  }
}
