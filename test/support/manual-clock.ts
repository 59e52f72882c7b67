/** Time that moves when a test says so. Timers fire in order of their time; microtasks run between them. */
import type { Clock } from "../../src/std/clock.ts"

type Timer = { readonly at: number; readonly callback: () => void }

export class ManualClock implements Clock {
  #wall: number
  #steady = 0
  #timers: Timer[] = []

  constructor(wall = 1_700_000_000_000) {
    this.#wall = wall
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#steady
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#steady + Math.max(0, ms), callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** The wall clock jumps; no timer notices. */
  jump(ms: number): void {
    this.#wall += ms
  }

  /** Milliseconds until each timer that is set, the next first. */
  get pending(): readonly number[] {
    return this.#timers.map((timer) => timer.at - this.#steady).sort((a, b) => a - b)
  }

  async advance(ms: number): Promise<void> {
    const end = this.#steady + ms
    for (;;) {
      await settle()
      const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#wall += next.at - this.#steady
      this.#steady = next.at
      this.#timers = this.#timers.filter((timer) => timer !== next)
      next.callback()
    }
    this.#wall += end - this.#steady
    this.#steady = end
    await settle()
  }
}

/** Lets everything that is ready run, I/O of this process included. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
