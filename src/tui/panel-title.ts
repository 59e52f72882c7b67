/**
 * The row over a panel: its name, a line, and at the right end what the mouse can press: zoom and hide.
 *
 * - The name is what is dragged to another slot; the line over the bottom slot is what is dragged to make it larger.
 */
import { StyledText } from "@opentui/core"
import { shorten, textWidth } from "../std/text.ts"
import type { Look } from "./dialogs/frame.ts"
import { chunk } from "./status/strip.ts"

/** Under this many columns the buttons would leave nothing of the name. */
const buttonsFrom = 20
const zoomSign = "□"
const zoomedSign = "▣"
const hideSign = "×"
/** ` □ ×`: cells from the right end. */
const buttonColumns = 4

export type TitlePart = "name" | "line" | "zoom" | "hide"

function nameText(name: string, width: number, look: Look): string {
  return shorten(` ${name} `, width < buttonsFrom ? width : width - buttonColumns - 1, look.method)
}

/** What stands at `column` of a title that is `width` wide. */
export function titlePart(name: string, column: number, width: number, look: Look): TitlePart {
  if (width >= buttonsFrom && column >= width - 2) return "hide"
  if (width >= buttonsFrom && column >= width - buttonColumns) return "zoom"
  return column < textWidth(nameText(name, width, look), look.method) ? "name" : "line"
}

export function titleContent(
  name: string,
  width: number,
  state: { readonly focused: boolean; readonly zoomed: boolean },
  look: Look,
): StyledText {
  const text = nameText(name, width, look)
  const buttons = width < buttonsFrom ? "" : ` ${state.zoomed ? zoomedSign : zoomSign} ${hideSign}`
  const line = "─".repeat(Math.max(0, width - textWidth(text, look.method) - buttons.length))
  return new StyledText([
    chunk(text, look.ink, {
      role: state.focused ? "primary" : "textMuted",
      bold: state.focused,
      inverse: state.focused && look.mono,
    }),
    chunk(line, look.ink, { role: state.focused ? "focus" : "borderSubtle" }),
    chunk(buttons, look.ink, { role: state.focused ? "primary" : "textMuted" }),
  ])
}
