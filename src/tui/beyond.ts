/**
 * What a search finds outside of what a view holds: in older entries, and in outputs of which it has only a part. The host looks for it, a page at a
 * time.
 *
 * - The view searches what it holds by itself. Of the host's hits only those count that the view cannot have.
 */
import { Refusal, type Port, type SearchHit } from "../protocol/port.ts"

/** Hits of one page, and all that are kept: more than anybody walks through. */
const pageHits = 200
const hitsMax = 2_000

export type BeyondState = {
  /** Matches before and after what the view holds. */
  readonly before: number
  readonly after: number
  /** Texts with matches that are only told of: outputs that the view holds in part. */
  readonly outputs: number
  /** The numbers are of whole pieces, of which the view may hold a part. */
  readonly rough: boolean
  readonly scanning: boolean
  /** A sentence, where the host refuses the query. */
  readonly problem: string | null
}

export type BeyondOptions = {
  readonly port: Pick<Port, "request">
  readonly client: string
  readonly conversation: number
  readonly rough: boolean
  /** Where a hit is, as a number that rises with the text; null where it is none of what is read here. */
  place(hit: SearchHit): number | null
  /** The places that the view holds now, the end exclusive. */
  held(): { readonly from: number; readonly to: number }
  /** Makes the view hold a place. */
  reach(place: number): Promise<void>
  changed(): void
}

export class Beyond {
  readonly #options: BeyondOptions
  #round = 0
  #hits: readonly SearchHit[] = []
  #scanning = false
  #problem: string | null = null

  constructor(options: BeyondOptions) {
    this.#options = options
  }

  get state(): BeyondState {
    const { from, to } = this.#options.held()
    let [before, after, outputs] = [0, 0, 0]
    for (const hit of this.#hits) {
      const place = this.#options.place(hit)
      if (place === null) outputs += hit.output === undefined ? 0 : 1
      else if (place < from) before += hit.count
      else if (place >= to) after += hit.count
    }
    const { rough } = this.#options
    return { before, after, outputs: rough ? 0 : outputs, rough, scanning: this.#scanning, problem: this.#problem }
  }

  ask(query: string, regex: boolean): void {
    const round = ++this.#round
    this.#hits = []
    this.#problem = null
    this.#scanning = query !== ""
    if (query !== "") void this.#look(round, query, regex)
  }

  stop(): void {
    this.#round++
    this.#scanning = false
  }

  /** Makes the view hold the next match before (-1) or after (1) what it holds; false where there is none. */
  async fetch(direction: -1 | 1): Promise<boolean> {
    const { from, to } = this.#options.held()
    const places = this.#hits.flatMap((hit) => this.#options.place(hit) ?? [])
    const next =
      direction < 0 ? Math.max(...places.filter((at) => at < from)) : Math.min(...places.filter((at) => at >= to))
    if (!Number.isFinite(next)) return false
    await this.#options.reach(next)
    this.#options.changed()
    return true
  }

  async #look(round: number, query: string, regex: boolean): Promise<void> {
    const { port, client, conversation, changed } = this.#options
    let after: string | undefined
    try {
      do {
        const asked = { type: "search", client, conversation, query, regex, limit: pageHits } as const
        const page = await port.request(after === undefined ? asked : { ...asked, after })
        if (round !== this.#round) return
        this.#hits = [...this.#hits, ...page.hits]
        after = page.more ?? undefined
        if (after !== undefined) changed()
      } while (after !== undefined && this.#hits.length < hitsMax)
    } catch (error) {
      if (round !== this.#round) return
      // Without a host the view still searches what it holds.
      if (error instanceof Refusal) this.#problem = error.message
    }
    this.#scanning = false
    changed()
  }
}
