/**
 * What runs changed in files, from the results in the transcript to hunks that can be reviewed and taken back.
 *
 * - Changes of one file that follow on one another are one; where somebody else changed it in between, they are apart, and the newest is taken
 *   back first.
 * - Hunks and their ids come from the kept contents alone; only their states depend on what the file is now.
 * - Text of one encoding is compared by lines; anything else, a file that was made or removed included, is one hunk: all of it or nothing.
 */
import type { Entry } from "../ledger/records.ts"
import type { ChangeHunk, HunkState } from "../protocol/changes.ts"
import { decodeText, encodeText, type TextForm } from "../tools/encoding.ts"
import { changeIn, type FileChange } from "../tools/file-facts.ts"
import { hunksOf, linesOf, takeBack, type Region } from "../tools/take-back.ts"
import { dataOf } from "./entries.ts"

/** Changes of one file that follow on one another: from `before` to `after`. */
export type Step = Pick<FileChange, "path" | "before" | "after" | "mode"> & {
  readonly runs: readonly number[]
  /** Folders that were made for it. */
  readonly folders: readonly string[]
}

type Made = { readonly run: number; readonly change: FileChange }

/** A run begins with an input that joined no other run, or is an undo. */
function beginsRun(entry: Entry): boolean {
  const data = dataOf(entry)
  return data?.kind === "undo" || (data?.kind === "user" && data.run === undefined)
}

function changesOf(entry: Entry): readonly FileChange[] {
  const data = dataOf(entry)
  if (data?.kind === "undo") return data.files.map(({ change }) => change)
  if (data?.kind !== "toolResult" || (data.outcome !== "done" && data.outcome !== "reconciled")) return []
  const change = changeIn(data.details)
  return change === null ? [] : [change]
}

/** What commands ran: they may have changed files too. */
function isCommand(entry: Entry): boolean {
  const data = dataOf(entry)
  return data?.kind === "toolResult" && data.message.toolName === "bash" && data.outcome !== "not started"
}

export type Collected = { readonly steps: readonly Step[]; readonly commands: number }

/** The changes in `entries`, oldest first; of one run only where `run` names its first entry. */
export function collect(entries: readonly Entry[], run?: number): Collected {
  const made: Made[] = []
  let commands = 0
  let current = 0
  for (const entry of entries) {
    if (beginsRun(entry)) current = entry.id
    if (run !== undefined && current !== run) continue
    for (const change of changesOf(entry)) made.push({ run: current, change })
    if (isCommand(entry)) commands++
  }
  return { steps: stepsOf(made), commands }
}

function stepsOf(made: readonly Made[]): readonly Step[] {
  const steps: Step[] = []
  for (const { run, change } of made) {
    const { path, before, after, mode, folder } = change
    const folders = folder === undefined ? [] : [folder]
    const at = steps.findLastIndex((step) => step.path === path)
    const last = steps[at]
    if (last === undefined || last.after !== before) steps.push({ path, before, after, mode, runs: [run], folders })
    else {
      const runs = [...new Set([...last.runs, run])]
      steps[at] = { ...last, after, mode: last.mode ?? mode, runs, folders: [...last.folders, ...folders] }
    }
  }
  return steps.filter(({ before, after }) => before !== after)
}

/** A content; `bytes` is null where it is not kept. A file that is not there is no content: null. */
export type Content = { readonly hash: string; readonly bytes: Uint8Array | null } | null

type Loaded = { readonly step: Step; readonly before: Content; readonly after: Content }
type Lines = { readonly before: string; readonly after: string; readonly form: TextForm }

function textOf(content: Content): { readonly text: string; readonly form: TextForm } | null {
  const decoded = content?.bytes == null ? null : decodeText(content.bytes)
  return decoded !== null && "text" in decoded ? decoded : null
}

/** Both texts, where the change can be taken apart by lines. */
function linesIn({ before, after }: Loaded): Lines | null {
  const [old, fresh] = [textOf(before), textOf(after)]
  if (old === null || fresh === null || !sameForm(old.form, fresh.form)) return null
  return { before: old.text, after: fresh.text, form: fresh.form }
}

function sameForm(a: TextForm, b: TextForm): boolean {
  return a.encoding === b.encoding && a.bom === b.bom
}

/** A file's changes, with what it is now; `after` is what it would be with the chosen hunks taken back. */
export type FilePlan = {
  readonly path: string
  readonly steps: readonly Step[]
  readonly hunks: readonly ChangeHunk[]
  readonly now: Content
  readonly after: Content
  readonly mode: number | null
}

