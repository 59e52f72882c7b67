/** What a search in files found, as lines: the file, the number, and the words that were looked for. */
import { cleanControls } from "../../std/clean.ts"
import { makeFinder, type Finder } from "../../std/finder.ts"
import type { JsonObject } from "../../std/json.ts"
import { span, textLine, type Line, type Span, type Style } from "../rows/row.ts"

/** `path:12: text` is a match, `path-12- text` a line around one. */
const hitPattern = /^(.+?)([:-])(\d+)\2 (.*)$/

const found: Style = { fg: "text", bold: true, underline: true }

function finderOf({ pattern, literal }: JsonObject): Finder | null {
  if (typeof pattern !== "string" || pattern === "") return null
  const made = makeFinder(pattern, literal !== true)
  return made.ok ? made.finder : null
}

function matched(text: string, finder: Finder | null): readonly Span[] {
  const spans: Span[] = []
  let at = 0
  for (const { from, to } of finder?.find(text) ?? []) {
    spans.push(span(text.slice(at, from)), span(text.slice(from, to), found))
    at = to
  }
  return [...spans, span(text.slice(at))].filter((one) => one.text !== "")
}

/** The lines of a result, of a search with these arguments. What is no hit is shown as it is. */
export function hitLines(output: string, args: JsonObject): readonly Line[] {
  const finder = finderOf(args)
  const lines = cleanControls(output).replace(/\n$/, "").split("\n")
  return lines.map((line) => {
    const [all, path = "", kind = "", number = "", text = ""] = hitPattern.exec(line) ?? []
    if (all === undefined) return textLine([span(line, { fg: "textMuted" })], { wrap: "cell" })
    const head = [span(path, { fg: "secondary" }), span(`${kind}${number}${kind} `, { fg: "textMuted" })]
    const rest = kind === ":" ? matched(text, finder) : [span(text, { fg: "textMuted" })]
    return textLine([...head, ...rest], { wrap: "cell" })
  })
}
