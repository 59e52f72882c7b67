/**
 * The line above the editor: what is going on, since when, and how to stop it.
 *
 * - It moves only while something is going on. Over a network the mark stands still and the seconds tell.
 */
import type { Role } from "../../home/roles.ts"
import { printKeys } from "../../home/chord.ts"
import type { TaskRecord } from "../../protocol/records.ts"
import { queueOf, runOf } from "../../protocol/view.ts"
import type { ScreenState } from "../state.ts"
import { countdown, elapsed } from "./numbers.ts"
import type { Part, Strip } from "./strip.ts"

const marks = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const
/** A model that says nothing for longer is told of, and in another colour when it looks as if it had stalled. */
const silentMs = 5_000
const stalledMs = 60_000
export const tickMs = 250
export const tickRemoteMs = 1_000

/** The keys that the hints name, as the keymap has them; empty where nothing is bound. */
export type HintKeys = { readonly interrupt: string; readonly palette: string; readonly takeBack: string }

/** Tasks of the conversation that are at work, oldest first. */
function tasksOf(state: ScreenState): readonly TaskRecord[] {
  return [...state.view.tasks.values()]
    .filter((task) => task.conversation === state.conversation)
    .sort((a, b) => a.id - b.id)
}

export function isBusy(state: ScreenState): boolean {
  return runOf(state.view, state.conversation) !== undefined
}

/** True while something on the screen changes with time alone. */
export function needsTicks(state: ScreenState): boolean {
  return isBusy(state) || state.shell !== null || state.link.status === "waiting"
}

/** What the run is doing, in a word or two. */
function doing(state: ScreenState): { readonly text: string; readonly role: Role } {
  const tasks = tasksOf(state)
  if (tasks.some((task) => task.aborting)) return { text: "stopping", role: "warning" }
  const generation = tasks.findLast((task) => task.work.kind === "generation")
  if (generation?.work.kind === "generation" && generation.work.retry !== undefined) {
    const { until, attempt, of, error } = generation.work.retry
    const wait = countdown(until - state.now)
    return { text: `asking again in ${wait} (${attempt} of ${of}): ${error}`, role: "warning" }
  }
  if (generation?.work.kind === "generation" && generation.work.limit !== undefined) {
    const { cost, of } = generation.work.limit
    return { text: `waiting for you: $${cost.toFixed(2)} of $${of.toFixed(2)} spent`, role: "warning" }
  }
  const calls = tasks.filter((task) => task.work.kind === "toolCall")
  const first = calls[0]?.work
  if (first?.kind === "toolCall") {
    const more = calls.length > 1 ? ` and ${calls.length - 1} more` : ""
    return { text: `${first.name}${more}`, role: "toolPending" }
  }
  const other = tasks.find((task) => task.work.kind === "other")?.work
  if (other?.kind === "other" && generation === undefined) return { text: other.name, role: "notice" }
  const partial = generation === undefined ? undefined : state.view.progress.get(generation.id)
  const last = partial?.kind === "generation" ? partial.partial.parts.at(-1)?.part.type : undefined
  const word = last === "thinking" ? "thinking" : last === undefined ? "waiting" : "answering"
  if (generation === undefined) return { text: word, role: "primary" }
  // Time stands still on a screen with nothing going on, so that what was heard last may be older than this request.
  const silent = state.now - Math.max(state.heardAt, generation.startedAt)
  if (silent < silentMs) return { text: word, role: "primary" }
  return { text: `${word}, silent for ${elapsed(silent)}`, role: silent < stalledMs ? "primary" : "warning" }
}

function busyParts(state: ScreenState, keys: HintKeys, remote: boolean): readonly Part[] {
  const run = runOf(state.view, state.conversation)
  if (run === undefined) return []
  const mark = remote ? "●" : (marks[Math.floor(state.now / tickMs) % marks.length] ?? "●")
  const { text, role } = doing(state)
  return [
    { text: mark, role, bold: true },
    { text, role, drop: 0 },
    { text: elapsed(state.now - run.startedAt), role: "textMuted", drop: 1 },
    { text: keys.interrupt === "" ? "" : `${keys.interrupt} stops`, role: "textMuted", drop: 3 },
  ]
}

function linkParts(state: ScreenState): readonly Part[] {
  // Nothing is started before there is a model.
  if (state.link.status === "connecting" && state.noModel !== null) return []
  if (state.link.status === "connecting") {
    const text = state.link.attempt === 1 ? "starting" : "connecting"
    return [{ text, role: "textMuted" }]
  }
  if (state.link.status === "open") return []
  if (state.link.status === "stopped") return [{ text: "host stopped", role: "warning" }]
  return [{ text: `host away, trying again in ${countdown(state.link.until - state.now)}`, role: "warning" }]
}

const modeNames = { plain: "", insert: "INSERT", normal: "NORMAL", visual: "VISUAL", visualLine: "V-LINE" } as const

/** `newBelow`: what has come below what is read; `copying`: the keys of selecting, while that goes on, else empty. */
export function activity(
  state: ScreenState,
  keys: HintKeys,
  given: { readonly remote: boolean; readonly newBelow: number; readonly copying: string },
): Strip {
  const busy = busyParts(state, keys, given.remote)
  const shell: Part[] =
    state.editor.shell === "no"
      ? []
      : [{ text: state.editor.shell === "told" ? "shell" : "shell, not told to the model", role: "accent", bold: true }]
  // What the host was doing is not known while it is away.
  const { link } = state
  const away = link.status === "waiting" || (link.status === "connecting" && link.attempt > 1)
  const command: readonly Part[] =
    state.shell === null
      ? []
      : [
          { text: "!", role: "accent", bold: true },
          { text: state.shell, role: "toolPending", drop: 0 },
        ]
  const work = busy.length > 0 ? busy : command
  const left = work.length > 0 && !away ? work : linkParts(state)
  const queued = queueOf(state.view, state.conversation).length
  const takeBack = keys.takeBack === "" ? "" : `, ${keys.takeBack} takes back`
  const hint = left.length === 0 && state.editor.empty && keys.palette !== "" ? `${keys.palette} commands` : ""
  return {
    left: [...left, ...shell],
    right: [
      { text: given.newBelow > 0 ? `${given.newBelow} new ↓` : "", role: "accent", bold: true, drop: 1 },
      { text: queued > 0 ? `${queued} queued${takeBack}` : "", role: "textMuted", drop: 4 },
      { text: state.keys.length > 0 ? `${printKeys(state.keys)} …` : "", role: "secondary", drop: 1 },
      { text: given.copying === "" ? hint : given.copying, role: "textMuted", drop: 5 },
      { text: given.copying === "" ? "" : "COPY", role: "secondary", bold: true, drop: 1 },
      { text: modeNames[state.editor.mode], role: "secondary", drop: 2 },
    ],
    gap: "─",
  }
}
