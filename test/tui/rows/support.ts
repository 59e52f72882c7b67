/** Rows as a drawing: their text, line by line, without blanks at the ends. */
import type { Layout } from "../../../src/tui/rows/row.ts"

export function drawing(layout: Layout): string {
  return layout.rows.map((row) => row.text.trimEnd()).join("\n")
}

/** The text between the first and the last line of a template literal, without its indentation. */
export function picture(text: string): string {
  const lines = text
    .replace(/^\n/, "")
    .replace(/\n[ ]*$/, "")
    .split("\n")
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length),
  )
  return lines.map((line) => line.slice(indent).trimEnd()).join("\n")
}
