/** Numbers as a person reads them at a glance. */

/** `940`, `12k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count))
  if (count < 10_000) return `${(count / 1_000).toFixed(1)}k`
  if (count < 999_500) return `${Math.round(count / 1_000)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** `$0.004`, `$0.12`, `$14.20`: three digits only where two would say nothing. */
export function money(dollars: number): string {
  return dollars > 0 && dollars < 0.095 ? `$${dollars.toFixed(3)}` : `$${dollars.toFixed(2)}`
}

/** `8s`, `3m 05s`, `2h 10m`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`
}

/** Seconds that are left, rounded up: a countdown ends at 1. */
export function countdown(ms: number): string {
  return elapsed(Math.ceil(Math.max(0, ms) / 1_000) * 1_000)
}

/** How long ago, for lists: `just now`, `5 min`, `3 h`, `12 d`. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}
