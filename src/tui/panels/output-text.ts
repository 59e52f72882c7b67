/**
 * The raw output of one call as blocks of lines, as far as it is held: the end of it live, what is older fetched in pieces.
 *
 * - Offsets are bytes of the output, as the host counts them. Bytes that are held are one stretch, from `from` to `to`.
 * - A block that is full (`blockLines`) never changes again: what a growing output costs is its last block.
 */
import { parseAnsi, type AnsiLine, type AnsiStyle } from "../../std/ansi.ts"
import type { Content, RowBlock } from "../rows/content.ts"
import { clean } from "../../std/clean.ts"
import { span, textLine } from "../rows/row.ts"
import { ansiLine } from "../blocks/output.ts"

/** Lines of a block: a few screens, so that a block is laid out in a moment. */
const blockLines = 200
/** Code units after which a block ends, whatever its lines. */
const blockMax = 64 * 1024

/** `raw` is what the lines were made of. */
export type OutputBlock = RowBlock & { readonly lines: readonly AnsiLine[]; readonly raw: string }

const encoder = new TextEncoder()

function outputBlock(key: string, lines: readonly AnsiLine[], raw: string): OutputBlock {
  const size = lines.reduce((sum, line) => sum + line.reduce((part, { text }) => part + text.length, 20), 0)
  return { key, gap: 0, group: null, folded: false, prompt: false, size, lines, raw }
}

/** Control characters as signs of their own: what drives a terminal is seen and does nothing. */
function visible(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b-\x1f]/g, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replace(/[\x7f-\x9f]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`)
}

/** The bytes as they came, escape sequences to be read. */
export function rawContent({ raw }: OutputBlock): Content {
  const lines = raw.replace(/\n$/, "").split("\n")
  return {
    parts: [{ lines: lines.map((line) => textLine([span(clean(visible(line)))], { wrap: "cell" })) }],
    pending: false,
  }
}

export function outputContent(block: OutputBlock): Content {
  const lines = block.lines.map((line) => (line.length === 0 ? textLine([]) : ansiLine(line)))
  return { parts: [{ lines }], pending: false }
}

/** Where a block of `text` ends: after its `blockLines`-th newline, or its last one within `blockMax`; -1 while it goes on. */
function blockEnd(text: string): number {
  let at = -1
  for (let line = 0; line < blockLines; line++) {
    const next = text.indexOf("\n", at + 1)
    if (next < 0 || next >= blockMax) {
      if (text.length < blockMax) return -1
      return at < 0 ? blockMax : at + 1
    }
    at = next
  }
  return at + 1
}

/** Text cut into full blocks, and what is left over. */
function cutBlocks(text: string, style: AnsiStyle, name: (place: number) => string) {
  const blocks: OutputBlock[] = []
  let rest = text
  let now = style
  for (let end = blockEnd(rest); end >= 0; end = blockEnd(rest)) {
    const parsed = parseAnsi(rest.slice(0, end), now)
    const ended = rest[end - 1] === "\n"
    const lines = ended ? parsed.lines.slice(0, -1) : parsed.lines
    blocks.push(outputBlock(name(blocks.length), lines, rest.slice(0, end)))
    rest = rest.slice(end)
    now = parsed.style
  }
  return { blocks, rest, style: now }
}

export class OutputText {
  #older: readonly OutputBlock[] = []
  #closed: OutputBlock[] = []
  #tail = ""
  /** What came live, last. */
  #last = ""
  #style: AnsiStyle = {}
  #from = 0
  #to = 0
  #count = 0
  #pages = 0
  #blocks: readonly OutputBlock[] = []

  get from(): number {
    return this.#from
  }

  get to(): number {
    return this.#to
  }

  get blocks(): readonly OutputBlock[] {
    return this.#blocks
  }

  /** All that is held is `text`, which ends at byte `to`. */
  reset(text: string, to: number): void {
    this.#older = []
    this.#closed = []
    this.#tail = ""
    this.#style = {}
    this.#to = to
    const held = wholeLines(text, Math.max(0, to - encoder.encode(text).length))
    this.#from = held.from
    this.#append(held.text)
  }

  /** The output's end is `text` now, and it ends at byte `to`. What is held is kept where `text` goes on from it. */
  live(text: string, to: number): void {
    if (to === this.#to) return
    const before = this.#last
    const fresh = suffixOfBytes(text, to - this.#to)
    const known = fresh === undefined ? "" : text.slice(0, text.length - fresh.length)
    this.#last = text
    // Broken bytes are longer as text: where they are, the numbers do not say what is new.
    if (fresh === undefined || to < this.#to || !before.endsWith(known)) {
      this.reset(text, to)
      return
    }
    this.#to = to
    this.#append(fresh)
  }

  /** Newer bytes, which begin where what is held ends. */
  extend(piece: string, to: number): void {
    this.#to = to
    this.#append(piece)
  }

  /** Older bytes, which end where what is held begins. */
  prepend(piece: string, at: number): void {
    const { text, from } = wholeLines(piece, at)
    const { blocks, rest } = cutBlocks(text, {}, (place) => `p${this.#pages}.${place}`)
    const last = rest === "" ? [] : [outputBlock(`p${this.#pages}.rest`, linesOf(rest), rest)]
    this.#pages += 1
    this.#older = [...blocks, ...last, ...this.#older]
    this.#from = from
    this.#collect()
  }

  #append(text: string): void {
    const { blocks, rest, style } = cutBlocks(this.#tail + text, this.#style, () => `b${this.#count++}`)
    this.#closed.push(...blocks)
    this.#tail = rest
    this.#style = style
    this.#collect()
  }

  #collect(): void {
    const parsed = parseAnsi(this.#tail, this.#style).lines
    const lines = parsed.at(-1)?.length === 0 ? parsed.slice(0, -1) : parsed
    const tail = lines.length === 0 ? [] : [outputBlock(`b${this.#count}`, lines, this.#tail)]
    this.#blocks = [...this.#older, ...this.#closed, ...tail]
  }
}

function linesOf(text: string): readonly AnsiLine[] {
  const { lines } = parseAnsi(text)
  return lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines
}

/** `text`, which begins at byte `from`, without the line that it begins in the middle of: that one comes with the piece before. */
function wholeLines(text: string, from: number): { readonly text: string; readonly from: number } {
  const line = text.indexOf("\n") + 1
  if (from === 0 || line === 0) return { text, from }
  return { text: text.slice(line), from: from + encoder.encode(text.slice(0, line)).length }
}

/** The end of `text` that is `bytes` bytes long; undefined where it is shorter, or where that would cut a character. */
function suffixOfBytes(text: string, bytes: number): string | undefined {
  let left = bytes
  let at = text.length
  while (left > 0 && at > 0) {
    const code = text.charCodeAt(at - 1)
    const pair = code >= 0xdc00 && code <= 0xdfff
    at -= pair ? 2 : 1
    left -= pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3
  }
  return left === 0 ? text.slice(at) : undefined
}
