/**
 * A unified diff as lines: numbers, marks, colours of the code and of what changed in it.
 *
 * - A diff is data that a tool stored; a line that is no part of one is shown as it is.
 * - The two sides are coloured as the code that they are, when colours are at hand; the words that differ between a line and the one that replaced
 *   it are drawn stronger.
 */
import { diffWordsWithSpace } from "diff"
import { cleanControls } from "../../std/clean.ts"
import type { CodeLines, Highlighter } from "../highlight/highlighter.ts"
import { span, textLine, type Line, type Span, type Style } from "../rows/row.ts"

/** Lines that are coloured as code; a longer diff shows what changed and nothing else. */
const coloredLinesMax = 1_000

export type DiffLine =
  | { readonly kind: "hunk"; readonly text: string }
  | { readonly kind: "added" | "removed" | "context"; readonly text: string; readonly number: number }

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of a unified diff. Its file headers are left out: who shows it says which file. */
export function parseDiff(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let [before, after, inside] = [0, 0, false]
  for (const text of cleanControls(diff).replace(/\n$/, "").split("\n")) {
    const head = hunkHead.exec(text)
    if (head !== null) {
      before = Number(head[1])
      after = Number(head[2])
      inside = true
      lines.push({ kind: "hunk", text })
    } else if (!inside) continue
    else if (text.startsWith("+")) lines.push({ kind: "added", text: text.slice(1), number: after++ })
    else if (text.startsWith("-")) lines.push({ kind: "removed", text: text.slice(1), number: before++ })
    else if (text.startsWith("\\")) lines.push({ kind: "hunk", text: text.slice(2) })
    else {
      lines.push({ kind: "context", text: text.slice(1), number: after++ })
      before += 1
    }
  }
  return lines
}

type Look = { readonly mark: string; readonly style: Style; readonly strong: Style; readonly number: Style }

const looks: Readonly<Record<"added" | "removed" | "context", Look>> = {
  added: {
    mark: "+",
    style: { fg: "diffAdded" },
    strong: { fg: "diffHighlightAdded", bold: true, underline: true },
    number: { fg: "diffLineNumber", bg: "diffAddedLineNumberBg" },
  },
  removed: {
    mark: "-",
    style: { fg: "diffRemoved" },
    strong: { fg: "diffHighlightRemoved", bold: true, underline: true },
    number: { fg: "diffLineNumber", bg: "diffRemovedLineNumberBg" },
  },
  context: {
    mark: " ",
    style: { fg: "diffContext" },
    strong: { fg: "diffContext" },
    number: { fg: "diffLineNumber" },
  },
}

const fills = { added: "diffAddedBg", removed: "diffRemovedBg", context: "diffContextBg" } as const

export type DiffContext = { readonly highlighter: Highlighter; readonly language: string; pending: boolean }

/** The whole diff, or its first `limit` lines. */
export function diffLines(lines: readonly DiffLine[], context: DiffContext, limit = Infinity): readonly Line[] {
  const shown = lines.slice(0, limit)
  const numbers = Math.max(...shown.map((line) => (line.kind === "hunk" ? 0 : line.number)), 1)
  const digits = String(numbers).length
  const sides = lines.length > coloredLinesMax ? null : colorSides(lines, context)
  const changed = lines.length > coloredLinesMax ? new Map<number, readonly Part[]>() : changedParts(shown)
  return shown.map((line, place) => {
    if (line.kind === "hunk") {
      return textLine([span(line.text, { fg: "diffHunkHeader" })], {
        first: [span(" ".repeat(digits + 1))],
        wrap: "cut",
      })
    }
    const look = looks[line.kind]
    const number = span(String(line.number).padStart(digits), look.number)
    const spans = overlay(sides?.get(line) ?? [span(line.text, look.style)], changed.get(place) ?? [], look.strong)
    return textLine(
      spans.map((one) => ({ ...one, style: { ...one.style, bg: one.style.bg ?? fills[line.kind] } })),
      {
        first: [number, span(` ${look.mark} `, { ...look.style, bg: fills[line.kind] })],
        rest: [span(" ".repeat(digits), look.number), span("   ", { bg: fills[line.kind] })],
        wrap: "cell",
        fill: fills[line.kind],
      },
    )
  })
}

/** Colours of the code for each line, where they are at hand. */
function colorSides(lines: readonly DiffLine[], context: DiffContext): ReadonlyMap<DiffLine, readonly Span[]> | null {
  if (context.language === "") return null
  const out = new Map<DiffLine, readonly Span[]>()
  for (const side of ["removed", "added"] as const) {
    const own = lines.filter((line) => line.kind === side || line.kind === "context")
    if (!own.some((line) => line.kind === side)) continue
    const colored = context.highlighter.lookup(context.language, own.map((line) => line.text).join("\n"))
    if (colored.pending) context.pending = true
    if (colored.lines !== null) place(own, colored.lines, out)
  }
  return out
}

function place(own: readonly DiffLine[], colored: CodeLines, out: Map<DiffLine, readonly Span[]>): void {
  own.forEach((line, index) => {
    const spans = colored[index]
    if (spans !== undefined && spans.length > 0 && line.text !== "") out.set(line, spans)
  })
}

type Part = { readonly from: number; readonly to: number }

/** Code units of two lines that are compared word by word; longer ones are data, and would take long. */
const comparedMax = 2_000

/** Where removed lines and the added ones that replaced them differ. */
function changedParts(lines: readonly DiffLine[]): ReadonlyMap<number, readonly Part[]> {
  const out = new Map<number, readonly Part[]>()
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]?.kind !== "removed") continue
    let removed = at
    while (lines[removed]?.kind === "removed") removed += 1
    let added = removed
    while (lines[added]?.kind === "added") added += 1
    const pairs = Math.min(removed - at, added - removed)
    for (let pair = 0; pair < pairs; pair++) pairParts(lines, at + pair, removed + pair, out)
    at = added - 1
  }
  return out
}

function pairParts(
  lines: readonly DiffLine[],
  removed: number,
  added: number,
  out: Map<number, readonly Part[]>,
): void {
  const a = lines[removed]?.text ?? ""
  const b = lines[added]?.text ?? ""
  if (a.length + b.length > comparedMax) return
  const gone: Part[] = []
  const come: Part[] = []
  let [before, after, same] = [0, 0, 0]
  for (const { value, added: isNew = false, removed: isOld = false } of diffWordsWithSpace(a, b)) {
    if (isOld) gone.push({ from: before, to: before + value.length })
    else if (isNew) come.push({ from: after, to: after + value.length })
    else same += value.trim().length
    if (!isNew) before += value.length
    if (!isOld) after += value.length
  }
  // A line that has little in common with the other is a new line, not a changed one.
  if (same < Math.min(a.trim().length, b.trim().length) / 3) return
  out.set(removed, gone)
  out.set(added, come)
}

/** `spans` with `strong` over the parts, which are in order and apart. */
function overlay(spans: readonly Span[], parts: readonly Part[], strong: Style): readonly Span[] {
  if (parts.length === 0) return spans
  let at = 0
  return spans.flatMap(({ text, style }) => {
    const start = at
    at += text.length
    const pieces: Span[] = []
    let done = 0
    for (const part of parts) {
      const from = Math.max(done, Math.min(text.length, part.from - start))
      const to = Math.max(from, Math.min(text.length, part.to - start))
      pieces.push(
        { text: text.slice(done, from), style },
        { text: text.slice(from, to), style: { ...style, ...strong } },
      )
      done = to
    }
    return [...pieces, { text: text.slice(done), style }].filter((one) => one.text !== "")
  })
}
