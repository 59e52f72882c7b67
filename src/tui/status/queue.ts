/**
 * Inputs that wait: on their way to the host, for the next turn, for the next run. Each one row, in the order in which they will be placed.
 */
import type { UserPart } from "../../message/message.ts"
import { queueOf } from "../../protocol/view.ts"
import type { ScreenState } from "../state.ts"
import type { Part, Strip } from "./strip.ts"

/** Rows that the queue may take; the last one then says how many more there are. */
const rowsMax = 4

export function inputText(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join(" ")
}

type Waiting = { readonly mark: string; readonly text: string }

function waiting(state: ScreenState): readonly Waiting[] {
  const marks = { steer: "next turn", followUp: "next run" } as const
  return [
    ...queueOf(state.view, state.conversation).map(({ mode, content }) => ({
      mark: marks[mode],
      text: inputText(content),
    })),
    ...state.outbox.map(({ text }) => ({ mark: "sending", text })),
  ]
}

/** `takeBack` are the keys that bring the inputs back into the editor. */
export function queue(state: ScreenState, takeBack: string): readonly Strip[] {
  const all = waiting(state)
  const shown = all.length > rowsMax ? all.slice(0, rowsMax - 1) : all
  const hint: Part = { text: takeBack === "" ? "" : `${takeBack} takes back`, role: "textMuted", drop: 2 }
  const rows = shown.map(({ mark, text }, place): Strip => ({
    left: [
      { text: `↳ ${mark}`, role: "secondary", drop: 0 },
      { text, role: "textMuted", drop: 0 },
    ],
    right: place === 0 ? [hint] : [],
    gap: " ",
  }))
  if (shown.length === all.length) return rows
  const more: Part = { text: `↳ and ${all.length - shown.length} more`, role: "textMuted" }
  return [...rows, { left: [more], right: [], gap: " " }]
}
