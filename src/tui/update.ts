/**
 * State and event to state: pure. What has to be done besides (draw, send, save) is decided from the two states by who listens.
 *
 * - An event that changes nothing gives the same state, by identity.
 * - A snapshot of the session that is already shown keeps the older entries that were read, as far as they join on without a gap.
 */
import type { Chord } from "../home/chord.ts"
import type { Appearance, Theme } from "../home/theme.ts"
import type { Frame, ModelRecord } from "../protocol/port.ts"
import type { EntryRecord } from "../protocol/records.ts"
import { addOlder, applyFrame, emptyView, type View } from "../protocol/view.ts"
import { unreachable } from "../std/assert.ts"
import type { Dialog, Item, ListDialog } from "./dialogs/dialog.ts"
import type { SlotName } from "./layout.ts"
import type { SlotSettings } from "./options.ts"
import type { Completion, EditorFacts, Focus, Link, OutboxItem, Place, ScreenState, Toast } from "./state.ts"

export type ScreenEvent =
  | { readonly type: "resized"; readonly columns: number; readonly rows: number }
  | { readonly type: "frame"; readonly frame: Frame }
  | {
      readonly type: "older"
      readonly conversation: number
      readonly page: readonly EntryRecord[]
      readonly more: boolean
    }
  | { readonly type: "link"; readonly link: Link }
  /** Another conversation of this session is shown. */
  | { readonly type: "conversation"; readonly id: number }
  /** Another session takes this one's place. */
  | { readonly type: "session.left" }
  | { readonly type: "sending"; readonly item: OutboxItem }
  | { readonly type: "sent"; readonly requestId: string }
  | { readonly type: "focus"; readonly focus: Focus }
  | { readonly type: "panel.filled"; readonly ids: ReadonlySet<string> }
  | { readonly type: "panel.show"; readonly id: string; readonly shown: boolean }
  | { readonly type: "panel.zoom"; readonly id: string | null }
  /** Per cent of the columns, or of the rows, that a slot has. */
  | { readonly type: "panel.size"; readonly slot: "side" | "bottom"; readonly size: number }
  /** How the panels stood when the session was left. */
  | {
      readonly type: "panel.arrange"
      readonly slots: SlotSettings | null
      readonly zoomed: string | null
      readonly front: string | null
    }
  | { readonly type: "panel.move"; readonly id: string; readonly to: SlotName }
  | { readonly type: "dialog.open"; readonly dialog: Dialog }
  | { readonly type: "dialog.items"; readonly id: string; readonly items: readonly Item[]; readonly title?: string }
  /** What a list shows below its rows, of the one that the bar stands on. */
  | { readonly type: "dialog.preview"; readonly id: string; readonly text: string }
  | { readonly type: "dialog.close"; readonly id: string }
  | { readonly type: "keys"; readonly keys: readonly Chord[]; readonly hints: boolean }
  | { readonly type: "editor"; readonly facts: EditorFacts }
  | { readonly type: "completion"; readonly completion: Completion | null }
  | { readonly type: "toast"; readonly toast: Toast | null }
  | { readonly type: "theme"; readonly theme: Theme }
  | { readonly type: "appearance"; readonly appearance: Appearance }
  | { readonly type: "keymap"; readonly name: string }
  | { readonly type: "branch"; readonly name: string | null }
  | { readonly type: "models"; readonly models: readonly ModelRecord[] }
  | { readonly type: "noModel"; readonly standing: ScreenState["noModel"] }
  | { readonly type: "mouse"; readonly on: boolean }
  | { readonly type: "shell"; readonly command: string | null }
  | { readonly type: "watched"; readonly on: boolean }
  | { readonly type: "tick"; readonly now: number }

/** Per cent of the columns, or of the rows, that a slot may have. */
const slotSizeMin = 15
const slotSizeMax = 80

/** Older entries that were read before, where the snapshot still reaches back to them. */
function keepOlder(before: View, after: View): View {
  if (before.session === "" || before.session !== after.session) return after
  let view = after
  for (const conversation of after.older) {
    const first = after.entries.find((entry) => entry.conversation === conversation)?.id
    const known = before.entries.filter((entry) => entry.conversation === conversation)
    const newest = known.at(-1)?.id
    if (first === undefined || newest === undefined || newest < first) continue
    const page = known.filter((entry) => entry.id < first)
    view = addOlder(view, conversation, page, before.older.has(conversation))
  }
  return view
}

function onFrame(state: ScreenState, frame: Frame): ScreenState {
  const view = applyFrame(state.view, frame)
  if (frame.type !== "snapshot") return view === state.view ? state : { ...state, view, heardAt: state.now }
  const conversation = view.conversations.has(state.conversation) ? state.conversation : 1
  return { ...state, view: keepOlder(state.view, view), conversation }
}

function withPlace(state: ScreenState, change: Partial<Place>): ScreenState {
  return { ...state, place: { ...state.place, ...change } }
}

function onFocus(state: ScreenState, focus: Focus): ScreenState {
  if (focus.area === "editor") return state.focus.area === "editor" ? state : { ...state, focus }
  if (state.focus.area === "panel" && state.focus.id === focus.id && state.place.front === focus.id) return state
  return { ...withPlace(state, { front: focus.id }), focus }
}

function onShow(state: ScreenState, id: string, shown: boolean): ScreenState {
  const place = {
    shown: new Map(state.place.shown).set(id, shown),
    front: shown ? id : state.place.front === id ? (state.place.slots.main[0] ?? "chat") : state.place.front,
    zoomed: !shown && state.place.zoomed === id ? null : state.place.zoomed,
  }
  const lost = !shown && state.focus.area === "panel" && state.focus.id === id
  return { ...withPlace(state, place), focus: lost ? { area: "editor" } : state.focus }
}

