/** How long to wait before asking again. Pure. */
import type { ProviderError } from "../providers/provider.ts"
import type { EngineSettings } from "./options.ts"

/**
 * Milliseconds to wait after failed attempt number `tries` (from 1), or null where asking again is no use: another kind of error, tries
 * used up, or a wait that the vendor wants longer than we may sleep without a word.
 */
export function retryDelay(
  error: Pick<ProviderError, "kind" | "retryAfterMs">,
  tries: number,
  settings: EngineSettings["retry"],
): number | null {
  if (!settings.enabled || error.kind !== "retry" || tries > settings.maxRetries) return null
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs <= settings.maxAgentDelayMs ? Math.max(0, error.retryAfterMs) : null
  }
  return Math.min(settings.maxAgentDelayMs, settings.baseDelayMs * 2 ** (tries - 1))
}

/** What is left of a stored wait, whatever the clock did meanwhile: never longer than the wait itself. */
export function remainingWait(until: number, waitMs: number, now: number): number {
  return Math.max(0, Math.min(waitMs, until - now))
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const

/** A wait in words, rounded up in the largest unit that it fills. */
export function waitText(ms: number): string {
  const [name, size] = units.find(([, length]) => ms >= length) ?? units[3]
  const count = Math.max(1, Math.ceil(ms / size))
  return `${count} ${name}${count === 1 ? "" : "s"}`
}

/** What a person is told of the failure after which nothing is asked again: how often it was tried, or how long the vendor wants to wait. */
export function lastWords(
  error: Pick<ProviderError, "kind" | "retryAfterMs" | "message">,
  tries: number,
  settings: EngineSettings["retry"],
): string {
  if (error.kind !== "retry" || !settings.enabled) return error.message
  const { retryAfterMs: wait } = error
  if (wait !== undefined && wait > settings.maxAgentDelayMs)
    return `${error.message} It asks for a wait of ${waitText(wait)}: send the input again then, or choose another model.`
  const asked = tries > 1 ? ` It was asked ${tries} times.` : ""
  return `${error.message}${asked} Send the input again later, or choose another model.`
}
