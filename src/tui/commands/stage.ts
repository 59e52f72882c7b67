/**
 * What a command is, and what it may touch.
 *
 * - A command says whether it applied: false lets the key mean something else. `off` says why it cannot be used now, for the palette.
 * - A command decides and hands on; it draws nothing and keeps nothing.
 */
import type { CliRenderer } from "@opentui/core"
import type { Keymap } from "../../home/keymap.ts"
import type { JsonObject } from "../../std/json.ts"
import type { DialogStack } from "../dialogs/stack.ts"
import type { Completer } from "../editor/completer.ts"
import type { Editor } from "../editor/editor.ts"
import type { Stash } from "../editor/stash.ts"
import type { Link } from "../link.ts"
import type { Looks } from "../looks.ts"
import type { ScreenEnd, ScreenOptions, WorkChoice } from "../options.ts"
import type { Slots } from "../slots.ts"
import type { Level } from "../state.ts"
import type { SearchLine } from "../status/search-line.ts"
import type { Store } from "../dispatch.ts"
import type { Terminal } from "../terminal.ts"

export type Stage = {
  readonly options: ScreenOptions
  readonly renderer: CliRenderer
  readonly store: Store
  readonly link: Link
  readonly editor: Editor
  readonly stash: Stash
  readonly completer: Completer
  readonly dialogs: DialogStack
  readonly slots: Slots
  readonly search: SearchLine
  readonly looks: Looks
  readonly terminal: Terminal
  keymap(): Keymap
  /** Contexts of the keys as they are now, innermost first. */
  contexts(): readonly string[]
  /** Runs a command by name, as a key would. */
  run(command: string, args?: JsonObject): boolean
  /** Runs a command that the person named. Where it does not apply, it says so: a key may then mean something else, a name may not. */
  call(command: string, args?: JsonObject): void
  say(level: Level, text: string): void
  copy(text: string): void
  end(reason: ScreenEnd["reason"], work: WorkChoice): void
}

export type Command = {
  run(stage: Stage, args: JsonObject): boolean
  off?(stage: Stage): string | null
}

/** A request whose failure is told in a sentence and changes nothing else. */
export function attempt(stage: Stage, work: Promise<unknown>): void {
  work.catch((error: unknown) => stage.say("error", error instanceof Error ? error.message : String(error)))
}
