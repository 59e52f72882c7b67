/**
 * A keymap: which keys run which commands in which context, from the files of the person and those in the binary.
 *
 * - `null` for keys unsets what was inherited, and what a wider context says then counts; an empty list takes the key and does nothing.
 * - A list runs the first command that applies; where none does, the key goes on to the next context.
 * - The same keys twice in one context of one file are a clash: both lines are named.
 */
import type { Chord } from "./chord.ts"
import type { Json } from "../std/json.ts"

export type Run = { readonly command: string; readonly args?: Json }

/** `keys` has no `<leader>` any more. `run` is never null once resolved; empty swallows the keys. `line` and `column` count from 1. */
export type Binding = {
  readonly context: string
  readonly keys: readonly Chord[]
  readonly run: readonly Run[]
  readonly source: { readonly file: string; readonly line: number; readonly column: number }
}

export type Keymap = {
  readonly name: string
  readonly leader: Chord
  readonly leaderTimeoutMs: number
  readonly bindings: readonly Binding[]
}

/** A keymap file by its name: where it is, for messages, and what it says. */
export type KeymapSource = { readonly file: string; readonly text: string }

export type KeymapSources = Readonly<Record<string, KeymapSource>>
