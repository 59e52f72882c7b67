/**
 * A panel: a view that stands in a slot of the screen. Where it stands is not its business.
 *
 * - A panel owns one node, made once. It is told of changes by `update`, and of its place by `resize`, in cells; both may come in any order
 *   and as often as the caller likes: an update with nothing new costs nothing.
 * - `commands` are by their full names (`scroll.pageUp`); false means that it did not apply, so that the key may mean something else.
 * - `contexts` are the keymap contexts that hold while it has focus, innermost first.
 * - After `dispose` nothing of it is called again.
 */
import type { Renderable } from "@opentui/core"
import type { Theme } from "../../home/theme.ts"
import type { Port } from "../../protocol/port.ts"
import type { View } from "../../protocol/view.ts"
import type { Json } from "../../std/json.ts"
import type { WidthMethod } from "../../std/text.ts"

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

export type Panel = {
  readonly id: string
  title(): string
  readonly node: Renderable
  readonly contexts: readonly string[]
  readonly commands: Readonly<Record<string, PanelCommand>>
  update(input: PanelInput): void
  focus(on: boolean): void
  resize(width: number, height: number): void
  dispose(): void
}
