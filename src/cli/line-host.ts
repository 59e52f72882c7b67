/**
 * The host of a conversation in lines: reached when it is needed, and again when it broke off.
 *
 * - A host that died is started again at once, so that its work goes on. One that somebody stopped, or that never lasts, stays away until the
 *   person says something.
 * - What is safe to say twice is said again to the next host: an input keeps its request id, so it is admitted once.
 */
import type { Clock } from "../std/clock.ts"
import { sleep } from "../std/clock.ts"
import { Refusal, type Answers, type Command, type Frame, type Port } from "../protocol/port.ts"
import type { HostChoice } from "./connect.ts"

/** A host that dies on the same words again and again is not the way's fault. */
const triesMax = 3
const waitMs = 500
/** Ten seconds in all. */
const reopensMax = 6
/** A host that goes sooner than this after it came may be ended by what ends the next one too. */
const steadyMs = 10_000

/** What may be asked again when nobody knows whether the host has heard it. */
const repeatable: readonly Command["type"][] = ["submit", "abort", "configure", "title", "resume"]

export type LineHostOptions = {
  readonly clock: Clock
  readonly choice: HostChoice
  connect(choice: HostChoice): Promise<Port>
  hear(frame: Frame): void
  /** The host is gone, or cannot be had: a sentence. */
  problem(text: string): void
}

export class LineHost {
  readonly #options: LineHostOptions
  #choice: HostChoice
  #port: Promise<Port> | null = null
  #closed = false
  #openedAt = -Infinity
  /** Hosts in a row that did not last. */
  #quick = 0

  constructor(options: LineHostOptions) {
    this.#options = options
    this.#choice = options.choice
  }

  /** The port of the host that runs, or of one that is started now, once it has told how things stand. Throws where there is none to be had. */
  reach(): Promise<Port> {
    this.#port ??= this.#open()
    return this.#port
  }

  async ask<C extends Command>(command: C): Promise<Answers[C["type"]]> {
    for (let tries = 1; ; tries++) {
      const port = await this.reach()
      try {
        return await port.request(command)
      } catch (error) {
        if (error instanceof Refusal || tries === triesMax || !repeatable.includes(command.type)) throw error
        await sleep(this.#options.clock, waitMs)
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const port = await this.#port?.catch(() => null)
    await port?.close()
  }

  /** A host that has just died may still hold its session for a moment: what fails at first is tried again. */
  async #again(): Promise<void> {
    for (let tries = 1; !this.#closed; tries++) {
      try {
        await this.reach()
        return
      } catch (error) {
        if (tries === reopensMax) return this.#options.problem(error instanceof Error ? error.message : String(error))
        await sleep(this.#options.clock, waitMs * tries)
      }
    }
  }

  async #open(): Promise<Port> {
    try {
      const port = await this.#options.connect(this.#choice)
      const told = Promise.withResolvers<void>()
      port.watch((frame) => {
        this.#hear(frame, port)
        told.resolve()
      })
      await told.promise
      this.#openedAt = this.#options.clock.monotonic()
      return port
    } catch (error) {
      this.#port = null
      throw error
    }
  }

  #hear(frame: Frame, port: Port): void {
    // A host of a new session has none before the first accepted input.
    if (frame.type === "snapshot" && frame.state.session !== "") {
      this.#choice = { kind: "session", id: frame.state.session }
    }
    this.#options.hear(frame)
    if (frame.type !== "lost") return
    this.#port = null
    this.#options.problem(frame.reason)
    void port.close()
    if (this.#closed || frame.stopped === true) return
    const lasted = this.#options.clock.monotonic() - this.#openedAt
    this.#quick = lasted < steadyMs ? this.#quick + 1 : 0
    if (this.#quick < reopensMax) void this.#again()
  }
}
