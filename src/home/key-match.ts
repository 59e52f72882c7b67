/**
 * From keys to commands: a pure machine that holds the keys of a sequence that has begun.
 *
 * - `contexts` come innermost first (overlay, focused panel, editor, global). The first one that knows the keys, wholly or as a beginning,
 *   decides; what wider contexts say of the same keys follows in `commands`, for the case that nothing narrower applies.
 * - While a sequence is pending, an overlay still comes first. Escape drops the sequence, Backspace takes its last key back.
 * - Keys that are both a command and a beginning wait: `expire` gives the command when the time is over.
 */
import type { Chord } from "./chord.ts"
import type { Keymap, Run } from "./keymap.ts"

export type MatchState = { readonly pending: readonly Chord[] }

export const noKeys: MatchState = { pending: [] }

/**
 * What a key means. `commands`: run the first that applies; when none does, `chords` are free (text for an editor). `pending`: call
 * {@link expire} after `timeoutMs`. `none`: nobody knows `chords`. `dropped`: a sequence was given up by Escape.
 */
export type Match =
  | { readonly type: "commands"; readonly commands: readonly Run[]; readonly chords: readonly Chord[] }
  | { readonly type: "pending"; readonly chords: readonly Chord[]; readonly timeoutMs: number }
  | { readonly type: "none"; readonly chords: readonly Chord[] }
  | { readonly type: "dropped" }

export type Pressed = { readonly state: MatchState; readonly match: Match }

export type Press = (state: MatchState, chord: Chord, contexts: readonly string[], keymap: Keymap) => Pressed
