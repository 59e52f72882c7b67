/** How long a vendor asks us to wait, in the many ways in which it is said. Milliseconds; undefined where nothing was. */

const dayMs = 86_400_000

/** "1m3.2s", "34.4s", "500ms", "2h". */
function duration(text: string): number | undefined {
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: dayMs }
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text.trim()) return undefined
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? "s"] ?? 0), 0)
}

function until(date: string, now: number): number | undefined {
  const at = Date.parse(date)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

function fromHeaders(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number(headers["retry-after-ms"])
  if (headers["retry-after-ms"] !== undefined && Number.isFinite(ms) && ms >= 0) return ms
  const after = headers["retry-after"]
  if (after !== undefined) {
    const seconds = Number(after)
    if (after.trim() !== "" && Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
    return duration(after) ?? until(after, now)
  }
  // Only a limit that is used up says when it comes back; the others' resets are of no interest.
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const limit = /^(?:x-ratelimit-reset-(.+)|anthropic-ratelimit-(.+)-reset)$/.exec(name)
    if (limit === null) return []
    const left = headers[`x-ratelimit-remaining-${limit[1]}`] ?? headers[`anthropic-ratelimit-${limit[2]}-remaining`]
    const wait = duration(value) ?? until(value, now)
    return left === "0" && wait !== undefined ? [wait] : []
  })
  return resets.length === 0 ? undefined : Math.max(...resets)
}

function fromBody(body: string): number | undefined {
  const delay = /"retryDelay":\s*"([^"]+)"/.exec(body)?.[1]
  if (delay !== undefined) return duration(delay)
  const said =
    /(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?(?:ms|[smhd])(?:\d+(?:\.\d+)?(?:ms|[smhd]))*|\d+(?:\.\d+)? ?seconds?)/i.exec(
      body,
    )?.[1]
  if (said === undefined) return undefined
  return duration(said.replace(/ ?seconds?$/i, "s"))
}

export function retryAfter(headers: Readonly<Record<string, string>>, body: string, now: number): number | undefined {
  const wait = fromHeaders(headers, now) ?? fromBody(body)
  return wait === undefined ? undefined : Math.round(wait)
}
