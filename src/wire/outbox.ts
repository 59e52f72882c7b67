/**
 * What one side has to say and the other has not taken yet.
 *
 * - Frames may be dropped, because a snapshot makes up for them; everything else is kept and goes in order.
 * - What has begun to go is never dropped: half a line would end the conversation.
 * - Nobody waits for it: whoever adds is told at once whether it fits.
 */
import { backlogBytesMax, backlogFramesMax } from "../protocol/port.ts"
import type { Connection } from "./connection.ts"

/** Replies and snapshots that wait for a client that asks and does not read: then it is let go. */
export const keptBytesMax = 128 * 1024 * 1024

type Item = { readonly bytes: Uint8Array; readonly kind: "frame" | "kept" }

export class Outbox {
  readonly #connection: Connection
  #items: Item[] = []
  /** Bytes of the first item that are gone. */
  #sent = 0
  #frames = 0
  #frameBytes = 0
  #keptBytes = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get empty(): boolean {
    return this.#items.length === 0
  }

  /**
   * Adds a frame; false where the backlog would be over its limits, and then nothing was added. One that has none before it always fits: a
   * snapshot would be no smaller, and nothing would be there whose going asks for it.
   */
  frame(bytes: Uint8Array): boolean {
    const full = this.#frames + 1 > backlogFramesMax || this.#frameBytes + bytes.length > backlogBytesMax
    if (full && this.#frames > 0) return false
    this.#add({ bytes, kind: "frame" })
    return true
  }

  /** Adds what must arrive; false where too much waits, and then nothing was added. */
  keep(bytes: Uint8Array): boolean {
    if (this.#keptBytes + bytes.length > keptBytesMax) return false
    this.#add({ bytes, kind: "kept" })
    return true
  }

  /** Forgets the frames that have not begun to go. */
  dropFrames(): void {
    const begun = this.#sent > 0 ? this.#items.slice(0, 1) : []
    const rest = this.#items.slice(begun.length).filter((item) => item.kind === "kept")
    this.#items = [...begun, ...rest]
    const frames = begun.filter((item) => item.kind === "frame")
    this.#frames = frames.length
    this.#frameBytes = frames.reduce((sum, item) => sum + item.bytes.length, 0)
  }

  /** Hands over as much as the connection takes. */
  flush(): void {
    for (let item = this.#items[0]; item !== undefined; item = this.#items[0]) {
      this.#sent += this.#connection.write(item.bytes.subarray(this.#sent))
      if (this.#sent < item.bytes.length) return
      this.#items.shift()
      this.#sent = 0
      this.#count(item, -1)
    }
  }

  #add(item: Item): void {
    this.#items.push(item)
    this.#count(item, 1)
    if (this.#items.length === 1) this.flush()
  }

  #count(item: Item, sign: 1 | -1): void {
    if (item.kind === "kept") this.#keptBytes += sign * item.bytes.length
    else {
      this.#frames += sign
      this.#frameBytes += sign * item.bytes.length
    }
  }
}
