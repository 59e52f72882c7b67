/**
 * What of the screen comes back: the draft, which panels are shown, where the reader was. Kept in the session as this client's screen state.
 *
 * - What cannot be read is as if it were not there: it was written by another version, and is worth nothing but comfort.
 */
import { isObject, type Json, type JsonObject } from "../std/json.ts"
import type { Draft, SlotSettings } from "./options.ts"
import type { ScreenState } from "./state.ts"

export type Saved = {
  readonly draft: Draft | null
  readonly shown: ReadonlyMap<string, boolean>
  /** Where panels were moved to and how large they were made; null where the config's word counts. */
  readonly slots: SlotSettings | null
  readonly zoomed: string | null
  readonly front: string | null
  /** Which conversation was shown. */
  readonly conversation: number
  /** Where the reader was, by panel. */
  readonly places: Readonly<Record<string, Json | undefined>>
  /** What was searched for, the newest last. */
  readonly queries: readonly string[]
}

const version = 1

export function toSaved(
  draft: Draft | null,
  { place, conversation }: Pick<ScreenState, "place" | "conversation">,
  { places, queries }: { readonly places: Readonly<Record<string, Json>>; readonly queries: readonly string[] },
): Json {
  return {
    version,
    draft: draft && { ...draft, pastes: { ...draft.pastes } },
    shown: Object.fromEntries(place.shown),
    slots: place.arranged ? { ...place.slots, side: { ...place.slots.side } } : null,
    zoomed: place.zoomed,
    front: place.front,
    conversation,
    places: { ...places },
    queries: [...queries],
  }
}

function texts(value: Json | undefined): Record<string, string> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  )
}

/** A draft as it was stored, or null. */
export function readDraft(value: unknown): Draft | null {
  if (!isObject(value) || typeof value.text !== "string" || value.text === "") return null
  const { session, text, cursor, savedAt } = value
  return {
    session: typeof session === "string" ? session : null,
    text,
    cursor: typeof cursor === "number" && cursor >= 0 && cursor <= text.length ? Math.floor(cursor) : text.length,
    pastes: texts(value.pastes),
    savedAt: typeof savedAt === "number" ? savedAt : 0,
  }
}

function flags(value: JsonObject[string]): ReadonlyMap<string, boolean> {
  if (!isObject(value)) return new Map()
  return new Map(Object.entries(value).filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"))
}

function names(value: Json | undefined): readonly string[] | null {
  return Array.isArray(value) && value.every((name) => typeof name === "string") ? value : null
}

function slotsOf(value: Json | undefined): SlotSettings | null {
  if (!isObject(value) || !isObject(value.side)) return null
  const { size, from } = value.side
  const [main, stack, bottom, footer] = [value.main, value.side.stack, value.bottom, value.footer].map(names)
  if (main == null || stack == null || bottom == null || footer == null) return null
  if (typeof size !== "number" || typeof from !== "number" || typeof value.bottomSize !== "number") return null
  return { main, side: { stack, size, from }, bottom, bottomSize: value.bottomSize, footer }
}

export function readSaved(value: Json | undefined): Saved | null {
  if (!isObject(value) || value.version !== version) return null
  return {
    draft: readDraft(value.draft),
    shown: flags(value.shown),
    slots: slotsOf(value.slots),
    zoomed: typeof value.zoomed === "string" ? value.zoomed : null,
    front: typeof value.front === "string" ? value.front : null,
    conversation: typeof value.conversation === "number" ? value.conversation : 1,
    places: isObject(value.places) ? value.places : {},
    queries: names(value.queries) ?? [],
  }
}
