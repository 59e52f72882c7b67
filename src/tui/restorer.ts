/**
 * Brings back what was left: the draft of the folder before a session has begun, else what the session kept for this client.
 *
 * - What the person has typed meanwhile is never touched. Of two drafts the younger one counts.
 */
import type { App } from "./app.ts"
import type { Draft, ScreenOptions } from "./options.ts"
import { readSaved, type Saved } from "./saved.ts"
import { documentKey } from "../protocol/view.ts"
import type { Json } from "../std/json.ts"

export class Restorer {
  readonly #options: ScreenOptions
  /** A draft of the file, of a session that is not open yet. */
  #waiting: Draft | null = null
  /** The session that was opened last. */
  #session: string | null = null

  constructor(options: ScreenOptions) {
    this.#options = options
  }

  /** Before the host answers. True when a draft came from the file. */
  start(app: App): boolean {
    const draft = this.#options.drafts.load()
    if (draft === null) return false
    const { session } = this.#options
    if (session.kind === "new" && draft.session === null) app.editor.restore(draft)
    else if (session.kind === "session" && draft.session === session.id) app.editor.restore(draft)
    else {
      this.#waiting = draft
      return false
    }
    return true
  }

  /** The host answers: a session is there, or there again. */
  opened(app: App): void {
    const { view } = app.store.state
    // Whoever only lost the host for a moment is where they were.
    if (this.#session === view.session) return
    const first = this.#session === null
    this.#session = view.session
    const document = view.documents.get(documentKey(0, `screen/${this.#options.client}`))
    const saved = readSaved(document?.name.startsWith("screen/") ? (document.value as Json) : undefined)
    if (saved !== null) {
      app.store.dispatch({ type: "conversation", id: saved.conversation })
      app.slots.restorePlaces(view.session, saved.places)
      app.search.history.restore(saved.queries)
    }
    if (!first) return
    if (saved !== null) this.#panels(app, saved)
    if (app.editor.edit.text !== "") return
    const waiting = this.#waiting?.session === view.session ? this.#waiting : null
    const drafts = [waiting, saved?.draft ?? null].filter((draft) => draft !== null)
    const newest = drafts.toSorted((a, b) => b.savedAt - a.savedAt)[0]
    if (newest !== undefined) app.editor.restore(newest)
  }

  #panels(app: App, saved: Saved): void {
    const { store, slots } = app
    const known = [...saved.shown].filter(([id]) => slots.known(id))
    for (const [id, shown] of known) store.dispatch({ type: "panel.show", id, shown })
    store.dispatch({ type: "panel.arrange", slots: saved.slots, zoomed: saved.zoomed, front: saved.front })
  }
}
