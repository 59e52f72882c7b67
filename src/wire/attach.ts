/**
 * The port of a session that another process holds.
 *
 * - It is a `Port` like any other: commands resolve, a Refusal is thrown as a Refusal, and frames come in order.
 * - When the host or the way to it is gone, every watch ends with a `lost` frame, open requests are rejected, and so is every later one.
 *   It does not come back by itself: attach again, and watch from the cursor.
 */
import { Refusal, type Answers, type Command, type Cursor, type Frame, type Port } from "../protocol/port.ts"
import type { Hello, HostAnswers, HostCommand, HostPort, Welcome } from "../protocol/host.ts"
import type { SessionsPort } from "../protocol/sessions.ts"
import { systemClock, type Clock } from "../std/clock.ts"
import type { JsonObject } from "../std/json.ts"
import type { Connection, ConnectionEvents } from "./connection.ts"
import { encodeLine, LineReader, type Read } from "./frame.ts"
import { isFrameType, sessionsOver, type DownLine, type ReplyLine, type SessionsCommand, type UpLine } from "./lines.ts"
import { Outbox } from "./outbox.ts"

/** A host that lives answers a hello before it does anything else. */
export const helloMsMax = 2_000

export type AttachOptions = {
  /** Opens the connection; `events` is its listener. */
  readonly connect: (events: ConnectionEvents) => Promise<Connection>
  readonly hello: Hello
  readonly clock?: Clock
  /** Milliseconds until a host that has not answered the hello is called silent. */
  readonly helloMsMax?: number
}

export type AttachedPort = Port & {
  readonly welcome: Welcome
  readonly host: HostPort
  readonly sessions: SessionsPort
}

/** The host did not answer; the message is a sentence. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
}

/**
 * Says hello and waits until the session is open.
 * Throws a Refusal where the host says no, {@link Unreachable} where it does not answer, and what `connect` throws.
 */
export async function attachPort(options: AttachOptions): Promise<AttachedPort> {
  const client = new AttachedClient()
  client.begin(await options.connect(client), options.hello)
  const cancel = (options.clock ?? systemClock).after(options.helloMsMax ?? helloMsMax, () => client.giveUp())
  const welcome = await client.welcome.finally(cancel)
  await client.opened
  return {
    welcome,
    host: { request: (command) => client.ask("host", command) },
    sessions: client.sessions,
    watch: (listener, cursor) => client.watch(listener, cursor),
    request: (command) => client.ask("command", command),
    close: () => client.close(),
  }
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void }

class AttachedClient implements ConnectionEvents {
  readonly #reader = new LineReader()
  readonly #watches = new Map<number, (frame: Frame) => void>()
  readonly #waiting = new Map<number, Waiting>()
  readonly #welcome = Promise.withResolvers<Welcome>()
  readonly #opened = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<void>()
  #link: { readonly connection: Connection; readonly outbox: Outbox } | undefined
  /** Why there is no host any more. */
  #lost: Error | undefined
  #numbers = 0

  constructor() {
    // Whoever waits for these hears of a failure; nobody has to.
    this.#welcome.promise.catch(() => {})
    this.#opened.promise.catch(() => {})
  }

  get welcome(): Promise<Welcome> {
    return this.#welcome.promise
  }

  get opened(): Promise<void> {
    return this.#opened.promise
  }

  readonly sessions: SessionsPort = sessionsOver((command) => this.ask("sessions", command))

  begin(connection: Connection, hello: Hello): void {
    this.#link = { connection, outbox: new Outbox(connection) }
    this.#send({ type: "hello", ...hello })
  }

  giveUp(): void {
    this.#lose(new Unreachable("The host did not answer in time: it may be stopped or busy."))
  }

  data(bytes: Uint8Array): void {
    for (const read of this.#reader.push(bytes)) this.#take(read)
  }

  drained(): void {
    this.#link?.outbox.flush()
  }

  closed(reason: string): void {
    this.#lose(new Unreachable(reason))
    this.#closed.resolve()
  }

  watch(listener: (frame: Frame) => void, cursor: Cursor | undefined): () => void {
    const watch = ++this.#numbers
    this.#watches.set(watch, listener)
    if (this.#lost !== undefined) queueMicrotask(() => this.#sayLost())
    else this.#send(cursor === undefined ? { type: "watch", watch } : { type: "watch", watch, cursor })
    return () => {
      if (this.#watches.delete(watch) && this.#lost === undefined) this.#send({ type: "unwatch", watch })
    }
  }

  ask<C extends Command>(door: "command", command: C): Promise<Answers[C["type"]]>
  ask<C extends HostCommand>(door: "host", command: C): Promise<HostAnswers[C["type"]]>
  ask(door: "sessions", command: SessionsCommand): Promise<unknown>
  ask(door: "command" | "host" | "sessions", command: Command | HostCommand | SessionsCommand): Promise<unknown> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    const id = ++this.#numbers
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      if (this.#send({ type: door, id, command } as DownLine)) return
      this.#waiting.delete(id)
      reject(new Refusal("too_large", "This is too large to be sent to the host."))
    })
  }

  async close(): Promise<void> {
    // Whoever closes knows, and is not told that the host is lost.
    this.#watches.clear()
    this.#lose(new Unreachable("This side closed the connection."))
    await this.#closed.promise
  }

  #send(line: DownLine): boolean {
    const bytes = encodeLine(line)
    return bytes !== null && this.#link !== undefined && this.#link.outbox.keep(bytes)
  }

  #take(read: Read): void {
    if (this.#lost !== undefined) return
    if (!read.ok) return this.#lose(new Unreachable(`The host sent what is not the protocol. ${read.reason}`))
    const line = read.value
    if (isFrameType(line["type"]) && typeof line["watch"] === "number") return this.#frame(line, line["watch"])
    this.#hear(line as UpLine)
  }

  #frame(line: JsonObject, watch: number): void {
    const listener = this.#watches.get(watch)
    if (line["type"] === "lost") this.#watches.delete(watch)
    listener?.(line as unknown as Frame)
  }

  #hear(line: UpLine): void {
    switch (line.type) {
      case "hello":
        return this.#welcome.resolve({ protocol: line.protocol, build: line.build, pid: line.pid })
      case "opened":
        return this.#opened.resolve()
      case "refused":
        return this.#lose(new Refusal(line.code, line.message))
      case "reply":
        return this.#reply(line)
      case "lost":
        return this.#lose(new Unreachable(line.reason))
      default:
        // A newer host may say what this build does not know.
        return
    }
  }

  #reply(line: ReplyLine): void {
    const waiting = this.#waiting.get(line.id)
    this.#waiting.delete(line.id)
    if (waiting === undefined) return
    if (line.ok) waiting.resolve(line.value)
    else if ("refused" in line) waiting.reject(new Refusal(line.refused.code, line.refused.message))
    else waiting.reject(new Unreachable(line.failed))
  }

  #lose(error: Error): void {
    if (this.#lost !== undefined) return
    this.#lost = error
    this.#welcome.reject(error)
    this.#opened.reject(error)
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
    this.#sayLost()
    this.#link?.connection.close()
  }

  #sayLost(): void {
    const listeners = [...this.#watches.values()]
    this.#watches.clear()
    for (const listener of listeners) listener({ type: "lost", reason: this.#lost?.message ?? "" })
  }
}
