/**
 * Drafts that were put aside: the newest first, kept for the folder, so that they outlive the program and its sessions.
 */
import type { Draft, StashStore } from "../options.ts"

/** More than anyone keeps in mind; the oldest goes. */
const draftsMax = 50

export class Stash {
  readonly #store: StashStore
  #drafts: readonly Draft[]

  constructor(store: StashStore) {
    this.#store = store
    this.#drafts = store.load()
  }

  get drafts(): readonly Draft[] {
    return this.#drafts
  }

  put(draft: Draft): void {
    this.#keep([draft, ...this.#drafts].slice(0, draftsMax))
  }

  /** Takes one out: 0 is the newest. Null where there is none at that place. */
  take(place: number): Draft | null {
    const draft = this.#drafts[place]
    if (draft === undefined) return null
    this.#keep(this.#drafts.toSpliced(place, 1))
    return draft
  }

  #keep(drafts: readonly Draft[]): void {
    this.#drafts = drafts
    this.#store.save(drafts)
  }
}
