/** Lengths of time as people write them in settings: `500ms`, `30s`, `10m`, `24h`, `7d`. */
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** What a duration has to look like, for schemas. */
export const durationPattern = "^\\d+(\\.\\d+)?(ms|s|m|h|d)$"

/** Milliseconds, or undefined where `text` is no duration. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  return amount === undefined || unit === undefined ? undefined : Number(amount) * (unitMs[unit] ?? 1)
}
