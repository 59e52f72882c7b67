/**
 * Markdown as chunks: the blocks of a text at its top level, parsed by `marked`.
 *
 * - A text that grew is parsed from its last two blocks on: only they can become something else by what follows. Chunks that came out as before
 *   are the same objects, so whoever keeps something by chunk keeps it.
 * - Parsed whole or piece by piece, a text gives the same chunks. Link definitions work backwards, so a text with any is parsed whole.
 * - What is no prose (a line of base64, hundreds of stars) is plain: see `rules.ts` for what the parser must be spared.
 */
import { Lexer, type Token, type TokensList } from "marked"
import { isPlain, marked } from "./rules.ts"

export type Chunk = {
  readonly token: Token
  /** The text begins here, and a blank line stands before it. */
  readonly at: number
  readonly gap: boolean
}

export type Doc = { readonly text: string; readonly chunks: readonly Chunk[]; readonly links: string }

export const emptyDoc: Doc = { text: "", chunks: [], links: "{}" }

function lex(text: string): { readonly tokens: readonly Token[]; readonly links: string } {
  const lexer = new Lexer(marked.defaults)
  const tokens: TokensList = lexer.tokens
  lexer.blockTokens(text, tokens)
  for (const { src, tokens: inline } of lexer.inlineQueue) {
    if (isPlain(src)) inline.push({ type: "text", raw: src, text: src })
    else lexer.inlineTokens(src, inline)
  }
  return { tokens, links: JSON.stringify(tokens.links) }
}

/** Quotes or lists inside each other beyond which a text is no document: parsing it would take the square of its depth. */
const deep = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){33}/m

function plainTokens(text: string): readonly Token[] {
  return [{ type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] }]
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
  if (deep.test(text)) return { text, chunks: chunksOf(plainTokens(text), 0), links: "{}" }
  const grew = previous.chunks.length > 2 && text.startsWith(previous.text) && !defines.test(text)
  const kept = grew ? previous.chunks.slice(0, -2) : []
  const from = grew ? (previous.chunks.at(-2)?.at ?? 0) : 0
  const { tokens, links } = lex(text.slice(from))
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
  const token = lex(raw).tokens.find((one) => one.type !== "space")
  return token === undefined ? chunk : { ...chunk, token }
}
