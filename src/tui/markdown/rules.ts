/**
 * Rules of Markdown that we add to the parser's own, or put in their place.
 *
 * - Formulas and footnotes are additions: what stands between dollars is no emphasis, and a note is not the address of a link.
 * - Links and underlined headings are replaced: the parser's patterns for them take the square or the cube of a text's length for texts that a
 *   model can well write, and a screen must not stand still for one.
 */
import { Marked, type Lexer, type Token, type Tokens } from "marked"

const math = {
  name: "math",
  level: "inline" as const,
  start: (src: string): number | undefined => {
    const at = src.search(/\$|\\[([]/)
    return at < 0 ? undefined : at
  },
  tokenizer(src: string): Tokens.Generic | undefined {
    const found = /^\$\$[^$]+\$\$|^\$(?![\s\d])[^$\n]*[^\s$\\]\$(?!\d)|^\\\([^\n]*?\\\)|^\\\[[\s\S]*?\\\]/.exec(src)
    return found === null ? undefined : { type: "math", raw: found[0], text: found[0] }
  },
}

const footnote = {
  name: "footnote",
  level: "block" as const,
  start: (src: string): number | undefined => {
    const at = /(?:^|\n)\[\^/.exec(src)?.index
    return at === undefined ? undefined : src[at] === "\n" ? at + 1 : at
  },
  tokenizer(this: { lexer: Lexer }, src: string): Tokens.Generic | undefined {
    const found = /^\[\^([^\]\s]{1,40})\]:[ \t]*([^\n]*)(?:\n|$)/.exec(src)
    if (found === null) return undefined
    const tokens: Token[] = []
    this.lexer.inline(found[2] ?? "", tokens)
    return { type: "footnote", raw: found[0], label: found[1] ?? "", tokens }
  },
}

/** A heading is a few words; a long paragraph over a row of dashes is a paragraph over a rule. */
const headingMax = 400
const underline = /\n {0,3}(?:=+|-+)[ \t]*(?:\n|$)/

/** False asks the parser's own rule, where an underline is near; undefined says that there is no such heading. */
function lheading(src: string): false | undefined {
  const head = src.slice(0, headingMax)
  const end = head.indexOf("\n\n")
  return underline.test(end < 0 ? head : head.slice(0, end + 1)) ? false : undefined
}

/** Code units of a link, its address included. */
const linkMax = 4_096

/** Where the bracket that opens at `at` closes; -1 where it does not. */
function closing(src: string, at: number, open: string, close: string): number {
  let depth = 0
  const end = Math.min(src.length, at + linkMax)
  for (let place = at; place < end; place++) {
    const char = src[place]
    if (char === "\\") place += 1
    else if (char === open) depth += 1
    else if (char === close && --depth === 0) return place
    else if (char === "\n" && src[place + 1] === "\n") return -1
  }
  return -1
}

const target = /^\s*(?:<([^<>\n]*)>|([^\s<]\S*)?)(?:\s+("[^"]*"|'[^']*'|\([^()]*\)))?\s*$/

function link(this: { lexer: Lexer }, src: string): Tokens.Link | Tokens.Image | undefined {
  const image = src.startsWith("![")
  const from = image ? 1 : 0
  if (src[from] !== "[") return undefined
  const label = closing(src, from, "[", "]")
  if (label < 0 || src[label + 1] !== "(") return undefined
  const end = closing(src, label + 1, "(", ")")
  if (end < 0) return undefined
  const found = target.exec(src.slice(label + 2, end))
  if (found === null) return undefined
  const raw = src.slice(0, end + 1)
  const text = src.slice(from + 1, label)
  const href = (found[1] ?? found[2] ?? "").replace(/\\([!-/:-@[-`{-~])/g, "$1")
  const title = found[3]?.slice(1, -1) ?? null
  if (image) return { type: "image", raw, href, title, text: text.replaceAll("\\", ""), tokens: [] }
  const { state } = this.lexer
  state.inLink = true
  const tokens = this.lexer.inlineTokens(text)
  state.inLink = false
  return { type: "link", raw, href, title, text, tokens }
}

export const marked = new Marked({ gfm: true, extensions: [math, footnote], tokenizer: { lheading, link } })

/** Marks of emphasis and of links in one paragraph beyond which they are none: matching them takes the square of their number. */
const marksMax = 200
const bracketsMax = 400

/** Code units of a line without a break, beyond which it is shown as it is. */
export const lineMax = 2_000

const longLine = new RegExp(`[^\\n]{${lineMax + 1}}`)

/** Looking for emphasis here would take long and find nothing that a reader misses. */
export function isPlain(src: string): boolean {
  if (longLine.test(src) || (src.match(/[*_]+/g)?.length ?? 0) > marksMax) return true
  return (src.match(/\[/g)?.length ?? 0) > bracketsMax
}
