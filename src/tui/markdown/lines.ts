/**
 * Block tokens to lines.
 *
 * - What is a border here (quote bars, list marks, the rule beside code) is a prefix, so it is neither found nor copied.
 * - A token of a kind that is not known shows its text.
 */
import type { Token, Tokens } from "marked"
import type { Highlighter } from "../highlight/highlighter.ts"
import { blankLine, prefixLines, span, textLine, type Line, type Span, type Style, type TextLine } from "../rows/row.ts"
import { drawMermaid, labelsOf } from "./mermaid.ts"
import { childrenOf, inlineSpans, splitSpans, stripTags } from "./inline.ts"

/** Code beyond this is shown plain: colouring it would take seconds. */
const codeLinesMax = 2_000
const codeMax = 64 * 1024
/** A fence that is still open is coloured anew at every piece; beyond this it is plain until it closes. */
const openCodeMax = 8 * 1024

export type LineContext = {
  readonly highlighter: Highlighter
  /** The text is still being written, and this is its last block. */
  readonly open: boolean
  /** Set where colours are still to come. */
  pending: boolean
}

const codeRule: readonly Span[] = [span("│ ", { fg: "borderSubtle" })]
const quoteBar: readonly Span[] = [span("▌ ", { fg: "borderSubtle" })]
const bullets = ["•", "◦", "▪"] as const

export function blockLines(token: Token, context: LineContext, depth = 0): readonly Line[] {
  switch (token.type) {
    case "heading":
      return headingLines(token as Tokens.Heading)
    case "code":
      return codeLines(token as Tokens.Code, context)
    case "list":
      return listLines(token as Tokens.List, context, depth)
    case "blockquote":
      return quoteLines(token as Tokens.Blockquote, context, depth)
    case "table":
      return [tableLine(token as Tokens.Table)]
    case "hr":
      return [{ kind: "rule", first: [], style: { fg: "markdownHorizontalRule" } }]
    case "html":
      return htmlLines(token.raw)
    case "footnote":
      return footnoteLines(token)
    case "space":
    case "def":
    case "checkbox":
      return []
    default:
      return textLines(inlineSpans(childrenOf(token) ?? [{ type: "text", raw: token.raw, text: token.raw }]))
  }
}

function textLines(spans: readonly Span[]): readonly Line[] {
  return splitSpans(spans).map((line) => textLine(line))
}

const headingStyles: readonly Style[] = [
  { fg: "markdownHeading", bold: true, underline: true },
  { fg: "markdownHeading", bold: true },
  { fg: "markdownHeading", bold: true, italic: true },
]

function headingLines(token: Tokens.Heading): readonly Line[] {
  if (token.text === "") return []
  return textLines(inlineSpans(token.tokens, headingStyles[Math.min(token.depth, headingStyles.length) - 1]))
}

/** The code of a fence that was closed, or of one that is still open and short. */
function codeLines(token: Tokens.Code, context: LineContext): readonly Line[] {
  const code = token.text.replace(/\n$/, "")
  const language = (token.lang ?? "").trim().split(/[\s,{:]/)[0] ?? ""
  const block = { text: code }
  const lines = codeText(code, language, context).map((line) => ({ ...line, code: block }))
  // While it is being written it would jump with every line.
  const rows = language === "mermaid" && !context.open ? drawMermaid(code) : null
  if (rows === null) return prefixLines(lines, codeRule)
  const drawn = rows.map((text) => ({ text, labels: labelsOf(text) }))
  return prefixLines([{ kind: "drawing", first: [], rest: [], rows: drawn, source: lines }], codeRule)
}

/** Lines of code, coloured when the colours are there. */
export function codeText(code: string, language: string, context: LineContext): readonly TextLine[] {
  const small = code.length <= (context.open ? openCodeMax : codeMax)
  const lines = code.split("\n")
  const wanted = language !== "" && small && lines.length <= codeLinesMax
  const colored = wanted ? context.highlighter.lookup(language, code) : null
  if (colored?.pending === true) context.pending = true
  return lines.map((line, place) => {
    const spans = colored?.lines?.[place]
    return textLine(spans ?? (line === "" ? [] : [{ text: line, style: plainCode }]), { wrap: "cell" })
  })
}

const plainCode: Style = { fg: "markdownCodeBlock" }

function listLines(token: Tokens.List, context: LineContext, depth: number): readonly Line[] {
  const start = typeof token.start === "number" ? token.start : 1
  const numberWidth = String(start + token.items.length - 1).length
  return token.items.flatMap((item, place) => {
    const mark = token.ordered
      ? `${String(start + place).padStart(numberWidth)}. `
      : `${item.task ? (item.checked ? "☑" : "☐") : (bullets[depth % bullets.length] ?? "•")} `
    const fg = token.ordered ? "markdownListEnumeration" : item.task && item.checked ? "success" : "markdownListItem"
    const inside = childLines(item.tokens, context, depth + 1, item.loose)
    const lines = inside.length === 0 ? [textLine([])] : inside
    const marked = prefixLines(lines, [span(mark, { fg })], [span(" ".repeat(mark.length))])
    return token.loose && place > 0 ? [blankLine, ...marked] : marked
  })
}

/** The blocks inside a block; a blank line between them where the list or quote has some. */
function childLines(tokens: readonly Token[], context: LineContext, depth: number, loose: boolean): readonly Line[] {
  const out: Line[] = []
  let spaced = false
  for (const token of tokens) {
    if (token.type === "space") {
      spaced = true
      continue
    }
    const lines = blockLines(token, context, depth)
    if (lines.length === 0) continue
    if (out.length > 0 && (spaced || loose)) out.push(blankLine)
    out.push(...lines)
    spaced = /\n[ \t]*\n$/.test(token.raw)
  }
  return out
}

function quoteLines(token: Tokens.Blockquote, context: LineContext, depth: number): readonly Line[] {
  const quoted = childLines(token.tokens, context, depth, false).map((line): Line => {
    if (line.kind !== "text") return line
    return { ...line, spans: line.spans.map((one) => ({ ...one, style: quoteStyle(one.style) })) }
  })
  return prefixLines(quoted, quoteBar)
}

function quoteStyle(style: Style): Style {
  return style.fg === undefined || style.fg === "markdownText" ? { ...style, fg: "markdownBlockQuote" } : style
}

function tableLine(token: Tokens.Table): Line {
  const cell = (one: Tokens.TableCell, style: Style): readonly Span[] =>
    inlineSpans(one.tokens, style).map(({ text, style: own }) => ({ text: text.replaceAll("\n", " "), style: own }))
  return {
    kind: "table",
    first: [],
    rest: [],
    head: token.header.map((one) => cell(one, { fg: "markdownHeading", bold: true })),
    body: token.rows.map((cells) => cells.map((one) => cell(one, { fg: "markdownText" }))),
    align: token.align.map((align) => align ?? "left"),
  }
}

function htmlLines(raw: string): readonly Line[] {
  const text = stripTags(raw).replace(/^\n+|\s+$/g, "")
  return text === "" ? [] : text.split("\n").map((line) => textLine([span(line, { fg: "markdownText" })]))
}

function footnoteLines(token: Token): readonly Line[] {
  const label = "label" in token && typeof token.label === "string" ? token.label : ""
  const mark = span(`[^${label}] `, { fg: "markdownListEnumeration" })
  return prefixLines(textLines(inlineSpans(childrenOf(token) ?? [])), [mark], [span(" ".repeat(mark.text.length))])
}
