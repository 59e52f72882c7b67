/**
 * Colours of code, when they are there.
 *
 * - Asking never waits: the answer is what is at hand now, and whether more will come. Plain text is shown meanwhile.
 * - Code that grows keeps the colours of the lines that it had; so nothing flickers while a fence is being written.
 * - One piece of code is worked on at a time, with pauses: colours never take more than a part of one core.
 */
import type { Clock } from "../../std/clock.ts"
import type { Span } from "../rows/row.ts"
import { colorLines, type Capture } from "./color-lines.ts"
import { languageName } from "./languages.ts"
import { lexers } from "./lexers.ts"

/** Spans of each line. There may be fewer lines than the code has: the rest has no colours yet. */
export type CodeLines = readonly (readonly Span[])[]

export type Colored = { readonly lines: CodeLines | null; readonly pending: boolean }

export type Highlighter = {
  /** `language` as it stands behind a fence; `code` without `\r` and without a final newline. */
  lookup(language: string, code: string): Colored
  /** Hears that colours came which someone was waiting for. */
  watch(listener: () => void): () => void
}

const nothing: Colored = { lines: null, pending: false }

/** For tests, and for where colours cannot be made. */
export const plainHighlighter: Highlighter = { lookup: () => nothing, watch: () => () => {} }

/** What finds the parts of code in some languages. Answers null where it does not know the language or cannot. */
export type Parser = {
  knows(language: string): boolean
  parse(language: string, code: string): Promise<readonly Capture[] | null>
  close(): Promise<void>
}

/** Code units of colours that are kept. */
const keptMax = 2 * 1024 * 1024
/** Pieces that wait at most; older ones are dropped, and asked for again when they come into view again. */
const waitingMax = 64
/** Rest after each piece: a multiple of the time that it took, within bounds (the first of a language takes long, once). */
const restFactor = 3
const restMsMin = 30
const restMsMax = 200

type Piece = { language: string; code: string }

export class CodeHighlighter implements Highlighter {
  readonly #parser: Parser
  readonly #clock: Clock
  readonly #known = new Map<string, CodeLines | null>()
  #size = 0
  #waiting: Piece[] = []
  /** The newest finished piece of each language, for code that has grown since. */
  readonly #newest = new Map<string, { code: string; lines: CodeLines }>()
  readonly #listeners = new Set<() => void>()
  #busy = false
  #closed = false

  constructor(parser: Parser, clock: Clock) {
    this.#parser = parser
    this.#clock = clock
  }

  lookup(fence: string, code: string): Colored {
    const language = languageName(fence)
    const lexer = lexers[language]
    if (lexer === undefined && !this.#parser.knows(language)) return nothing
    const key = `${language}\n${code}`
    const known = this.#known.get(key)
    if (known !== undefined) {
      this.#known.delete(key)
      this.#known.set(key, known)
      return { lines: known, pending: false }
    }
    if (lexer !== undefined) return { lines: this.#keep(key, colorLines(code, lexer(code))), pending: false }
    if (this.#closed) return nothing
    this.#ask({ language, code })
    return { lines: this.#before(language, code), pending: true }
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#waiting = []
    await this.#parser.close()
  }

  /** The colours of the lines that this code had when it was shorter. */
  #before(language: string, code: string): CodeLines | null {
    const newest = this.#newest.get(language)
    if (newest === undefined || !code.startsWith(newest.code)) return null
    return newest.code.length === code.length || code[newest.code.length] === "\n"
      ? newest.lines
      : newest.lines.slice(0, -1)
  }

  #keep(key: string, lines: CodeLines | null): CodeLines | null {
    this.#known.set(key, lines)
    this.#size += key.length
    for (const old of this.#known.keys()) {
      if (this.#size <= keptMax || old === key) break
      this.#known.delete(old)
      this.#size -= old.length
    }
    return lines
  }

  #ask(piece: Piece): void {
    if (this.#waiting.some((one) => one.language === piece.language && one.code === piece.code)) return
    // The same code, longer by now: only the newest state of it is worth the work.
    this.#waiting = this.#waiting.filter((one) => one.language !== piece.language || !piece.code.startsWith(one.code))
    this.#waiting.push(piece)
    if (this.#waiting.length > waitingMax) this.#waiting.shift()
    if (!this.#busy) void this.#work()
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (let piece = this.#waiting.pop(); piece !== undefined; piece = this.#waiting.pop()) {
      const began = this.#clock.monotonic()
      const captures = await this.#parser.parse(piece.language, piece.code)
      const lines = captures === null ? null : colorLines(piece.code, captures)
      this.#keep(`${piece.language}\n${piece.code}`, lines)
      if (lines !== null) this.#newest.set(piece.language, { code: piece.code, lines })
      for (const listener of this.#listeners) listener()
      const took = this.#clock.monotonic() - began
      const rest = Math.min(restMsMax, Math.max(restMsMin, restFactor * took))
      await new Promise<void>((resolve) => this.#clock.after(rest, resolve))
      if (this.#closed) break
    }
    this.#busy = false
  }
}
