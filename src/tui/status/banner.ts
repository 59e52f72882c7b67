/**
 * What must not be missed, over the editor: a disk that refuses, a host that is away, work that waits for a key; and, for a while, what a
 * command has to say. One sentence a row, worst first.
 */
import type { Role } from "../../home/roles.ts"
import { cleanLine } from "../../std/clean.ts"
import { wrap, type WidthMethod } from "../../std/text.ts"
import type { Level, ScreenState } from "../state.ts"

export type BannerRow = { readonly text: string; readonly role: Role }

/** Rows of one sentence, and of all of them. */
const rowsEach = 2
const rowsMax = 4

const roleOf: Readonly<Record<Level, Role>> = { info: "notice", warning: "warning", error: "error" }

type Sentence = { readonly level: Level; readonly text: string }

const healthWords = {
  waiting: "The disk does not take what is said; it is kept and tried again",
  "read-only": "This session can be read and not written",
  poisoned: "The session has to be opened again",
} as const

function sentences(state: ScreenState, resumeKeys: string): readonly Sentence[] {
  const { health, held, session } = state.view
  const how = `${resumeKeys === "" ? "/continue" : resumeKeys} goes on with it`
  const all: Sentence[] = []
  if (health.state !== "ok") {
    all.push({ level: "error", text: `${healthWords[health.state]}: ${health.reason}` })
  }
  if (state.link.status === "waiting" && state.link.attempt > 1) {
    all.push({ level: "warning", text: state.link.reason })
  }
  if (state.link.status === "stopped") {
    all.push({ level: "warning", text: `${state.link.reason.replace(/\.?$/, ".")} The next prompt starts it again.` })
  }
  if (held !== null && session !== "") {
    // What waits for code that is not here goes on when that is back, and by no key.
    all.push({ level: "warning", text: held.because === "code" ? held.reason : `${held.reason} ${how}` })
  }
  if (state.noModel === "put away") {
    all.push({
      level: "warning",
      text: "No model can be asked yet: /login stores a provider's key, /tour shows what there is without one.",
    })
  }
  if (state.interrupted !== null) {
    const title = state.interrupted.title === "" ? "a session" : `“${state.interrupted.title}”`
    all.push({ level: "warning", text: `Work in ${title} was interrupted; ${how}` })
  }
  if (state.toast !== null) all.push(state.toast)
  return all
}

export function banner(
  state: ScreenState,
  width: number,
  method: WidthMethod,
  resumeKeys: string,
): readonly BannerRow[] {
  const rows = sentences(state, resumeKeys).flatMap(({ level, text }) => {
    const clean = cleanLine(text)
    const ranges = wrap(clean, { method, by: "word", first: Math.max(1, width - 2), rest: Math.max(1, width - 2) })
    return ranges.slice(0, rowsEach).map(({ from, to }, place): BannerRow => {
      const cut = place === rowsEach - 1 && ranges.length > rowsEach
      return {
        text: `${place === 0 ? "● " : "  "}${clean.slice(from, cut ? to - 1 : to)}${cut ? "…" : ""}`,
        role: roleOf[level],
      }
    })
  })
  return rows.slice(0, rowsMax)
}
