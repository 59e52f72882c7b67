/**
 * Server-sent events from bytes cut anywhere.
 *
 * - Lines end in LF, CRLF or CR, also mixed; a byte order mark, comments (heartbeats) and unknown fields are passed over.
 * - An event ends at a blank line; some servers leave out the last one, so `end` gives what is left.
 * - An event longer than {@link eventMax} is an error: a server that never ends a line must not fill the memory.
 */
export type ServerEvent = { readonly event: string; readonly data: string }

/** Code units: the largest event known is a `response.completed` with encrypted reasoning, below 4 MiB. */
export const eventMax = 16 * 1024 * 1024

export class EventParser {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: false })
  #text = ""
  #event = ""
  #data: string[] = []
  #size = 0

  /** The events that `bytes` completes. Throws a `RangeError` for an event that is too long. */
  push(bytes: Uint8Array): readonly ServerEvent[] {
    this.#text += this.#decoder.decode(bytes, { stream: true })
    return this.#lines(false)
  }

  end(): readonly ServerEvent[] {
    this.#text += this.#decoder.decode()
    return [...this.#lines(true), ...this.#dispatch()]
  }

  #lines(last: boolean): readonly ServerEvent[] {
    const events: ServerEvent[] = []
    let from = 0
    for (;;) {
      const end = this.#lineEnd(from)
      if (end === undefined) break
      const line = this.#text.slice(from, end)
      const next = this.#text.startsWith("\r\n", end) ? end + 2 : end + 1
      // A CR at the very end may be half of a CRLF that is still on its way.
      if (!last && end + 1 === this.#text.length && this.#text[end] === "\r") break
      from = next
      events.push(...this.#line(line))
    }
    this.#text = this.#text.slice(from)
    if (last && this.#text !== "") {
      events.push(...this.#line(this.#text))
      this.#text = ""
    }
    if (this.#text.length + this.#size > eventMax)
      throw new RangeError(`an event is longer than ${eventMax} characters`)
    return events
  }

  #lineEnd(from: number): number | undefined {
    const lf = this.#text.indexOf("\n", from)
    const cr = this.#text.slice(from, lf < 0 ? undefined : lf).indexOf("\r")
    if (cr >= 0) return from + cr
    return lf < 0 ? undefined : lf
  }

  #line(line: string): readonly ServerEvent[] {
    if (line === "") return this.#dispatch()
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const rest = colon < 0 ? "" : line.slice(colon + 1)
    const value = rest.startsWith(" ") ? rest.slice(1) : rest
    if (field === "event") this.#event = value
    if (field === "data") {
      this.#data.push(value)
      this.#size += value.length
    }
    return []
  }

  #dispatch(): readonly ServerEvent[] {
    const event = { event: this.#event, data: this.#data.join("\n") }
    const any = this.#data.length > 0
    this.#event = ""
    this.#data = []
    this.#size = 0
    return any ? [event] : []
  }
}
