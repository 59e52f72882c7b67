/**
 * A panel: a view that stands in a slot of the screen. Where it stands is not its business.
 *
 * - A panel owns one node, made once. It is told of changes by `update`, and of its place by `resize`, in cells; both may come in any order
 *   and as often as the caller likes: an update with nothing new costs nothing.
 * - `commands` are by their full names (`scroll.pageUp`); false means that it did not apply, so that the key may mean something else.
 * - `contexts` are the keymap contexts that hold while it has focus, innermost first.
 * - After `dispose` nothing of it is called again.
 */
import type { CliRenderer, Renderable } from "@opentui/core"
import type { Theme } from "../../home/theme.ts"
import type { Port } from "../../protocol/port.ts"
import type { View } from "../../protocol/view.ts"
import type { Json } from "../../std/json.ts"
import type { Clock } from "../../std/clock.ts"
import type { WidthMethod } from "../../std/text.ts"
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

export type PanelCommand = (args?: Json) => boolean

/** What the search line searches: a view of rows. */
export type Searchable = {
  search(query: string, more?: { readonly regex?: boolean }): void
  readonly searchState: SearchState
  toMatch(direction: -1 | 1): boolean
  closeSearch(restore: boolean): boolean
}

/** What a panel may ask of the screen around it. */
export type PanelHost = {
  readonly renderer: CliRenderer
  readonly clock: Clock
  /** What others show of the panel is another: its title, what its search found. */
  changed(id: string): void
  copy(text: string): void
  say(level: "info" | "warning" | "error", text: string): void
  /** Show the call of this task in the tool output panel. */
  openCall(task: number): void
  /** A text, or a file by its absolute path, in the person's own editor. */
  edit(what: { readonly text: string } | { readonly path: string }): void
  /** Older entries of the conversation in view; they come with an update. Asking again while they come is harmless. */
  loadOlder(): void
}

export type Panel = {
  readonly id: string
  title(): string
  readonly node: Renderable
  readonly contexts: readonly string[]
  readonly commands: Readonly<Record<string, PanelCommand>>
  /** Absent where there is nothing to search. */
  readonly searchable?: Searchable
  /** Where the reader is, to come back to at the next start. */
  place?(): Json
  restore?(place: Json): void
  update(input: PanelInput): void
  focus(on: boolean): void
  resize(width: number, height: number): void
  dispose(): void
}
