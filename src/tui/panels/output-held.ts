/**
 * What is held of one call's output: one stretch of it, which grows where the reader goes.
 *
 * - It follows the end of an output that grows, while the reader is there. A reader who has gone up keeps what is on the screen, however fast the
 *   output grows.
 * - Pieces are fetched one at a time, before the stretch or behind it. A place that is too far to go to piece by piece begins a new stretch.
 */
import { OutputText, type OutputBlock } from "./output-text.ts"

/** Bytes that are asked for at once. */
const pieceBytes = 256 * 1024
/** Bytes that are held; a stretch that is longer begins anew with its next piece. */
const heldBytesMax = 8 * 1024 * 1024
/** And of an output whose end is followed, which nobody may ever go up in. */
const followedBytesMax = 2 * 1024 * 1024

/** `text` is the `bytes` from `from` on; where `from` is beyond what was asked for, what is not there any more is told in its first line. */
type Piece = { readonly text: string; readonly from: number; readonly bytes: number }

export type OutputHost = {
  /** Bytes `from`…`to` of the output. Rejects where it cannot be read. */
  fetch(from: number, to: number): Promise<Piece>
  /** What is held has changed; `to`: where the reader is to be in it, or null to stay. */
  changed(to: "start" | "end" | null): void
  failed(error: unknown): void
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

export class HeldOutput {
  readonly #host: OutputHost
  readonly #text = new OutputText()
  /** Bytes of the whole output, as far as is known. */
  #size = 0
  /** The stretch was begun elsewhere than at the end. */
  #away = false
  #isFetching = false
  #isClosed = false
  #wanted: number | null = null

  constructor(host: OutputHost) {
    this.#host = host
  }

  get blocks(): readonly OutputBlock[] {
    return this.#text.blocks
  }

  /** The stretch that is held, in bytes, where that is not all. */
  get stretch(): { readonly from: number; readonly to: number } | null {
    const { from, to } = this.#text
    return from === 0 && to >= this.#size ? null : { from, to }
  }

  /** Nothing that is still on its way is wanted any more. */
  close(): void {
    this.#isClosed = true
  }

  /** The output's end is `text` now, at byte `size`; `reading`: the reader has gone up and stays there. */
  live(text: string, size: number, reading: boolean): void {
    this.#size = size
    const passed = this.#text.to > 0 && size - byteLength(text) > this.#text.to
    if (this.#away || (passed && reading)) return
    this.#text.live(text, size)
    const held = this.#text.to - this.#text.from
    // Who reads comes to the rest piece by piece; for who follows the end, what was before it is fetched when it is gone to.
    if (reading) this.#away = held > heldBytesMax
    else if (held > followedBytesMax) this.#text.reset(text, size)
  }

  /** All of an output that is held elsewhere. */
  whole(text: string): void {
    this.#size = byteLength(text)
    this.#away = false
    this.#text.reset(text, this.#size)
  }

  /** The output has ended, with `size` bytes. */
  ended(size: number, reading: boolean): void {
    this.#size = size
    if (this.#text.to === size || this.#away) return
    // What the reader did not get while it came is fetched when it is gone to.
    if (reading && this.#text.to > 0) this.#away = true
    else this.#toEnd()
  }

  /** On towards a byte that has to be there. */
  want(at: number): void {
    this.#wanted = at
    this.#reach()
  }

  /** The start of what is held is in view. */
  older(): void {
    const { from, to } = this.#text
    if (from === 0) return
    const begin = Math.max(0, from - pieceBytes)
    if (to - from >= heldBytesMax) this.#begin(begin, from, "end")
    // Nothing is before what is not there any more.
    else this.#fetch(begin, from, (piece) => this.#text.prepend(piece.text, piece.from > begin ? 0 : begin))
  }

  /** The end of what is held is in view. */
  newer(): void {
    const { from, to } = this.#text
    if (!this.#away || to >= this.#size) return
    const end = Math.min(this.#size, to + pieceBytes)
    if (to - from >= heldBytesMax) this.#begin(to, end, "start")
    else this.#fetch(to, end, (piece) => this.#extend(piece))
  }

  /** To the first byte; true where that is too far to get to from piece to piece, and it comes by itself. */
  toStart(): boolean {
    if (this.#text.from <= heldBytesMax) return false
    this.#begin(0, pieceBytes, "start")
    return true
  }

  /** To the end, from wherever; true where it comes by itself. */
  toEnd(): boolean {
    if (!this.#away) return false
    this.#toEnd()
    return true
  }

  #toEnd(): void {
    this.#begin(Math.max(0, this.#size - pieceBytes), this.#size, "end")
  }

  #reach(): void {
    if (this.#wanted === null || this.#isFetching) return
    const { from, to } = this.#text
    const at = this.#wanted
    if (at >= from && at < to) this.#wanted = null
    else if (at < from && from - at < heldBytesMax) this.older()
    else {
      this.#wanted = null
      const begin = Math.max(0, at - pieceBytes / 2)
      this.#begin(begin, begin + pieceBytes, null)
    }
  }

  /** A new stretch. Its last line may go on, and comes with the next piece. */
  #begin(from: number, to: number, place: "start" | "end" | null): void {
    const take = (piece: Piece): void => {
      // All of it is gone: what is there begins further on.
      if (piece.bytes === 0 && piece.from > from) return this.#begin(piece.from, piece.from + pieceBytes, place)
      const { text, end } = this.#whole(piece)
      this.#text.reset(text, end)
    }
    this.#fetch(from, to, take, place)
  }

  #extend(piece: Piece): void {
    const { text, end } = this.#whole(piece)
    this.#text.extend(text, end)
  }

  /** A piece up to the end of its last whole line, where the output goes on behind it; `end` is that place in the output. */
  #whole({ text, from, bytes }: Piece): { readonly text: string; readonly end: number } {
    const isLast = from + bytes >= this.#size
    const line = isLast ? text.length : text.lastIndexOf("\n") + 1 || text.length
    const end = from + bytes - byteLength(text.slice(line))
    this.#away = end < this.#size
    return { text: text.slice(0, line), end }
  }

  #fetch(from: number, to: number, take: (piece: Piece) => void, place: "start" | "end" | null = null): void {
    if (this.#isFetching) return
    this.#isFetching = true
    const taken = (then: () => void): void => {
      this.#isFetching = false
      if (this.#isClosed) return
      then()
      this.#host.changed(place)
      this.#reach()
    }
    this.#host.fetch(from, to).then(
      (piece) => taken(() => take(piece)),
      (error: unknown) => {
        this.#wanted = null
        // What could not be read is not asked for again: the start is in view at every paint.
        taken(() => this.#text.prepend("", 0))
        this.#host.failed(error)
      },
    )
  }
}
