/**
 * What a host does when nothing else is to be done: the index over all sessions (its own session's row and texts, also at its end; everybody's when a
 * search has found that not all is in), its folder's place in a repository, and a better title.
 *
 * - It is never in the way: it begins when nothing was going on for a while, works in pieces, and stops as soon as something is.
 */
import type { Engine } from "../engine/engine.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { SessionsPort } from "../protocol/sessions.ts"
import { sleep, type Clock } from "../std/clock.ts"
import { rememberRepository } from "./folder-identity.ts"
import { indexAll } from "./session-search.ts"
import { indexTexts } from "./session-texts.ts"

/** How long nothing has to be going on. */
const idleMs = 1_500
/** The same for what costs money: a person who reads an answer often goes on. */
const namingMs = 10_000
/** Between two pieces: the machine is somebody's. */
const pauseMs = 15
/** While somebody searches, all sessions are looked at again after so long. */
const lookAgainMs = 5_000
/** What an end waits for at most; whoever lists next does the rest. */
const endMsMax = 300

export type HostIdleOptions = {
  readonly dataDir: string
  readonly ledger: Ledger
  readonly engine: Engine
  readonly clock: Clock
  readonly report: (text: string) => void
  /** Whether the model may name sessions. */
  names(): boolean
}

export class HostIdle {
  readonly #options: HostIdleOptions
  readonly #unwatch: () => void
  #cancel: () => void = () => {}
  #cancelNaming: () => void = () => {}
  #naming: AbortController | null = null
  #working: Promise<void> | null = null
  #ended = false
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(options: HostIdleOptions) {
    this.#options = options
    this.#unwatch = options.engine.port.watch((frame) => {
      if (frame.type === "settled") this.#soon()
      // Somebody goes on: a name can wait.
      if (frame.type === "commit" && options.engine.busy()) this.#naming?.abort()
    })
  }

  /** The same port, whose searches see to it that what they could not see is seen by the next one. */
  serving(sessions: SessionsPort): SessionsPort {
    return {
      ...sessions,
      search: async (query) => {
        const found = await sessions.search(query)
        if (found.unread > 0 || this.#mayBeStale()) this.#work((pause) => indexAll(this.#options.dataDir, pause))
        return found
      },
    }
  }

  /** Nothing more is begun; resolves when nothing is going on. */
  async stop(): Promise<void> {
    this.#ended = true
    this.#cancel()
    this.#cancelNaming()
    this.#naming?.abort()
    this.#unwatch()
    await this.#working
  }

  /** The last row, of a session that was closed. */
  async finish(): Promise<void> {
    const { dataDir, ledger, clock } = this.#options
    const until = clock.monotonic() + endMsMax
    await indexTexts(dataDir, ledger.session, async () => clock.monotonic() < until)
  }

  /** The index does not know what was written since somebody looked at all sessions: now and then that is done again. */
  #mayBeStale(): boolean {
    const now = this.#options.clock.monotonic()
    if (now - this.#lookedAt < lookAgainMs) return false
    this.#lookedAt = now
    return true
  }

  #name(): void {
    const { engine, names, report } = this.#options
    if (this.#ended || engine.busy() || !names() || this.#naming !== null) return
    const naming = new AbortController()
    this.#naming = naming
    engine
      .betterTitle(naming.signal)
      .catch((error: unknown) => report(`a title failed: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => (this.#naming = null))
  }

  #soon(): void {
    this.#cancelNaming()
    this.#cancelNaming = this.#options.clock.after(namingMs, () => this.#name())
    this.#cancel()
    this.#cancel = this.#options.clock.after(idleMs, () => {
      const { dataDir, ledger, clock, engine } = this.#options
      if (this.#ended || engine.busy()) return
      this.#work(async (pause) => {
        await rememberRepository(ledger, clock)
        await indexTexts(dataDir, ledger.session, pause)
      })
    })
  }

  #work(work: (pause: () => Promise<boolean>) => Promise<unknown>): void {
    if (this.#working !== null || this.#ended) return
    const { clock, engine, report } = this.#options
    const pause = async (): Promise<boolean> => {
      await sleep(clock, pauseMs)
      return !this.#ended && !engine.busy()
    }
    this.#working = work(pause)
      .then(
        () => {},
        (error: unknown) => report(`the index failed: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => (this.#working = null))
  }
}
