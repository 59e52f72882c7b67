/**
 * A session's port, and the host around it, for one client on one connection.
 *
 * - The client speaks first. A client of another protocol is refused in a sentence; every other gets `hello` at once, before anything is opened.
 * - Nothing here is waited for by the session: frames that a client does not take are dropped at a limit and made up for by a snapshot,
 *   which is asked for once all that waited has gone.
 * - A client that breaks off, in the middle of a line or not, only ends its own watches. The port stays as it is: who opened it closes it.
 */
import { protocolVersion, Refusal, type Cursor, type Frame, type Port } from "../protocol/port.ts"
import type { Hello, HostPort } from "../protocol/host.ts"
import type { SessionsPort } from "../protocol/sessions.ts"
import { unreachable } from "../std/assert.ts"
import type { Json } from "../std/json.ts"
import { checkLine, type Checked } from "./check.ts"
import type { Connection, ConnectionEvents } from "./connection.ts"
import { encodeLine, LineReader, type Read } from "./frame.ts"
import { askSessions, type DownLine, type ReplyLine, type UpLine } from "./lines.ts"
import { Outbox } from "./outbox.ts"

/** Requests of one client that have no answer yet: a screen has a few, and a client that has more is not waiting for them. */
const requestsMax = 1_000

/** What a host has to offer to a client. */
export type Service = {
  readonly build: string
  readonly pid: number
  readonly host: HostPort
  readonly sessions: SessionsPort
  /** The port that this client means, null for `none`; a Refusal is told to the client, which is then let go. */
  open(hello: Hello): Promise<Port | null>
  /** Called once for each `open` that gave an answer, when that client is gone. */
  left(hello: Hello): void
}

export type Served = ConnectionEvents & {
  /** Lets the client go with a sentence, after all that waits for it. Resolves once the connection is closed. */
  end(reason: string): Promise<void>
}

/** Serves the client on `connection`; the answer is the listener of that connection. */
export function servePort(connection: Connection, service: Service): Served {
  return new ServedClient(connection, service)
}

/** `behind`: its frames were dropped, and a snapshot follows once the outbox is empty. */
type Watch = { stop: () => void; behind: boolean }

type Stage =
  | { readonly name: "hello" }
  | { readonly name: "opening" }
  | { readonly name: "open"; readonly hello: Hello; readonly port: Port | null }
  | { readonly name: "ending" }
  | { readonly name: "closed" }

class ServedClient implements Served {
  readonly #connection: Connection
  readonly #service: Service
  readonly #outbox: Outbox
  readonly #reader = new LineReader()
  readonly #watches = new Map<number, Watch>()
  readonly #closed = Promise.withResolvers<void>()
  /** Requests that have no answer yet. */
  #requests = 0
  #stage: Stage = { name: "hello" }

  constructor(connection: Connection, service: Service) {
    this.#connection = connection
    this.#service = service
    this.#outbox = new Outbox(connection)
  }

  data(bytes: Uint8Array): void {
    for (const read of this.#reader.push(bytes)) this.#take(read)
  }

  drained(): void {
    this.#outbox.flush()
    this.#settle()
  }

  closed(): void {
    this.#leave({ name: "closed" })
    this.#closed.resolve()
  }

  end(reason: string): Promise<void> {
    if (this.#stage.name !== "ending" && this.#stage.name !== "closed") {
      this.#keep({ type: "lost", reason })
      this.#leave({ name: "ending" })
      this.#settle()
    }
    return this.#closed.promise
  }

  #take(read: Read): void {
    if (this.#stage.name === "ending" || this.#stage.name === "closed") return
    if (!read.ok) return this.#refuse("bad_line", read.reason)
    // A client of another version may say hello in another shape: its number is all that counts.
    if (this.#stage.name === "hello" && read.value["type"] === "hello" && read.value["protocol"] !== protocolVersion) {
      return this.#refuse(
        "protocol_mismatch",
        mismatch(this.#service.build, read.value["protocol"], read.value["build"]),
      )
    }
    const checked = checkLine(read.value)
    if (this.#stage.name !== "open") return this.#greet(checked)
    if (checked.ok) this.#act(checked.line, this.#stage.port)
    else if (checked.id === undefined) this.#refuse("bad_line", checked.reason)
    else
      this.#reply({
        type: "reply",
        id: checked.id,
        ok: false,
        refused: { code: "bad_command", message: checked.reason },
      })
  }

