/**
 * Tells of models that are asked and say nothing, for those who see no screen: after a while, and then ever less often, with the time that has gone.
 *
 * - A request is silent from its beginning, or from the last piece of its answer, to the next one. What ends it is the provider's limit, not this.
 */
import type { Clock } from "../std/clock.ts"
import type { Frame } from "../protocol/port.ts"
import type { TaskRecord } from "../protocol/records.ts"
import type { View } from "../protocol/view.ts"

/** Milliseconds after which a silence is told of; after each time it has to become twice as long. */
const firstMs = 10_000

/** `who`: the model that was asked, or the work that asks one. `begun`: some of the answer has come. */
export type Silent = { readonly who: string; readonly silentMs: number; readonly begun: boolean }

/** Who is asked for a task's sake, or undefined where nobody is. */
function askedBy({ work, aborting }: TaskRecord): string | undefined {
  if (aborting) return undefined
  if (work.kind === "other") return work.name
  return work.kind === "generation" && work.phase === "request" ? work.model : undefined
}

/** One request that is listened to. */
class Listened {
  readonly #clock: Clock
  readonly #tell: (silent: Omit<Silent, "who">) => void
  #begun = false
  #since = 0
  #cancel: () => void = () => {}

  constructor(clock: Clock, tell: (silent: Omit<Silent, "who">) => void) {
    this.#clock = clock
    this.#tell = tell
    this.#listen()
  }

  heard(): void {
    this.#begun = true
    this.#listen()
  }

  #listen(): void {
    this.#since = this.#clock.monotonic()
    this.#wait(firstMs, firstMs)
  }

  stop(): void {
    this.#cancel()
  }

  /** `ms` from now the silence is `total` long. */
  #wait(ms: number, total: number): void {
    this.#cancel()
    this.#cancel = this.#clock.after(ms, () => {
      this.#wait(total, 2 * total)
      this.#tell({ silentMs: Math.round(this.#clock.monotonic() - this.#since), begun: this.#begun })
    })
  }
}

export class Silence {
  readonly #clock: Clock
  readonly #tell: (silent: Silent) => void
  readonly #asked = new Map<number, Listened>()

  constructor(clock: Clock, tell: (silent: Silent) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** Every frame, after `view` has it. */
  hear(frame: Frame, view: View): void {
    if (frame.type === "progress") this.#asked.get(frame.task)?.heard()
    if (frame.type === "lost") this.stop()
    if (frame.type !== "snapshot" && frame.type !== "commit") return
    const asked = new Map([...view.tasks.values()].map((task) => [task.id, askedBy(task)]))
    for (const [id, listened] of this.#asked) {
      if (asked.get(id) !== undefined) continue
      listened.stop()
      this.#asked.delete(id)
    }
    for (const [id, who] of asked) {
      if (who === undefined || this.#asked.has(id)) continue
      this.#asked.set(id, new Listened(this.#clock, (silent) => this.#tell({ who, ...silent })))
    }
  }

  stop(): void {
    for (const listened of this.#asked.values()) listened.stop()
    this.#asked.clear()
  }
}

/** How long a silence is borne, as the settings name it. */
export type SilenceLimits = { readonly httpIdleTimeoutMs: number; readonly httpFirstByteTimeoutMs?: number }

function limitOf({ begun }: Silent, limits: SilenceLimits): number {
  return begun ? limits.httpIdleTimeoutMs : (limits.httpFirstByteTimeoutMs ?? limits.httpIdleTimeoutMs)
}

/** A silence as a sentence. */
export function silenceText(silent: Silent, limits: SilenceLimits): string {
  const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`
  const limit = seconds(limitOf(silent, limits))
  return `${silent.who} has said nothing for ${seconds(silent.silentMs)}; after ${limit} this counts as a failure.`
}
