/**
 * Markdown as chunks: the blocks of a text at its top level, parsed by `marked`.
 *
 * - A text that grew is parsed from its last two blocks on: only they can become something else by what follows. Chunks that came out as before
 *   are the same objects, so whoever keeps something by chunk keeps it.
 * - Parsed whole or piece by piece, a text gives the same chunks. Link definitions work backwards, so a text with any is parsed whole.
 * - A line too long to be prose (`lineMax`) is plain: looking for emphasis in a megabyte of base64 helps nobody.
 */
import { Lexer, Marked, type Token, type Tokens, type TokensList } from "marked"

export type Chunk = {
  readonly token: Token
  /** The text begins here, and a blank line stands before it. */
  readonly at: number
  readonly gap: boolean
}

export type Doc = { readonly text: string; readonly chunks: readonly Chunk[]; readonly links: string }

export const emptyDoc: Doc = { text: "", chunks: [], links: "{}" }

/** Code units of a line without a break, beyond which it is shown as it is. */
export const lineMax = 2_000

/** `$a_b$` and `\(a\)` are not emphasis; they are shown as they are. */
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

/** `[^1]: text` is a note, not the address of a link. */
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

const marked = new Marked({ gfm: true, extensions: [math, footnote] })

const longLine = new RegExp(`[^\\n]{${lineMax + 1}}`)

function lex(text: string): { readonly tokens: readonly Token[]; readonly links: string } {
  const lexer = new Lexer(marked.defaults)
  const tokens: TokensList = lexer.tokens
  lexer.blockTokens(text, tokens)
  for (const { src, tokens: inline } of lexer.inlineQueue) {
    if (longLine.test(src)) inline.push({ type: "text", raw: src, text: src })
    else lexer.inlineTokens(src, inline)
  }
  return { tokens, links: JSON.stringify(tokens.links) }
}

/** Nesting so deep that the parser gives up is no document: it is shown as it is. */
function lexSafely(text: string): ReturnType<typeof lex> {
  try {
    return lex(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const token: Tokens.Paragraph = {
      type: "paragraph",
      raw: text,
      text,
      tokens: [{ type: "text", raw: text, text }],
    }
    return { tokens: [token], links: "{}" }
  }
}

function chunksOf(tokens: readonly Token[], from: number): readonly Chunk[] {
  const chunks: Chunk[] = []
  let at = from
  let gap = false
  for (const token of tokens) {
    if (token.type === "space") gap = true
    else {
      chunks.push({ token, at, gap })
      gap = /\n[ \t]*\n$/.test(token.raw)
    }
    at += token.raw.length
  }
  return chunks
}

const defines = /^ {0,3}\[(?!\^)[^\]]+\]:/m

/** `text` parsed; `previous` is what an earlier state of it gave. */
export function parseDoc(text: string, previous: Doc = emptyDoc): Doc {
  const grew = previous.chunks.length > 2 && text.startsWith(previous.text) && !defines.test(text)
  const kept = grew ? previous.chunks.slice(0, -2) : []
  const from = grew ? (previous.chunks.at(-2)?.at ?? 0) : 0
  const { tokens, links } = lexSafely(text.slice(from))
  const fresh = chunksOf(tokens, from)
  const first = fresh[0]
  // The blank line before the first fresh chunk was seen when the one before it was parsed.
  const gap = grew ? (previous.chunks.at(-2)?.gap ?? false) : false
  const all = [...kept, ...(first === undefined ? [] : [{ ...first, gap: gap || first.gap }]), ...fresh.slice(1)]
  const reusable = links === previous.links
  const chunks = all.map((chunk, place) => {
    const old = previous.chunks[place]
    const same =
      reusable && old !== undefined && old.token.raw === chunk.token.raw && old.token.type === chunk.token.type
    return same && old.gap === chunk.gap && old.at === chunk.at ? old : chunk
  })
  return { text, chunks, links }
}

/** One chunk parsed again from other text: what stands for it while the rest is still to come. */
export function reparse(chunk: Chunk, raw: string): Chunk {
  const token = lexSafely(raw).tokens.find((one) => one.type !== "space")
  return token === undefined ? chunk : { ...chunk, token }
}