  #greet(checked: Checked): void {
    if (!checked.ok) return this.#refuse("bad_line", checked.reason)
    const { line } = checked
    if (this.#stage.name !== "hello" || line.type !== "hello") {
      return this.#refuse("bad_line", `The line "${line.type}" came before the session was open.`)
    }
    this.#keep({ type: "hello", protocol: protocolVersion, build: this.#service.build, pid: this.#service.pid })
    this.#stage = { name: "opening" }
    void this.#open(line)
  }

  async #open(hello: Hello): Promise<void> {
    let port: Port | null
    try {
      port = await this.#service.open(hello)
    } catch (error) {
      this.#refuse(error instanceof Refusal ? error.code : "open_failed", sentenceOf(error))
      return
    }
    // The client may have gone while its session was being opened.
    if (this.#stage.name !== "opening") return this.#service.left(hello)
    this.#stage = { name: "open", hello, port }
    this.#keep({ type: "opened" })
  }

  #act(line: DownLine, port: Port | null): void {
    switch (line.type) {
      case "hello":
        return this.#refuse("bad_line", "A second hello came on one connection.")
      case "watch":
        if (port === null) return this.#keep({ type: "lost", watch: line.watch, reason: noSession.message })
        return this.#watch(line.watch, port, line.cursor)
      case "unwatch":
        this.#watches.get(line.watch)?.stop()
        this.#watches.delete(line.watch)
        return
      case "command":
        return void this.#answer(line.id, () =>
          port === null ? Promise.reject(noSession) : port.request(line.command),
        )
      case "host":
        return void this.#answer(line.id, () => this.#service.host.request(line.command))
      case "sessions": {
        const { command } = line
        const { sessions } = this.#service
        return void this.#answer(line.id, () => askSessions(sessions, command))
      }
      default:
        return unreachable(line)
    }
  }

  async #answer(id: number, ask: () => Promise<unknown>): Promise<void> {
    if (this.#requests >= requestsMax) return this.#reply({ type: "reply", id, ok: false, refused: tooMany })
    this.#requests++
    this.#reply(
      await ask().then(
        (value): ReplyLine => ({ type: "reply", id, ok: true, value: (value ?? null) as Json }),
        (error): ReplyLine => ({ type: "reply", id, ok: false, ...wrong(error) }),
      ),
    )
    this.#requests--
  }

  #reply(line: ReplyLine): void {
    const bytes = encodeLine(line)
    if (bytes !== null) return this.#keepBytes(bytes)
    const refused = { code: "too_large", message: "The answer is too large to be sent: ask for less at once." }
    this.#keep({ type: "reply", id: line.id, ok: false, refused })
  }

  #watch(id: number, port: Port, cursor: Cursor | undefined): void {
    const watch: Watch = { stop: () => {}, behind: false }
    this.#watches.get(id)?.stop()
    this.#watches.set(id, watch)
    this.#follow(id, watch, port, cursor)
  }

  /** Frames of `port` go out from here on; the port may give the first ones before it returns. */
  #follow(id: number, watch: Watch, port: Port, cursor: Cursor | undefined): void {
    let live = true
    watch.behind = false
    const quit = port.watch((frame) => {
      if (live) this.#frame(id, frame)
    }, cursor)
    const stop = (): void => {
      live = false
      quit()
    }
    // It fell behind, or was ended, by a frame that came before `port.watch` returned.
    if (watch.behind || this.#watches.get(id) !== watch) stop()
    else watch.stop = stop
  }

  #frame(id: number, frame: Frame): void {
    const bytes = encodeLine({ watch: id, ...frame })
    if (bytes === null) return void this.end("What the session has to say is too large to be sent.")
    if (frame.type === "snapshot") this.#keepBytes(bytes)
    else if (frame.type === "lost") {
      this.#keepBytes(bytes)
      this.#watches.get(id)?.stop()
      this.#watches.delete(id)
    } else if (!this.#outbox.frame(bytes)) this.#fallBehind()
  }

  #fallBehind(): void {
    this.#outbox.dropFrames()
    for (const watch of this.#watches.values()) {
      watch.stop()
      watch.stop = () => {}
      watch.behind = true
    }
  }

  /** What waits for an empty outbox: the end, or a snapshot for who fell behind. */
  #settle(): void {
    if (!this.#outbox.empty) return
    if (this.#stage.name === "ending") return this.#connection.close()
    if (this.#stage.name !== "open" || this.#stage.port === null) return
    for (const [id, watch] of [...this.#watches]) {
      if (watch.behind) this.#follow(id, watch, this.#stage.port, undefined)
    }
  }

  #keep(line: UpLine): void {
    const bytes = encodeLine(line)
    if (bytes !== null) this.#keepBytes(bytes)
  }

  #keepBytes(bytes: Uint8Array): void {
    if (this.#stage.name === "ending" || this.#stage.name === "closed") return
    // A client that asks for more and more and reads nothing has nothing to be told.
    if (!this.#outbox.keep(bytes)) this.#connection.close()
  }

  #refuse(code: string, message: string): void {
    this.#keep({ type: "refused", code, message })
    this.#leave({ name: "ending" })
    this.#settle()
  }

  #leave(next: Stage): void {
    const before = this.#stage
    if (before.name === "closed") return
    this.#stage = next
    for (const watch of this.#watches.values()) watch.stop()
    this.#watches.clear()
    if (before.name === "open") this.#service.left(before.hello)
  }
}

const tooMany = { code: "too_many", message: `More than ${requestsMax} requests wait for an answer: wait for some.` }

const noSession = new Refusal("no_session", "This connection has opened no session.")

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function wrong(error: unknown): { refused: { code: string; message: string } } | { failed: string } {
  return error instanceof Refusal
    ? { refused: { code: error.code, message: error.message } }
    : { failed: sentenceOf(error) }
}

function mismatch(build: string, protocol: unknown, other: unknown): string {
  return (
    `The host is cairn ${build} and speaks protocol ${protocolVersion}; this client is cairn ${String(other).slice(0, 40)} and speaks ` +
    `protocol ${String(protocol).slice(0, 40)}. Use the same version for both, or end the host with "cairn stop".`
  )
}