function onMove(state: ScreenState, id: string, to: SlotName): ScreenState {
  const { slots } = state.place
  const without = (ids: readonly string[]): readonly string[] => ids.filter((other) => other !== id)
  const put = (slot: SlotName, ids: readonly string[]): readonly string[] =>
    slot === to ? [...without(ids), id] : without(ids)
  return withPlace(state, {
    arranged: true,
    slots: {
      ...slots,
      main: put("main", slots.main),
      side: { ...slots.side, stack: put("side", slots.side.stack) },
      bottom: put("bottom", slots.bottom),
    },
  })
}

function onSize(state: ScreenState, slot: "side" | "bottom", wanted: number): ScreenState {
  const { slots } = state.place
  const size = Math.max(slotSizeMin, Math.min(slotSizeMax, Math.round(wanted)))
  const sized =
    slot === "side"
      ? { ...slots, side: { ...slots.side, size } }
      : ({ ...slots, bottomSize: size } satisfies SlotSettings)
  return withPlace(state, { arranged: true, slots: sized })
}

function onArrange(state: ScreenState, event: Extract<ScreenEvent, { type: "panel.arrange" }>): ScreenState {
  const place = { zoomed: event.zoomed, front: event.front ?? state.place.front }
  return withPlace(state, event.slots === null ? place : { ...place, slots: event.slots, arranged: true })
}

/** Facts of what a session says go with it; drafts and dialogs of the person stay. */
function onLeft(state: ScreenState): ScreenState {
  return {
    ...state,
    view: emptyView,
    conversation: 1,
    outbox: [],
    shell: null,
    interrupted: null,
    link: { status: "connecting", attempt: 1 },
    focus: { area: "editor" },
    place: { ...state.place, filled: new Set(), zoomed: null },
  }
}

function withList(state: ScreenState, id: string, change: Partial<ListDialog>): ScreenState {
  const dialogs = state.dialogs.map((dialog) =>
    dialog.id === id && dialog.kind === "list" ? { ...dialog, ...change } : dialog,
  )
  return { ...state, dialogs }
}

export function update(state: ScreenState, event: ScreenEvent): ScreenState {
  switch (event.type) {
    case "resized":
      return { ...state, size: { columns: event.columns, rows: event.rows } }
    case "frame":
      return onFrame(state, event.frame)
    case "older":
      return { ...state, view: addOlder(state.view, event.conversation, event.page, event.more) }
    case "link":
      return { ...state, link: event.link }
    case "conversation":
      return state.view.conversations.has(event.id) ? { ...state, conversation: event.id } : state
    case "session.left":
      return onLeft(state)
    case "sending":
      return { ...state, outbox: [...state.outbox, event.item], interrupted: null }
    case "sent":
      return { ...state, outbox: state.outbox.filter((item) => item.requestId !== event.requestId) }
    case "focus":
      return onFocus(state, event.focus)
    case "panel.filled":
      return withPlace(state, { filled: event.ids })
    case "panel.show":
      return onShow(state, event.id, event.shown)
    case "panel.zoom":
      return withPlace(state, { zoomed: event.id })
    case "panel.size":
      return onSize(state, event.slot, event.size)
    case "panel.arrange":
      return onArrange(state, event)
    case "panel.move":
      return onMove(state, event.id, event.to)
    case "dialog.open":
      return { ...state, dialogs: [...state.dialogs, event.dialog] }
    case "dialog.items":
      return withList(state, event.id, {
        items: event.items,
        ...(event.title === undefined ? {} : { title: event.title }),
      })
    case "dialog.preview":
      return withList(state, event.id, { preview: event.text })
    case "dialog.close":
      return { ...state, dialogs: state.dialogs.filter((dialog) => dialog.id !== event.id) }
    default:
      return setFact(state, event)
  }
}

type Fact = Extract<
  ScreenEvent,
  {
    type:
      | "keys"
      | "editor"
      | "completion"
      | "toast"
      | "theme"
      | "appearance"
      | "keymap"
      | "branch"
      | "models"
      | "noModel"
      | "mouse"
      | "shell"
      | "watched"
      | "tick"
  }
>

/** Events that put one value in its place. */
function setFact(state: ScreenState, event: Fact): ScreenState {
  switch (event.type) {
    case "keys":
      if (state.keys.length === 0 && event.keys.length === 0) return state
      return { ...state, keys: event.keys, keyHints: event.hints }
    case "editor":
      return { ...state, editor: event.facts }
    case "completion":
      return event.completion === state.completion ? state : { ...state, completion: event.completion }
    case "toast":
      return event.toast === state.toast ? state : { ...state, toast: event.toast }
    case "theme":
      return { ...state, theme: event.theme }
    case "appearance":
      return event.appearance === state.appearance ? state : { ...state, appearance: event.appearance }
    case "keymap":
      return { ...state, keymap: event.name }
    case "branch":
      return event.name === state.branch ? state : { ...state, branch: event.name }
    case "models":
      return { ...state, models: event.models }
    case "noModel":
      return event.standing === state.noModel ? state : { ...state, noModel: event.standing }
    case "mouse":
      return { ...state, mouse: event.on }
    case "shell":
      return { ...state, shell: event.command }
    case "watched":
      return { ...state, watched: event.on }
    case "tick":
      return { ...state, now: event.now }
    default:
      return unreachable(event)
  }
}
