/**
 * A window of lines over a text that comes in pieces and may be of any size.
 *
 * - Memory is bounded by the window: lines before it are counted, a long line is kept up to its limit and counted beyond.
 * - LF and CRLF end a line, and are no part of it.
 */
import { byteLength, headBytes } from "../std/lines.ts"

export type WindowLimits = {
  /** The first line wanted, from 0. */
  readonly skip: number
  readonly lines: number
  readonly bytes: number
  /** Bytes kept of one line, in UTF-8. */
  readonly lineBytes: number
}

export class LineWindow {
  readonly #limits: WindowLimits
  readonly #lines: string[] = []
  #bytes = 0
  #full = false
  /** Lines that have ended. */
  #ended = 0
  #line = ""
  #lineChars = 0
  #longLines = 0

  constructor(limits: WindowLimits) {
    this.#limits = limits
  }

  /** The lines of the window so far. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** True once a line after the window has been seen: what is pushed from then on is only counted. */
  get full(): boolean {
    return this.#full
  }

  /** Lines seen, the unfinished last one included. */
  get total(): number {
    return this.#ended + (this.#lineChars > 0 ? 1 : 0)
  }

  /** Lines of the window that were cut. */
  get longLines(): number {
    return this.#longLines
  }

  push(text: string): void {
    for (let at = 0; at < text.length;) {
      const newline = text.indexOf("\n", at)
      this.#grow(text, at, newline < 0 ? text.length : newline)
      if (newline < 0) return
      this.#end()
      at = newline + 1
    }
  }

  /** Code units of the line that has not ended, where it is one of the window. */
  get openLine(): number {
    return !this.#full && this.#ended >= this.#limits.skip ? this.#lineChars : 0
  }

  /** The text is over, or nobody reads on: its last line may have no newline. */
  finish(): void {
    if (this.#lineChars > 0) this.#end()
  }

  #grow(text: string, from: number, to: number): void {
    // No code unit is less than a byte. One more than the limit, so that a CR before the newline does not count.
    const room = this.#limits.lineBytes + 1 - this.#line.length
    const wanted = !this.#full && this.#ended >= this.#limits.skip
    if (wanted && room > 0) this.#line += text.slice(from, Math.min(to, from + room))
    this.#lineChars += to - from
  }

  #end(): void {
    if (!this.#full && this.#ended >= this.#limits.skip) this.#keep()
    this.#ended++
    this.#line = ""
    this.#lineChars = 0
  }

  #keep(): void {
    const { lines, bytes, lineBytes } = this.#limits
    const whole = this.#lineChars === this.#line.length
    const line = whole && this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line
    const long = !whole || byteLength(line) > lineBytes
    const shown = long ? `${headBytes(line, lineBytes)}… [line cut: ${this.#lineChars} characters]` : line
    const size = byteLength(shown) + 1
    if (this.#lines.length >= lines || (this.#bytes + size > bytes && this.#lines.length > 0)) {
      this.#full = true
      return
    }
    this.#lines.push(shown)
    this.#bytes += size
    if (long) this.#longLines++
  }
}
