/**
 * From keys to commands: a pure machine that holds the keys of a sequence that has begun.
 *
 * - `contexts` come innermost first (overlay, focused panel, editor, global). The first one that knows the keys, wholly or as a beginning,
 *   decides; what wider contexts say of the same keys follows in `commands`, for the case that nothing narrower applies.
 * - While a sequence is pending, an overlay still comes first. Escape drops the sequence, Backspace takes its last key back.
 * - Keys that are both a command and a beginning wait: `expire` gives the command when the time is over.
 */
import { sameChord, type Chord } from "./chord.ts"
import { overlayContexts } from "./command-names.ts"
import type { Binding, Keymap, Run } from "./keymap.ts"

export type MatchState = { readonly pending: readonly Chord[] }

export const noKeys: MatchState = { pending: [] }

/**
 * What a key means. `commands`: run the first that applies; when none does, `chords` are free (text for an editor). `pending`: call
 * {@link expire} after `timeoutMs`. `none`: nobody knows `chords`. `dropped`: a sequence was given up.
 */
export type Match =
  | { readonly type: "commands"; readonly commands: readonly Run[]; readonly chords: readonly Chord[] }
  | { readonly type: "pending"; readonly chords: readonly Chord[]; readonly timeoutMs: number }
  | { readonly type: "none"; readonly chords: readonly Chord[] }
  | { readonly type: "dropped" }

export type Pressed = { readonly state: MatchState; readonly match: Match }

/** True when `keys` begins with `chords`. */
function beginsWith(keys: readonly Chord[], chords: readonly Chord[]): boolean {
  return keys.length >= chords.length && chords.every((chord, place) => sameChord(chord, keys[place] ?? chord))
}

type Found = { readonly exact: Binding | undefined; readonly longer: boolean }

function findIn(keymap: Keymap, context: string, chords: readonly Chord[]): Found {
  const near = keymap.bindings.filter((binding) => binding.context === context && beginsWith(binding.keys, chords))
  return {
    exact: near.find((binding) => binding.keys.length === chords.length),
    longer: near.some((binding) => binding.keys.length > chords.length),
  }
}

/** The commands of `chords` in all contexts, narrowest first; a binding that runs nothing ends the list. Null when no context has them. */
function commandsOf(keymap: Keymap, contexts: readonly string[], chords: readonly Chord[]): readonly Run[] | null {
  const exact = contexts.flatMap((context) => findIn(keymap, context, chords).exact ?? [])
  if (exact.length === 0) return null
  const stop = exact.findIndex((binding) => binding.run.length === 0)
  return exact.slice(0, stop === -1 ? exact.length : stop).flatMap((binding) => binding.run)
}

function ends(match: Match): Pressed {
  return { state: noKeys, match }
}

/** What `chord` means after the keys of `state`. */
export function press(state: MatchState, chord: Chord, contexts: readonly string[], keymap: Keymap): Pressed {
  if (state.pending.length > 0) {
    const overlay = contexts.filter((context) => overlayContexts.has(context))
    const first = commandsOf(keymap, overlay, [chord])
    if (first !== null) return ends({ type: "commands", commands: first, chords: [chord] })
  }
  const chords = [...state.pending, chord]
  const found = contexts.map((context) => findIn(keymap, context, chords))
  const decides = found.find(({ exact, longer }) => exact !== undefined || longer)
  if (decides?.longer) {
    return { state: { pending: chords }, match: { type: "pending", chords, timeoutMs: keymap.leaderTimeoutMs } }
  }
  if (decides !== undefined) {
    return ends({ type: "commands", commands: commandsOf(keymap, contexts, chords) ?? [], chords })
  }
  if (state.pending.length === 0) return ends({ type: "none", chords })
  if (chord.name === "escape") return ends({ type: "dropped" })
  if (chord.name !== "backspace") return ends({ type: "none", chords })
  const pending = state.pending.slice(0, -1)
  if (pending.length === 0) return ends({ type: "dropped" })
  return { state: { pending }, match: { type: "pending", chords: pending, timeoutMs: keymap.leaderTimeoutMs } }
}

/** The time for the next key is over: what the keys so far mean by themselves. */
export function expire(state: MatchState, contexts: readonly string[], keymap: Keymap): Pressed {
  if (state.pending.length === 0) return ends({ type: "none", chords: [] })
  const commands = commandsOf(keymap, contexts, state.pending)
  return ends(
    commands === null ? { type: "none", chords: state.pending } : { type: "commands", commands, chords: state.pending },
  )
}

type Known = Map<string, readonly Chord[] | undefined>

/** What was asked before, by keymap: hints are asked for at every paint. */
const known = new WeakMap<Keymap, Known>()

/** The shortest keys that run `command` in one of `contexts`, for palette and help; undefined when none do. */
export function keysOf(keymap: Keymap, command: string, contexts?: readonly string[]): readonly Chord[] | undefined {
  const asked = `${command} ${contexts?.join(" ") ?? ""}`
  const answers: Known = known.get(keymap) ?? new Map()
  known.set(keymap, answers)
  if (!answers.has(asked)) answers.set(asked, shortest(keymap, command, contexts))
  return answers.get(asked)
}

function shortest(keymap: Keymap, command: string, contexts?: readonly string[]): readonly Chord[] | undefined {
  return keymap.bindings
    .filter((binding) => contexts?.includes(binding.context) ?? true)
    .filter((binding) => binding.run.some((run) => run.command === command))
    .map((binding) => binding.keys)
    .reduce<readonly Chord[] | undefined>((best, keys) => (!best || keys.length < best.length ? keys : best), undefined)
}

/** What may follow the keys of `state`: each binding once, narrowest context first. For a hint while a sequence is pending. */
export function following(state: MatchState, contexts: readonly string[], keymap: Keymap): readonly Binding[] {
  const seen: (readonly Chord[])[] = []
  return contexts
    .flatMap((context) => keymap.bindings.filter((binding) => binding.context === context))
    .filter(({ keys }) => {
      const next = keys.length > state.pending.length && beginsWith(keys, state.pending)
      const hidden = seen.some((other) => other.length === keys.length && beginsWith(other, keys))
      if (next && !hidden) seen.push(keys)
      return next && !hidden
    })
}
