/**
 * Inputs that are on their way to the host. Those that it has stand in the conversation, where they will be placed.
 */
import type { UserPart } from "../../message/message.ts"
import type { ScreenState } from "../state.ts"
import type { Strip } from "./strip.ts"

/** Rows that they may take; the last one then says how many more there are. */
const rowsMax = 4

export function inputText(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join(" ")
}

export function outbox(state: ScreenState): readonly Strip[] {
  const all = state.outbox
  const shown = all.length > rowsMax ? all.slice(0, rowsMax - 1) : all
  const rows = shown.map(({ text }): Strip => ({
    left: [
      { text: "↳ sending", role: "secondary", drop: 0 },
      { text, role: "textMuted", drop: 0 },
    ],
    right: [],
    gap: " ",
  }))
  if (shown.length === all.length) return rows
  return [
    ...rows,
    { left: [{ text: `↳ and ${all.length - shown.length} more`, role: "textMuted" }], right: [], gap: " " },
  ]
}
