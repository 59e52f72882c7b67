/**
 * Time comes in as an argument, so that a minute is one line of a test.
 *
 * - `now` is wall-clock milliseconds since 1970 and may jump; `monotonic` is milliseconds from an arbitrary start and never goes back.
 * - A timer's callback runs once; the function that `after` returns cancels it, and is harmless when it has run.
 */
export type Clock = {
  now(): number
  monotonic(): number
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`, or at once when `signal` aborts; true when the whole time has passed. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const finish = (whole: boolean): void => {
      cancel()
      signal?.removeEventListener("abort", stop)
      resolve(whole)
    }
    const stop = (): void => finish(false)
    const cancel = clock.after(ms, () => finish(true))
    signal?.addEventListener("abort", stop, { once: true })
  })
}
