/**
 * Tells of models that are asked and say nothing, for those who see no screen: after a while, and then ever less often, with the time that has gone.
 *
 * - A request is silent from its beginning, or from the last piece of its answer, to the next one. What ends it is the provider's limit, not this.
 */
import type { Clock } from "../std/clock.ts"
import type { Frame } from "../protocol/port.ts"
import type { TaskRecord } from "../protocol/records.ts"
import type { View } from "../protocol/view.ts"

/** Milliseconds after which a silence is told of, or a third of what is borne where that is less; after each time it has to become twice as long. */
const firstMs = 10_000
const firstShare = 1 / 3

/** How long a silence is borne, as the settings name it. */
export type SilenceLimits = { readonly httpIdleTimeoutMs: number; readonly httpFirstByteTimeoutMs?: number }

/** `who`: the model that was asked, or the work that asks one. `limitMs`: how long this silence is borne. */
export type Silent = { readonly who: string; readonly silentMs: number; readonly limitMs: number }

/** Who is asked for a task's sake, or undefined where nobody is. */
function askedBy({ work, aborting }: TaskRecord): string | undefined {
  if (aborting) return undefined
  if (work.kind === "other") return work.name
  return work.kind === "generation" && work.phase === "request" ? work.model : undefined
}

/** One request that is listened to. */
class Listened {
  readonly #clock: Clock
  readonly #tell: (silentMs: number, limitMs: number) => void
  #since = 0
  #cancel: () => void = () => {}

  constructor(clock: Clock, tell: (silentMs: number, limitMs: number) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** The silence begins now. */
  listen(limitMs: number): void {
    this.#since = this.#clock.monotonic()
    const first = Math.min(firstMs, limitMs * firstShare)
    this.#wait(first, first, limitMs)
  }

  stop(): void {
    this.#cancel()
  }

  /** `ms` from now the silence is `total` long. */
  #wait(ms: number, total: number, limitMs: number): void {
    this.#cancel()
    this.#cancel = this.#clock.after(ms, () => {
      this.#wait(total, 2 * total, limitMs)
      this.#tell(Math.round(this.#clock.monotonic() - this.#since), limitMs)
    })
  }
}

export class Silence {
  readonly #clock: Clock
  readonly #limits: () => SilenceLimits
  readonly #tell: (silent: Silent) => void
  readonly #asked = new Map<number, Listened>()

  /** `limits` is asked whenever a silence begins. */
  constructor(clock: Clock, limits: () => SilenceLimits, tell: (silent: Silent) => void) {
    this.#clock = clock
    this.#limits = limits
    this.#tell = tell
  }

  /** Every frame, after `view` has it. */
  hear(frame: Frame, view: View): void {
    if (frame.type === "progress") this.#asked.get(frame.task)?.listen(this.#limits().httpIdleTimeoutMs)
    if (frame.type === "lost") this.stop()
    if (frame.type !== "snapshot" && frame.type !== "commit") return
    const asked = new Map([...view.tasks.values()].map((task) => [task.id, askedBy(task)]))
    for (const [id, listened] of this.#asked) {
      if (asked.get(id) !== undefined) continue
      listened.stop()
      this.#asked.delete(id)
    }
    for (const [id, who] of asked) if (who !== undefined && !this.#asked.has(id)) this.#begin(id, who)
  }

  stop(): void {
    for (const listened of this.#asked.values()) listened.stop()
    this.#asked.clear()
  }

  #begin(id: number, who: string): void {
    const listened = new Listened(this.#clock, (silentMs, limitMs) => this.#tell({ who, silentMs, limitMs }))
    this.#asked.set(id, listened)
    const { httpIdleTimeoutMs, httpFirstByteTimeoutMs = httpIdleTimeoutMs } = this.#limits()
    listened.listen(httpFirstByteTimeoutMs)
  }
}

function seconds(ms: number): string {
  return `${ms < 10_000 ? (ms / 1_000).toFixed(1) : Math.round(ms / 1_000)} s`
}

/** A silence as a sentence. */
export function silenceText({ who, silentMs, limitMs }: Silent): string {
  return `${who} has said nothing for ${seconds(silentMs)}; after ${seconds(limitMs)} this counts as a failure.`
}
