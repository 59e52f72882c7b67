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
