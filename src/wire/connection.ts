/**
 * A byte stream between two processes, as this folder needs it: a unix socket, or a pair of pipes.
 *
 * - `write` never waits and keeps nothing: what it did not take is offered again after `drained`.
 * - `closed` comes once, last, whoever closed; nothing is written or heard after it.
 * - An error of the stream is a close with a reason.
 */
export type Connection = {
  /** How many of `bytes` were taken, from the front. Zero once closed. */
  write(bytes: Uint8Array): number
  /** Ends the stream after what was taken so far. */
  close(): void
}

/** What happens on a connection, told to the one that holds it. The bytes belong to the receiver. */
export type ConnectionEvents = {
  data(bytes: Uint8Array): void
  drained(): void
  closed(reason: string): void
}

/** Who takes a new connection: gets it once it is open, and answers with its listener in the same tick. */
export type Accept = (connection: Connection) => ConnectionEvents
