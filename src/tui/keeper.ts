/**
 * Keeps what was typed and not sent, so that the death of either process costs at most a quarter of a second of it.
 *
 * - Once the session has begun the draft goes to its host, with the rest of the screen's state. Before that, and while the host is away, it
 *   goes to a file of the folder, which is removed as soon as the host has it.
 * - Inputs that the host has not admitted yet count as draft: what is sent twice after a crash can be seen and deleted, what is lost cannot.
 */
import type { Clock } from "../std/clock.ts"
import type { Json } from "../std/json.ts"
import type { Store } from "./dispatch.ts"
import type { Link } from "./link.ts"
import type { Draft, DraftStore } from "./options.ts"
import { toSaved } from "./saved.ts"

/** At most four times a second. */
const saveMs = 250

export type KeeperOptions = {
  readonly store: Store
  readonly link: Link
  readonly drafts: DraftStore
  readonly clock: Clock
  readonly client: string
  draft(): Draft | null
  places(): Readonly<Record<string, Json>>
  queries(): readonly string[]
  /** The file cannot be written. */
  failed(error: unknown): void
}

export class Keeper {
  readonly #options: KeeperOptions
  #cancel: (() => void) | null = null
  #inFile = false
  #complained = false

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  /** Something to keep has changed. */
  touch(): void {
    this.#cancel ??= this.#options.clock.after(saveMs, () => {
      this.#cancel = null
      void this.save()
    })
  }

  /** A draft was read from the file: it goes when the host has it. */
  fromFile(): void {
    this.#inFile = true
  }

  async save(): Promise<void> {
    this.#cancel?.()
    this.#cancel = null
    const { store, link, client } = this.#options
    const more = { places: this.#options.places(), queries: this.#options.queries() }
    const { view } = store.state
    const draft = this.#draft()
    const begun = view.session !== "" && (view.entries.length > 0 || view.submissions.size > 0)
    // A session that has not begun goes with its host: the draft is nobody's yet.
    if (!begun) return this.#toFile(draft === null ? null : { ...draft, session: null })
    try {
      await link.request({ type: "screen", client, value: toSaved(draft, store.state, more) })
      if (this.#inFile) this.#toFile(null)
    } catch {
      // The host is away or refuses: the file keeps it until it is back.
      this.#toFile(draft)
    }
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  /** What is in the editor, after what is still on its way. */
  #draft(): Draft | null {
    const { store, clock, draft } = this.#options
    const now = draft()
    const waiting = store.state.outbox.map((item) => item.text)
    if (waiting.length === 0) return now
    const text = [...waiting, ...(now === null ? [] : [now.text])].join("\n\n")
    const session = store.state.view.session || null
    return { session, text, cursor: text.length, pastes: now?.pastes ?? {}, savedAt: clock.now() }
  }

  #toFile(draft: Draft | null): void {
    if (draft === null && !this.#inFile) return
    try {
      this.#options.drafts.save(draft)
      this.#inFile = draft !== null
    } catch (error) {
      if (!this.#complained) this.#options.failed(error)
      this.#complained = true
    }
  }
}
