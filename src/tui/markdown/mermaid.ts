/**
 * A diagram in Mermaid's notation as a drawing of lines and boxes, by a library.
 *
 * - What the library does not know, or would leave out in part, is no drawing: the source is shown instead.
 * - The library counts a character as a cell. Characters that are not are put in their place afterwards, so that boxes close around them.
 */
import { cellWidth, graphemes } from "../../std/text.ts"

/** Drawing takes a moment that grows with the lines: this many take less than a tenth of a second. */
const linesMax = 60
const charactersMax = 4_000

const options = { colorMode: "none", paddingX: 3, paddingY: 2, boxBorderPadding: 0 } as const

/** Loaded with the first diagram. */
function library(): typeof import("beautiful-mermaid") {
  return require("beautiful-mermaid") as typeof import("beautiful-mermaid")
}

/** Lines that say how something looks or behaves, and nothing that is drawn. */
const silent =
  /^\s*(?:%%.*|click\b.*|style\b.*|classDef\b.*|class\s+\S+\s+\w+\s*;?|linkStyle\b.*|direction\s+\w+|end|autonumber|(?:de)?activate\b.*|[{}]|)\s*$/

/** Private characters: the first stands for nothing, those after it for what has another width than its length. */
const filler = "\ue000"
const firstStand = 0xe100
const standsMax = 0x400

type Stands = { readonly text: string; readonly meant: readonly string[] }

function standIns(source: string): Stands | null {
  if (/[\ue000-\uf8ff]/.test(source)) return null
  const meant: string[] = []
  let text = ""
  for (const grapheme of graphemes(source)) {
    const width = grapheme === "\n" || grapheme === "\t" ? 1 : cellWidth(grapheme, "unicode")
    if (grapheme.length === 1 && width === 1) text += grapheme
    else {
      if (!meant.includes(grapheme)) meant.push(grapheme)
      text += String.fromCharCode(firstStand + meant.indexOf(grapheme)) + filler.repeat(Math.max(0, width - 1))
    }
  }
  return meant.length > standsMax ? null : { text, meant }
}

/** Marks of the drawing itself, between which labels stand. */
const lineMarks = "\u2190-\u21ff\u2500-\u25ff"
const labelPattern = new RegExp(`[^\\s${lineMarks}]+(?: [^\\s${lineMarks}]+)*`, "g")

export type Label = { readonly text: string; readonly at: number }

/** The words in a row of a drawing. */
export function labelsOf(row: string): readonly Label[] {
  return [...row.matchAll(labelPattern)].map((found) => ({ text: found[0], at: found.index }))
}

/** Every line that says something is seen in the drawing by at least one of its words. */
function isWhole(source: string, rows: readonly string[]): boolean {
  const labels = rows.flatMap((row) => labelsOf(row).map(({ text }) => text))
  const [, ...statements] = source.split("\n").filter((line) => !silent.test(line))
  return statements.every((line) => labels.some((label) => line.includes(label)))
}

/** The rows of the drawing; null where there is none to be had. `source` is clean. */
export function drawMermaid(source: string): readonly string[] | null {
  if (source.length > charactersMax || source.split("\n").length > linesMax) return null
  const stands = standIns(source)
  if (stands === null) return null
  const said = stands.text.split("\n").filter((line) => !/^\s*click\b/.test(line))
  let drawn: string
  try {
    drawn = library().renderMermaidASCII(said.join("\n"), options)
  } catch {
    // Another kind of diagram, or one that is not finished: its source says it.
    return null
  }
  const meantBy = (stand: string): string => stands.meant[stand.charCodeAt(0) - firstStand] ?? ""
  const rows = drawn
    .replaceAll(filler, "")
    .replace(/[\ue100-\ue4ff]/g, meantBy)
    .split("\n")
    .map((row) => row.trimEnd())
  while (rows.at(-1) === "") rows.pop()
  while (rows[0] === "") rows.shift()
  return rows.length > 0 && isWhole(source, rows) ? rows : null
}
