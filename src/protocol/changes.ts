/**
 * What a run, or a whole conversation, has changed in files by its edits and writes, and what became of it: for review and undo.
 *
 * - A hunk is one stretch of lines that changed. Its id (`src/a.ts#2`) names it for as long as the run is there, whatever happens to the file.
 * - What commands changed is not in here: `commands` says how many ran.
 */

/**
 * `made`: the change stands and can be taken back. `undone`: the file says there what it said before. `conflict`: others changed the same lines
 * since, or the file; `reason` says it.
 */
export type HunkState = "made" | "undone" | "conflict"

export type ChangeHunk = {
  readonly id: string
  readonly state: HunkState
  /** Empty but for a conflict. */
  readonly reason: string
  /** Lines from 1, before and after; a count of 0 stands behind the line that it names. */
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** As in a unified diff, each behind ` `, `-` or `+`. Empty where there are too many to show, or none. */
  readonly lines: readonly string[]
}

export type FileChanges = {
  /** From the conversation's folder where it is under it. */
  readonly path: string
  readonly kind: "edited" | "made" | "removed"
  /** Entries of the inputs whose runs changed it. */
  readonly runs: readonly number[]
  readonly added: number
  readonly removed: number
  readonly hunks: readonly ChangeHunk[]
  /** Why there are no lines, in a few words; empty where there are. */
  readonly note: string
}

export type ChangesRecord = { readonly files: readonly FileChanges[]; readonly commands: number }

export type Refused = { readonly hunk: string; readonly reason: string }

/** `entry` is what was recorded, a run of its own that can be undone; null where nothing was undone. */
export type UndoRecord = {
  readonly entry: number | null
  readonly undone: readonly string[]
  readonly refused: readonly Refused[]
  readonly commands: number
}
