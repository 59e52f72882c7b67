/**
 * What a search finds outside of what the conversation's view holds: in older entries, and in outputs of which the view has only a part. The host
 * looks for it, a page at a time.
 *
 * - The view searches what it holds by itself. Of the host's hits only those count that the view cannot have.
 */
import { Refusal, type Port, type SearchHit } from "../protocol/port.ts"

/** Hits of one page, and all that are kept: more than anybody walks through. */
const pageHits = 200
const hitsMax = 2_000

export type BeyondState = {
  /** Matches in entries that are older than the view. */
  readonly older: number
  /** Texts with matches in outputs that the view holds in part. */
  readonly outputs: number
  readonly scanning: boolean
  /** A sentence, where the host refuses the query. */
  readonly problem: string | null
}

export type BeyondOptions = {
  readonly port: Pick<Port, "request">
  readonly client: string
  readonly conversation: number
  /** The oldest entry that the view holds now; 0 where it holds all. */
  first(): number
  /** Makes the view hold an entry. */
  reach(entry: number): Promise<void>
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
    const first = this.#options.first()
    const older = this.#hits.filter(({ entry, output }) => entry < first && output === undefined)
    return {
      older: older.reduce((sum, { count }) => sum + count, 0),
      outputs: this.#hits.filter(({ output }) => output !== undefined).length,
      scanning: this.#scanning,
      problem: this.#problem,
    }
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

  /** Makes the view hold the next match that is older than it; false where there is none. */
  async fetch(): Promise<boolean> {
    const first = this.#options.first()
    const next = this.#hits.find(({ entry, output }) => entry < first && output === undefined)
    if (next === undefined) return false
    await this.#options.reach(next.entry)
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
