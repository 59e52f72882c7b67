/**
 * A host: one session, held open and worked on, for clients that come and go.
 *
 * - It lives as long as it is needed: with clients, or with work. One that is idle leaves with its last client; one whose work ends while
 *   nobody looks lingers, since somebody may come to see what was done. A host that was asked for by hand stays.
 * - It is asked to stop in three ways, and answers before it goes. A signal is the third way: work is left pending.
 * - It holds a session from its start; one in which nothing was ever said leaves no trace.
 */
import type { Engine } from "../engine/engine.ts"
import type { Clock } from "../std/clock.ts"
import type { Hello, HostAnswers, HostCommand, HostInfo, StopHow } from "../protocol/host.ts"
import { Refusal, type Port } from "../protocol/port.ts"
import type { SessionsPort } from "../protocol/sessions.ts"
import { unreachable } from "../std/assert.ts"
import { shortId } from "../std/id.ts"
import type { Service } from "../wire/serve.ts"

/** A screen that started a host and died before it came is not waited for longer. */
const firstClientMs = 10_000

export type HostOptions = {
  readonly engine: Engine
  readonly session: string
  readonly folder: string
  readonly build: string
  readonly sessions: SessionsPort
  readonly clock: Clock
  readonly lingerMs: number
  /** Stay without clients and work. */
  readonly stay: boolean
  /** Whether anything was ever said in this session. */
  begun(): boolean
  /** Close the session for the process `successor`, at the turn boundary or at once. */
  handOver(successor: number, now: boolean): Promise<void>
  /** Called once, when it is time to go; `reason` is a sentence for the clients, `stopped` whether somebody asked for it. */
  leave(reason: string, stopped: boolean): void
}

export class Host implements Service {
  readonly #options: HostOptions
  readonly #startedAt: number
  #clients = 0
  #stopWhenIdle = false
  #left = false
  #cancel: () => void

  readonly host = { request: <C extends HostCommand>(command: C) => this.#answer(command) }

  constructor(options: HostOptions) {
    this.#options = options
    this.#startedAt = options.clock.now()
    this.#cancel = options.clock.after(firstClientMs, () => this.#look(0))
    options.engine.port.watch((frame) => {
      if (frame.type === "settled") this.#look(options.lingerMs)
      if (frame.type === "lost") this.#go(frame.reason)
    })
  }

  get build(): string {
    return this.#options.build
  }

  get pid(): number {
    return process.pid
  }

  get sessions(): SessionsPort {
    return this.#options.sessions
  }

  async open(hello: Hello): Promise<Port | null> {
    const { open } = hello
    const { session, engine } = this.#options
    if (open.how === "none") return null
    if (open.how === "session" && open.id !== session) {
      throw new Refusal("other_session", `This host holds session ${shortId(session)}, not ${shortId(open.id)}.`)
    }
    if (this.#left) throw new Refusal("closing", "This host is leaving: try again in a moment.")
    this.#clients++
    this.#cancel()
    return engine.port
  }

  left(hello: Hello): void {
    if (hello.open.how === "none") return
    this.#clients--
    if (this.#clients === 0) this.#look(0)
  }

  async #answer<C extends HostCommand>(command: C): Promise<HostAnswers[C["type"]]> {
    const asked: HostCommand = command
    switch (asked.type) {
      case "hostInfo":
        return this.#info() as HostAnswers[C["type"]]
      case "stop":
        await this.#stop(asked.how)
        return null as HostAnswers[C["type"]]
      case "handOver":
        await this.#handOver(asked.successor, asked.now)
        return null as HostAnswers[C["type"]]
      default:
        return unreachable(asked)
    }
  }

  #info(): HostInfo {
    const { build, folder, session, engine } = this.#options
    const known = this.#options.begun() ? session : null
    return {
      pid: process.pid,
      build,
      session: known,
      folder,
      startedAt: this.#startedAt,
      busy: engine.busy(),
      clients: this.#clients,
    }
  }

  async #stop(how: StopHow): Promise<void> {
    const { engine, clock } = this.#options
    const gone = (): void => void clock.after(0, () => this.#go("The host was stopped.", true))
    if (how === "pending" || !engine.busy()) return gone()
    this.#stopWhenIdle = true
    if (how === "work") await engine.port.request({ type: "abort", conversation: 1 })
    if (!engine.busy()) gone()
  }

  async #handOver(successor: number, now: boolean): Promise<void> {
    if (this.#left) throw new Refusal("closing", "This host is leaving already.")
    this.#left = true
    this.#cancel()
    await this.#options.handOver(successor, now)
  }

  /** Go after `ms`, unless somebody comes or work begins. */
  #look(ms: number): void {
    const { engine, clock, stay } = this.#options
    this.#cancel()
    if (engine.busy()) return
    if (this.#stopWhenIdle) return this.#go("The host was stopped.", true)
    if (this.#clients > 0 || stay) return
    this.#cancel = clock.after(ms, () => {
      if (this.#clients === 0 && !engine.busy()) this.#go("The host has left: nothing was going on.")
    })
  }

  #go(reason: string, stopped = false): void {
    if (this.#left) return
    this.#left = true
    this.#cancel()
    this.#options.leave(reason, stopped)
  }
}
