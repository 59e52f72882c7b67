/**
 * Where the reader was in each conversation, and the way back there.
 *
 * - A place that is gone back to may be older than what is loaded: it stays wanted until it can be reached, or until the reader goes elsewhere.
 */
import { isObject, type Json } from "../../std/json.ts"
import type { ReaderPlace } from "./panel.ts"

/** `entry`: the transcript entry that stands there; null where it has none. */
export type KeptPlace = ReaderPlace & { readonly entry: number | null }

function readPlace(value: Json | undefined): KeptPlace | null {
  if (!isObject(value) || typeof value.key !== "string" || typeof value.row !== "number") return null
  const entry = typeof value.entry === "number" ? value.entry : null
  return { key: value.key, row: value.row, following: value.following === true, entry }
}

export class Places {
  readonly #kept = new Map<string, KeptPlace>()
  #session = ""
  #conversation = 0
  #wanted: KeptPlace | null = null

  /** Where to go; null where the reader is free. */
  get wanted(): KeptPlace | null {
    return this.#wanted
  }

  /** The reader is there, or went elsewhere. */
  settled(): void {
    this.#wanted = null
  }

  /** Another conversation is shown, perhaps: true where it is another one. `place` is where the reader is in the old one. */
  enter(session: string, conversation: number, place: () => KeptPlace): boolean {
    if (session === this.#session && conversation === this.#conversation) return false
    if (this.#session !== "") this.#kept.set(this.#key(), this.#wanted ?? place())
    this.#session = session
    this.#conversation = conversation
    this.#wanted = this.#kept.get(this.#key()) ?? null
    return true
  }

  /** The places in the session that is shown, by conversation. */
  save(place: KeptPlace): Json {
    const own = `${this.#session}/`
    const all = new Map(this.#kept).set(this.#key(), this.#wanted ?? place)
    return Object.fromEntries(
      [...all].flatMap(([key, kept]) => (key.startsWith(own) ? [[key.slice(own.length), { ...kept }]] : [])),
    )
  }

  restore(session: string, places: Json): void {
    if (!isObject(places)) return
    for (const [conversation, value] of Object.entries(places)) {
      const place = readPlace(value)
      if (place !== null) this.#kept.set(`${session}/${conversation}`, place)
    }
    if (session === this.#session) this.#wanted = this.#kept.get(this.#key()) ?? null
  }

  #key(): string {
    return `${this.#session}/${this.#conversation}`
  }
}
