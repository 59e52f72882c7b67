/** What an empty conversation says: who is there, and the few keys that lead to all others. */
import type { HintKeys } from "./activity.ts"
import type { BannerRow } from "./banner.ts"

/** Under this many rows the words would be all there is. */
const rowsMin = 8

/** Rows for a place of `columns` by `rows`, or none where they do not fit. */
export function welcome(keys: HintKeys, columns: number, rows: number): readonly BannerRow[] {
  if (rows < rowsMin) return []
  const lines: readonly (readonly [string, string])[] = [
    ["enter", "sends, also while work is going on"],
    ["/", "commands"],
    ["@", "names a file"],
    ["!", "runs a command in the shell"],
    [keys.palette, "everything else, with its keys"],
  ]
  const known = lines.filter(([key]) => key !== "")
  const width = Math.max(...known.map(([key]) => key.length))
  const texts: readonly BannerRow[] = known.map(([key, text]) => ({
    text: `${key.padEnd(width)}  ${text}`,
    role: "textMuted",
  }))
  if (texts.some(({ text }) => text.length + 2 > columns)) return []
  return [{ text: "Cairn", role: "primary" }, { text: "", role: "text" }, ...texts]
}
