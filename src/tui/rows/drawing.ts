/**
 * A drawing made of text, and the text that it was made of: one of them is shown, the drawing where it has room.
 *
 * - The units are those of the source at every width: what is found and copied is what was written. The words in the drawing are shown as the
 *   parts of the source that they are, so a match is marked in the drawing too.
 */
import { textWidth, type WidthMethod } from "../../std/text.ts"
import { spansText, type DrawingLine, type Row, type Span, type Style, type Unit } from "./row.ts"
import { fitPrefix, prefixWidth, RowWriter } from "./writer.ts"

const lineStyle: Style = { fg: "textMuted" }

/** Whether the drawing fits beside its prefix. */
export function drawingFits(line: DrawingLine, width: number, method: WidthMethod): boolean {
  const room = width - prefixWidth(fitPrefix(line.first, width, method), method)
  return line.rows.every(({ text }) => textWidth(text, method) <= room)
}

type Words = { readonly unit: Unit; readonly spans: readonly Span[] }

/** Where a word stands in the source, where nothing that was asked for before stands; undefined where it does not, or not as often as it is drawn. */
function placesIn(
  words: readonly Words[],
): (text: string) => { readonly words: Words; readonly from: number } | undefined {
  const taken = words.map((): { readonly from: number; readonly to: number }[] => [])
  return (text) => {
    for (const [line, one] of words.entries()) {
      for (let from = one.unit.text.indexOf(text); from >= 0; from = one.unit.text.indexOf(text, from + 1)) {
        const to = from + text.length
        if (taken[line]?.some((other) => other.from < to && from < other.to) === true) continue
        taken[line]?.push({ from, to })
        return { words: one, from }
      }
    }
    return undefined
  }
}

export function layoutDrawing(line: DrawingLine, width: number, method: WidthMethod, rows: Row[], units: Unit[]): void {
  const words = line.source.map((one): Words => ({
    unit: { text: spansText(one.spans), joint: "\n", ...(one.code === undefined ? {} : { code: one.code }) },
    spans: one.spans,
  }))
  for (const { unit } of words) units.push(unit)
  const place = placesIn(words)
  const drawn = line.rows.map(({ text, labels }) => ({
    text,
    labels: labels.map((label) => ({ ...label, found: place(label.text) })),
  }))
  const shown = new Set(drawn.flatMap(({ labels }) => labels.flatMap(({ found }) => found?.words ?? [])))
  drawn.forEach(({ text, labels }, row) => {
    const writer = new RowWriter(method).decorate(fitPrefix(row === 0 ? line.first : line.rest, width, method))
    // What is written and not drawn is found at the head of the drawing.
    if (row === 0) for (const one of words) if (!shown.has(one)) writer.content(one.unit, one.spans, { from: 0, to: 0 })
    let at = 0
    for (const label of labels) {
      writer.decorate([{ text: text.slice(at, label.at), style: lineStyle }])
      at = label.at + label.text.length
      if (label.found === undefined) writer.decorate([{ text: label.text, style: { fg: "markdownText" } }])
      else {
        const { words: of, from } = label.found
        writer.content(of.unit, of.spans, { from, to: from + label.text.length })
      }
    }
    rows.push(writer.decorate([{ text: text.slice(at), style: lineStyle }]).take(row > 0, undefined))
  })
}
