/** Figures and lists in words, as results show them. */
import { head } from "../std/lines.ts"

/** What a model gets of a list at once, however high a limit it gave. */
const listBytesMax = 50 * 1024

/** The lines of a list as far as they go, and notes on what is not there. */
export function listText(lines: string, notes: readonly string[]): string {
  const { text, lines: left } = head(lines, { lines: Infinity, bytes: listBytesMax })
  const cut = left === 0 ? [] : [`Cut at ${listBytesMax / 1024} KiB: ${left} lines more. Ask for less.`]
  return text.trimEnd() + [...cut, ...notes].map((note) => `\n\n[${note}]`).join("")
}

/** `12 bytes`, `34.5 kB`, `1.2 GB`: powers of a thousand. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`
  const units = ["kB", "MB", "GB", "TB"]
  let value = bytes / 1_000
  let unit = 0
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${value.toFixed(1)} ${units[unit]}`
}
