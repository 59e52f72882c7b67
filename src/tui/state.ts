/**
 * The whole state of the screen, in one value. `update.ts` folds events into it, `draw.ts` makes rows of it, everything else listens.
 *
 * - `view` is what the host has told and nothing else: no key changes it. What a key wants of the conversation goes out as a command and
 *   comes back as a frame.
 * - The text in the editor lives in OpenTUI's edit buffer, which wraps it and undoes it; here are the facts that others draw from.
 * - A dialog is a value on a stack: the last one is on top and hears the keys. Its filter and its place in the list live in its component.
 * - `outbox` holds inputs from Enter until the host has admitted them. An input leaves it once, by the host's answer or back into the editor;
 *   its request id never changes, so sending again is harmless.
 * - Nothing here is clean: text from models, tools and files is cleaned where rows are made.
 */
import type { Chord } from "../home/chord.ts"
import type { Appearance, Theme } from "../home/theme.ts"
import type { UserPart } from "../message/message.ts"
import type { ModelRecord } from "../protocol/port.ts"
import type { SubmitMode } from "../protocol/records.ts"
import { emptyView, sessionOf, type View } from "../protocol/view.ts"
import type { Dialog } from "./dialogs/dialog.ts"
import type { Interrupted, SlotSettings } from "./options.ts"

/** How the screen stands to its host. `attempt` counts from 1 since the last time that it was open. */
export type Link =
  | { readonly status: "connecting"; readonly attempt: number }
  | { readonly status: "open" }
  | { readonly status: "waiting"; readonly attempt: number; readonly until: number; readonly reason: string }
  /** Stopped on purpose: nothing is started until the person says something. */
  | { readonly status: "stopped"; readonly reason: string }

/** Where keys go when no dialog is open. */
export type Focus = { readonly area: "editor" } | { readonly area: "panel"; readonly id: string }

export type Level = "info" | "warning" | "error"

/** A sentence that stands above the editor for a while. */
export type Toast = { readonly level: Level; readonly text: string; readonly until: number }

/** vim's modes; `plain` where the keymap has none. */
export type EditorMode = "plain" | "insert" | "normal" | "visual" | "visualLine"

export type EditorFacts = {
  readonly empty: boolean
  /** Visual rows that the text needs at the present width. */
  readonly rows: number
  /** `!` before a command for the shell, `!!` for one that the model is not told of. */
  readonly shell: "no" | "told" | "untold"
  readonly mode: EditorMode
}

export type Completion = {
  readonly items: readonly { readonly label: string; readonly detail: string; readonly insert: string }[]
  readonly chosen: number
  /** Offsets in the text, in code units, that the chosen item replaces. */
  readonly from: number
  readonly to: number
}

export type OutboxItem = {
  readonly requestId: string
  readonly content: readonly UserPart[]
  readonly mode: SubmitMode
  /** What goes back into the editor if the host says no. */
  readonly text: string
}

export type Place = {
  readonly slots: SlotSettings
  /** The person moved or sized panels here; else the config's word counts. */
  readonly arranged: boolean
  /** What the person decided of a panel; without a word of theirs a panel shows when it has something. */
  readonly shown: ReadonlyMap<string, boolean>
  readonly filled: ReadonlySet<string>
  readonly zoomed: string | null
  /** The panel in front where only one has room. */
  readonly front: string
}

export type ScreenState = {
  readonly size: { readonly columns: number; readonly rows: number }
  readonly view: View
  readonly conversation: number
  readonly link: Link
  readonly outbox: readonly OutboxItem[]
  /** The command of the person's that runs in the shell. */
  readonly shell: string | null
  readonly focus: Focus
  readonly place: Place
  readonly dialogs: readonly Dialog[]
  /** Keys of a sequence that has begun, and whether what may follow is shown. */
  readonly keys: readonly Chord[]
  readonly keyHints: boolean
  readonly editor: EditorFacts
  readonly completion: Completion | null
  readonly toast: Toast | null
  /** Another session of this folder, whose work was interrupted; until something is sent or it is opened. */
  readonly interrupted: Interrupted | null
  readonly theme: Theme
  readonly appearance: Appearance
  readonly keymap: string
  readonly branch: string | null
  readonly models: readonly ModelRecord[]
  /** No model can be asked yet: the first question stands there, or was put away. Null where there is one. */
  readonly noModel: "asked" | "put away" | null
  readonly mouse: boolean
  /** Whether the terminal is in front; true until it says otherwise. */
  readonly watched: boolean
  /** Wall-clock milliseconds of the last tick: what elapsed times and countdowns are drawn for. */
  readonly now: number
  /** What `now` was when the host last told of work. */
  readonly heardAt: number
}

/** The folder of the session, wherever it was opened from; before it is known, the one that the screen was started in. */
export function folderOf(state: ScreenState, started: string): string {
  return sessionOf(state.view)?.folder || started
}

/** True where a letter goes into the editor. */
export function isTyping({ focus, editor }: ScreenState): boolean {
  return focus.area === "editor" && (editor.mode === "plain" || editor.mode === "insert")
}

export const emptyEditor: EditorFacts = { empty: true, rows: 1, shell: "no", mode: "plain" }

export function startState(given: {
  readonly size: ScreenState["size"]
  readonly theme: Theme
  readonly keymap: string
  readonly slots: SlotSettings
  readonly mouse: boolean
  readonly now: number
  readonly interrupted: Interrupted | null
}): ScreenState {
  return {
    size: given.size,
    view: emptyView,
    conversation: 1,
    link: { status: "connecting", attempt: 1 },
    outbox: [],
    shell: null,
    focus: { area: "editor" },
    place: {
      slots: given.slots,
      arranged: false,
      shown: new Map(),
      filled: new Set(),
      zoomed: null,
      front: given.slots.main[0] ?? "chat",
    },
    dialogs: [],
    keys: [],
    keyHints: false,
    editor: emptyEditor,
    completion: null,
    toast: null,
    interrupted: given.interrupted,
    theme: given.theme,
    appearance: given.theme.appearance,
    keymap: given.keymap,
    branch: null,
    models: [],
    noModel: null,
    mouse: given.mouse,
    watched: true,
    now: given.now,
    heardAt: given.now,
  }
}