/** Takes from `now` the chosen hunks of a file's steps; `name` is what its hunks are named by. */
export function planFile(
  name: string,
  loaded: readonly Loaded[],
  now: Content,
  chosen: (id: string) => boolean,
): FilePlan {
  const counts = loaded.map((one) => (linesIn(one) === null ? 1 : hunkRegions(one).length))
  const firsts = counts.map((_, at) => counts.slice(0, at).reduce((sum, count) => sum + count, 0))
  const hunks: ChangeHunk[][] = []
  let file = now
  for (let at = loaded.length - 1; at >= 0; at--) {
    const [one, first = 0] = [loaded[at], firsts[at]]
    if (one === undefined) continue
    const idOf = (hunk: number): string => `${name}#${first + hunk + 1}`
    const taken = takeStep(one, file, idOf, chosen)
    file = taken.file
    hunks.unshift([...taken.hunks])
  }
  const steps = loaded.map(({ step }) => step)
  const mode = steps[0]?.mode ?? null
  return { path: steps[0]?.path ?? "", steps, hunks: hunks.flat(), now, after: file, mode }
}

function hunkRegions(one: Loaded): readonly Region[] {
  const lines = linesIn(one)
  return lines === null ? [] : hunksOf(lines.before, lines.after)
}

type Taken = { readonly file: Content; readonly hunks: readonly ChangeHunk[] }

function takeStep(one: Loaded, file: Content, idOf: (hunk: number) => string, chosen: (id: string) => boolean): Taken {
  const lines = linesIn(one)
  if (lines === null) return takeWhole(one, file, idOf(0), chosen)
  const regions = hunksOf(lines.before, lines.after)
  const shown = regions.map((region, at) => shownHunk(idOf(at), region, lines))
  const state = (now: HunkState, reason: string): readonly ChangeHunk[] =>
    shown.map((hunk) => ({ ...hunk, state: now, reason }))
  if (file === null) return { file, hunks: state("conflict", "the file is gone") }
  const text = textOf(file)
  if (text === null || !sameForm(text.form, lines.form))
    return { file, hunks: state("conflict", "others made another kind of file of it") }
  const { text: after, states } = takeBack({ ...lines, now: text.text }, (hunk) => chosen(idOf(hunk)))
  const reason = "others changed these lines since"
  return {
    file: after === text.text ? file : contentOf(encodeText(after, lines.form)),
    hunks: shown.map((hunk, at) => ({
      ...hunk,
      state: states[at] ?? "conflict",
      reason: states[at] === "conflict" ? reason : "",
    })),
  }
}

/** All of a file, or nothing of it. */
function takeWhole(one: Loaded, file: Content, id: string, chosen: (id: string) => boolean): Taken {
  const { before, after } = one
  const hunk = wholeHunk(id, one)
  const is = file?.hash ?? null
  if (is === (before?.hash ?? null)) return { file, hunks: [{ ...hunk, state: "undone" }] }
  const conflict = (reason: string): Taken => ({ file, hunks: [{ ...hunk, state: "conflict", reason }] })
  if (is !== (after?.hash ?? null))
    return conflict(file === null ? "the file is gone" : "others changed the file since")
  if (before !== null && before.bytes === null) return conflict("what it was is not kept")
  return { file: chosen(id) ? before : file, hunks: [hunk] }
}

export function contentOf(bytes: Uint8Array): Content {
  return { hash: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), bytes }
}

const contextLines = 3
/** Lines of one hunk that are shown. */
const shownLinesMax = 2_000

function shownHunk(id: string, { from, to, otherFrom, otherTo }: Region, { before, after }: Lines): ChangeHunk {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const marked = (mark: string, lines: readonly string[]): string[] =>
    lines.map((line) => mark + line.replace(/\r?\n$/, ""))
  const head = marked(" ", fresh.slice(Math.max(0, from - contextLines), from))
  const tail = marked(" ", fresh.slice(to, to + contextLines))
  const lines = [...head, ...marked("-", old.slice(otherFrom, otherTo)), ...marked("+", fresh.slice(from, to)), ...tail]
  return {
    id,
    state: "made",
    reason: "",
    oldStart: otherFrom + (otherFrom === otherTo ? 0 : 1),
    oldLines: otherTo - otherFrom,
    newStart: from + (from === to ? 0 : 1),
    newLines: to - from,
    lines: lines.length > shownLinesMax ? [] : lines,
  }
}

/** A file that was made or removed, as lines where it is text. */
function wholeHunk(id: string, { before, after }: Loaded): ChangeHunk {
  const both = before !== null && after !== null
  const [old, fresh] = both ? [[], []] : [before, after].map((content) => linesOf(textOf(content)?.text ?? ""))
  const region = { from: 0, to: fresh?.length ?? 0, otherFrom: 0, otherTo: old?.length ?? 0 }
  const lines = { before: (old ?? []).join(""), after: (fresh ?? []).join(""), form: { encoding: "UTF-8", bom: false } }
  return shownHunk(id, region, lines as Lines)
}
