/** What a command printed, as lines. Its own colours stay; everything else is cleaned. */
import { parseAnsi, type AnsiLine, type AnsiStyle } from "../../std/ansi.ts"
import { span, textLine, type Line, type Span } from "../rows/row.ts"

/** The lines of an output, without the empty one after its last newline. */
export function outputLines(text: string): readonly AnsiLine[] {
  const { lines } = parseAnsi(text)
  return lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines
}

export function ansiLine(line: AnsiLine, first: readonly Span[] = []): Line {
  return textLine(
    line.map(({ text, style }) => ({ text, style: { fg: "text", ...style } as const })),
    { first, wrap: "cell" },
  )
}

export type AnsiOutput = { readonly lines: readonly AnsiLine[]; readonly style: AnsiStyle }

/** The first and the last lines with a note between them; all where there are not more than `head + tail`. */
export function clipLines(
  lines: readonly Line[],
  head: number,
  tail: number,
  note: (hidden: number) => string,
  first: readonly Span[] = [],
): readonly Line[] {
  const hidden = lines.length - head - tail
  // A note in the place of a single line would hide it for nothing.
  if (hidden <= 1) return lines
  const said = textLine([span(note(hidden), { fg: "textMuted" })], { first, wrap: "cut", action: "fold" })
  return [...lines.slice(0, head), said, ...lines.slice(lines.length - tail)]
}
