/**
 * A panel: a view that stands in a slot of the screen. Where it stands is not its business.
 *
 * - A panel owns one node, made once. It is told of changes by `update`, and of its place by `resize`, in cells; both may come in any order
 *   and as often as the caller likes: an update with nothing new costs nothing.
 * - `commands` are by their full names (`scroll.pageUp`); false means that it did not apply, so that the key may mean something else.
 * - `contexts` are the keymap contexts that hold while it has focus, innermost first.
 * - After `dispose` nothing of it is called again.
 */
import type { Renderable, RenderContext } from "@opentui/core"
import type { CommandName } from "../../home/command-names.ts"
import type { Theme } from "../../home/theme.ts"
import type { Port } from "../../protocol/port.ts"
import type { View } from "../../protocol/view.ts"
import type { Clock } from "../../std/clock.ts"
import type { Json } from "../../std/json.ts"
import type { WidthMethod } from "../../std/text.ts"
import type { Highlighter } from "../highlight/highlighter.ts"
import type { SearchState } from "../viewport/seeker.ts"

export type PanelInput = {
  readonly view: View
  readonly conversation: number
  readonly theme: Theme
  /** Wall-clock milliseconds: countdowns and durations are drawn for this moment. */
  readonly now: number
  readonly widthMethod: WidthMethod
  readonly port: Port
  /** The session's folder: an absolute path. */
  readonly folder: string
}

/** What a panel is given once, and whom it tells. */
export type PanelHost = {
  readonly context: RenderContext
  readonly clock: Clock
  /** Milliseconds between two scrolls of a view that follows its end. */
  readonly followMs: number
  readonly highlighter: Highlighter
  readonly widthMethod: WidthMethod
  readonly theme: Theme
  /** What others show of the panel changed: its title, where a search stands, what is new below. */
  changed(): void
  /** Put a text on the clipboard, and say so. */
  copy(text: string): void
  /** Text was selected with the mouse. */
  selected(text: string): void
  /** The reader went somewhere. */
  moved(): void
  /** Older entries of a conversation are wanted. Asked at every paint with the start in view: one request at a time is the host's affair. */
  loadOlder(conversation: number): void
  /** Show a call in the output panel. */
  openOutput(task: number): void
  /** Show an entry in its conversation. */
  goTo(conversation: number, entry: number): void
  /** Go back to an entry and fork there, with the questions that belong to it. */
  forkAt(entry: number): void
  /** Open a file, or a text that has no file, in the person's editor. */
  edit(what: { readonly path: string; readonly line?: number } | { readonly text: string }): void
  /** Read a file, or a text that has no file, in the person's pager. */
  page(what: { readonly path: string } | { readonly text: string }): void
  /** The keys of a command, for a hint; empty where nothing is bound. */
  keys(command: CommandName): string
  /** A sentence for the person. */
  say(level: "info" | "warning" | "error", text: string): void
}

export type PanelCommand = (args?: Json) => boolean

/** What a search line, a badge and the screen's memory need of a panel that scrolls. */
export type Reader = {
  readonly following: boolean
  readonly newBelow: number
  /** More came than is shown before the next scroll. */
  readonly waiting: boolean
  readonly copying: boolean
  readonly searchState: SearchState
  search(query: string, more?: { readonly regex?: boolean }): void
  toMatch(direction: -1 | 1): boolean
  /** To the first match (1) of all that is held, or the last one (-1). */
  toOuterMatch(end: -1 | 1): boolean
  closeSearch(restore: boolean): boolean
  selectedText(): string
  clearSelection(): boolean
  readonly place: ReaderPlace
  restorePlace(place: ReaderPlace): boolean
}

/** Where a reader was, by the key of a block. */
export type ReaderPlace = { readonly key: string; readonly row: number; readonly following: boolean }

/** Bytes `from` to `to` of what the call of a task printed. */
export type HeldPart = { readonly task: number; readonly from: number; readonly to: number }

export type Panel = {
  readonly id: string
  title(): string
  readonly node: Renderable
  readonly reader: Reader | null
  readonly contexts: readonly string[]
  readonly commands: Readonly<Record<string, PanelCommand>>
  /** Where the reader was in each conversation of the session that is shown: JSON that outlives the program, and the way back. */
  readonly places?: { save(): Json; restore(session: string, places: Json): void }
  /** What is held of an output that is too long to be held whole; null where all of it is. */
  part?(): HeldPart | null
  /** Nothing to show: a slot may leave it out until there is. */
  readonly empty: boolean
  update(input: PanelInput): void
  focus(on: boolean): void
  resize(width: number, height: number): void
  dispose(): void
}
