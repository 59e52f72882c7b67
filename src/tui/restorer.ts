/**
 * Brings back what was left: the draft of the folder before a session has begun, else what the session kept for this client.
 *
 * - What the person has typed meanwhile is never touched. Of two drafts the younger one counts.
 */
import type { App } from "./app.ts"
import type { Draft, ScreenOptions } from "./options.ts"
import { readSaved, type Saved } from "./saved.ts"
import { documentKey } from "../protocol/view.ts"
import { isObject, type Json } from "../std/json.ts"
import type { ReaderPlace } from "./panels/panel.ts"

function readPlace(value: Json | undefined): ReaderPlace | null {
  if (!isObject(value) || typeof value.key !== "string" || typeof value.row !== "number") return null
  return { key: value.key, row: value.row, following: value.following === true }
}

export class Restorer {
  readonly #options: ScreenOptions
  /** A draft of the file, of a session that is not open yet. */
  #waiting: Draft | null = null
  #done = false

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

  /** The first snapshot of a session is there. */
  opened(app: App): void {
    if (this.#done) return
    this.#done = true
    const { view } = app.store.state
    const document = view.documents.get(documentKey(0, `screen/${this.#options.client}`))
    const saved = readSaved(document?.name.startsWith("screen/") ? (document.value as Json) : undefined)
    if (saved !== null) this.#panels(app, saved)
    if (app.editor.edit.text !== "") return
    const waiting = this.#waiting?.session === view.session ? this.#waiting : null
    const drafts = [waiting, saved?.draft ?? null].filter((draft) => draft !== null)
    const newest = drafts.toSorted((a, b) => b.savedAt - a.savedAt)[0]
    if (newest !== undefined) app.editor.restore(newest)
  }

  #panels(app: App, saved: Saved): void {
    const { store, slots } = app
    store.dispatch({ type: "conversation", id: saved.conversation })
    const known = [...saved.shown].filter(([id]) => slots.known(id))
    for (const [id, shown] of known) store.dispatch({ type: "panel.show", id, shown })
    if (saved.size !== null) {
      store.dispatch({ type: "panel.size", by: saved.size - store.state.place.slots.side.size })
    }
    // The rows are laid out with the first frame of the session; the place is looked for after it.
    queueMicrotask(() => {
      for (const [id, reader] of slots.readers()) {
        const place = readPlace(saved.places[id])
        if (place !== null && !place.following) reader.restorePlace(place)
      }
    })
  }
}
