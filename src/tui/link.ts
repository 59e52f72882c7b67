/**
 * The screen's line to its host: opened behind the first frame, opened again whenever it is lost, and the same object all the while.
 *
 * - Frames go to the store in order. A new port begins with a snapshot, which replaces what progress had built.
 * - `request` while there is no port rejects at once: who asks decides whether to wait. Inputs wait in the outbox.
 * - A host that cannot be had, or never lasts, is waited for ever longer, and then not started again until the person says something.
 * - The outbox is sent in order, one at a time, each until the host has answered. A refusal gives the input back.
 */
import { Refusal, type Answers, type Command, type Frame, type Port } from "../protocol/port.ts"
import type { Clock } from "../std/clock.ts"
import type { Store } from "./dispatch.ts"
import type { SessionChoice } from "./options.ts"
import type { OutboxItem } from "./state.ts"

/** Waits between attempts: quick at first, since a host that was killed is back in a moment. */
const waitMs = 100
const waitMsMax = 5_000
/** A host that goes sooner than this after it came counts as one that did not come: what ends it may end the next one too. */
const steadyMs = 10_000
/** After so many in a row nobody is started any more until the person says so. */
const triesMax = 8

const notConnected = "the host cannot be reached just now; try again in a moment"

export type LinkOptions = {
  readonly store: Store
  readonly clock: Clock
  connect(choice: SessionChoice): Promise<Port>
  /** The host refused an input: it goes back to the person. */
  refused(item: OutboxItem, reason: string): void
  /** A port was opened; its first snapshot has been folded. */
  opened(): void
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export class Link implements Port {
  readonly #options: LinkOptions
  #choice: SessionChoice
  #port: Port | null = null
  #unwatch: (() => void) | null = null
  #cancelWait: (() => void) | null = null
  #cancelSteady: (() => void) | null = null
  #attempt = 1
  /** Raised by every open and leave: what an older round still brings is dropped. */
  #round = 0
  #sending = false
  #closed = false

  constructor(choice: SessionChoice, options: LinkOptions) {
    this.#choice = choice
    this.#options = options
  }

  start(): void {
    void this.#connect()
  }

  /** Leave this session for another one; its work goes on without us. */
  async change(choice: SessionChoice): Promise<void> {
    await this.#drop()
    this.#choice = choice
    this.#attempt = 1
    const { store, refused } = this.#options
    const unsent = store.state.outbox
    store.dispatch({ type: "session.left" })
    for (const item of unsent) refused(item, "It was not sent: the session was left before its host answered")
    void this.#connect()
  }

  /** Do not wait any longer: try now. */
  retry(): boolean {
    if (this.#cancelWait === null) return false
    this.#cancelWait()
    this.#cancelWait = null
    void this.#connect()
    return true
  }

  watch(listener: (frame: Frame) => void): () => void {
    return this.#port === null ? () => {} : this.#port.watch(listener)
  }

  async request<C extends Command>(command: C): Promise<Answers[C["type"]]> {
    if (this.#port === null) throw new Error(notConnected)
    return this.#port.request(command)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#drop()
  }

  /** Sends what waits in the outbox. Harmless at any time. */
  async flush(): Promise<void> {
    if (this.#sending) return
    this.#sending = true
    const round = this.#round
    try {
      for (;;) {
        const item = this.#options.store.state.outbox[0]
        if (item === undefined) return
        if (this.#options.store.state.link.status === "stopped") this.retry()
        if (this.#port === null || round !== this.#round) return
        if (!(await this.#send(item))) return
      }
    } finally {
      this.#sending = false
      // The port changed meanwhile: the new one is sent what is left.
      if (round !== this.#round && this.#port !== null) void this.flush()
    }
  }

  /** False when the host could not be reached: the item stays. */
  async #send(item: OutboxItem): Promise<boolean> {
    const { store, refused } = this.#options
    const { requestId, content, mode } = item
    try {
      await this.request({ type: "submit", conversation: store.state.conversation, requestId, content, mode })
      store.dispatch({ type: "sent", requestId })
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) return false
      store.dispatch({ type: "sent", requestId })
      refused(item, error.message)
      return true
    }
  }

  async #connect(): Promise<void> {
    const { store } = this.#options
    const round = ++this.#round
    store.dispatch({ type: "link", link: { status: "connecting", attempt: this.#attempt } })
    try {
      const port = await this.#options.connect(this.#choice)
      if (round !== this.#round || this.#closed) return void (await port.close())
      this.#port = port
      this.#unwatch = port.watch((frame) => this.#hear(round, frame))
    } catch (error) {
      if (round === this.#round && !this.#closed) this.#wait(sentence(error))
    }
  }

  #hear(round: number, frame: Frame): void {
    if (round !== this.#round) return
    const { store, opened } = this.#options
    store.dispatch({ type: "frame", frame })
    if (frame.type === "lost") return void this.#lost(frame.reason, frame.stopped === true)
    if (frame.type !== "snapshot") return
    // A host of a new session has none before the first accepted input.
    if (frame.state.session !== "") this.#choice = { kind: "session", id: frame.state.session }
    if (store.state.link.status === "open") return
    this.#cancelSteady = this.#options.clock.after(steadyMs, () => (this.#attempt = 1))
    store.dispatch({ type: "link", link: { status: "open" } })
    opened()
    void this.flush()
  }

  async #lost(reason: string, stopped: boolean): Promise<void> {
    await this.#drop()
    if (this.#closed) return
    if (stopped) this.#halt(reason)
    else this.#wait(reason)
  }

  /** Until the person says something. */
  #halt(reason: string): void {
    this.#attempt = 1
    this.#cancelWait = () => {}
    this.#options.store.dispatch({ type: "link", link: { status: "stopped", reason } })
  }

  #wait(reason: string): void {
    if (this.#attempt === triesMax) return this.#halt(reason)
    const { clock, store } = this.#options
    const ms = Math.min(waitMsMax, waitMs * 2 ** (this.#attempt - 1))
    const until = clock.now() + ms
    store.dispatch({ type: "link", link: { status: "waiting", attempt: this.#attempt, until, reason } })
    this.#attempt++
    this.#cancelWait = clock.after(ms, () => {
      this.#cancelWait = null
      void this.#connect()
    })
  }

  async #drop(): Promise<void> {
    this.#round++
    this.#cancelWait?.()
    this.#cancelWait = null
    this.#cancelSteady?.()
    this.#cancelSteady = null
    this.#unwatch?.()
    this.#unwatch = null
    const port = this.#port
    this.#port = null
    await port?.close()
  }
}
