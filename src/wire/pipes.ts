/**
 * The way out where no folder can hold a socket: the pipes between a screen and the host that it started.
 *
 * - One chunk is in the pipe's hands at a time, so that what the other side does not read waits in the outbox, where its limits are.
 */
import type { Accept, Connection, ConnectionEvents } from "./connection.ts"

export type PipeEnds = { readonly input: ReadableStream<Uint8Array>; readonly output: Bun.FileSink }

/** Bytes handed to a pipe at once: what one usually holds. */
const chunkBytes = 64 * 1024

type Reader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

class PipeConnection implements Connection {
  readonly #output: Bun.FileSink
  readonly #input: Reader
  #events: ConnectionEvents | undefined
  #busy = false
  #state: "open" | "ending" | "closed" = "open"

  constructor(ends: PipeEnds) {
    this.#output = ends.output
    this.#input = ends.input.getReader()
  }

  start(events: ConnectionEvents): void {
    this.#events = events
    void this.#read(events)
  }

  write(bytes: Uint8Array): number {
    if (this.#state !== "open" || this.#busy) return 0
    // The sink keeps the bytes until they are written, and the outbox may reuse its own.
    const chunk = bytes.slice(0, chunkBytes)
    this.#busy = true
    void this.#send(chunk)
    return chunk.length
  }

  close(): void {
    if (this.#state !== "open") return
    this.#state = "ending"
    if (!this.#busy) void this.#finish("This side closed the connection.")
  }

  async #send(chunk: Uint8Array): Promise<void> {
    try {
      await Promise.all([this.#output.write(chunk), this.#output.flush()])
    } catch (error) {
      await this.#finish(`The pipe broke: ${error instanceof Error ? error.message : String(error)}.`)
      return
    }
    this.#busy = false
    if (this.#state === "ending") await this.#finish("This side closed the connection.")
    else if (this.#state === "open") this.#events?.drained()
  }

  async #read(events: ConnectionEvents): Promise<void> {
    let reason = "The other side closed the connection."
    try {
      for (let part = await this.#input.read(); !part.done; part = await this.#input.read()) {
        if (this.#state === "open" && part.value !== undefined) events.data(part.value)
      }
    } catch (error) {
      reason = `The pipe broke: ${error instanceof Error ? error.message : String(error)}.`
    }
    await this.#finish(reason)
  }

  async #finish(reason: string): Promise<void> {
    if (this.#state === "closed") return
    this.#state = "closed"
    // Both ends may be gone already, which is what closing is for.
    await Promise.allSettled([this.#input.cancel(), Promise.resolve().then(() => this.#output.end())])
    this.#events?.closed(reason)
  }
}

/** A connection over `ends`, open at once. */
export function overPipes(ends: PipeEnds, accept: Accept): void {
  const connection = new PipeConnection(ends)
  connection.start(accept(connection))
}

/** The same for the side that asks: in the shape that `attachPort` takes. */
export function connectPipes(ends: PipeEnds, events: ConnectionEvents): Promise<Connection> {
  const connection = new PipeConnection(ends)
  connection.start(events)
  return Promise.resolve(connection)
}
