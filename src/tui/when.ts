/**
 * A time as a person types it, for going to what was said then.
 *
 * - `14:30` is today, or yesterday where that is still to come; `yesterday 9:00`, `mon 14:30`, `2026-11-29`, `11-29 08:15`; `20m`, `3h`, `2d` ago.
 */

const dayMs = 24 * 60 * 60 * 1_000
const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 60 * 60_000, d: dayMs, w: 7 * dayMs }
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

type Day = { readonly year: number; readonly month: number; readonly day: number }

function dayOf(at: number): Day {
  const date = new Date(at)
  return { year: date.getFullYear(), month: date.getMonth(), day: date.getDate() }
}

/** Milliseconds since 1970; null where no such day or time is. */
function momentOf({ year, month, day }: Day, hour: number, minute: number): number | null {
  const date = new Date(year, month, day, hour, minute)
  const same = date.getFullYear() === year && date.getMonth() === month && date.getDate() === day
  return same && hour < 24 && minute < 60 ? date.getTime() : null
}

/** The day that `word` names, the last one that has been; undefined where it names none. */
function dayNamed(word: string, now: number): Day | undefined {
  if (word === "today") return dayOf(now)
  if (word === "yesterday") return dayOf(now - dayMs)
  const weekday = weekdays.findIndex((name) => word.startsWith(name))
  if (weekday >= 0) {
    const back = (new Date(now).getDay() - weekday + 7) % 7
    return dayOf(now - back * dayMs)
  }
  const [, year, month, day] = /^(?:(\d{4})-)?(\d{1,2})-(\d{1,2})$/.exec(word) ?? []
  if (month === undefined || day === undefined) return undefined
  return { year: Number(year ?? new Date(now).getFullYear()), month: Number(month) - 1, day: Number(day) }
}

/** Milliseconds since 1970 of the time that `text` says, or null where it says none. `now` is the wall clock. */
export function parseWhen(text: string, now: number): number | null {
  const [, count, unit] = /^-?\s*(\d{1,5})\s*([smhdw])[a-z]*(?:\s+ago)?$/i.exec(text.trim()) ?? []
  if (count !== undefined && unit !== undefined) return now - Number(count) * (units[unit.toLowerCase()] ?? 0)
  const words = text
    .trim()
    .toLowerCase()
    .split(/[\s,]+|(?<=\d)t(?=\d)/)
  const time = /^(\d{1,2})[:.](\d{2})$/.exec(words.at(-1) ?? "")
  const dayWords = time === null ? words : words.slice(0, -1)
  if (dayWords.length > 1) return null
  const [hour, minute] = [Number(time?.[1] ?? 0), Number(time?.[2] ?? 0)]
  const [word] = dayWords
  if (word !== undefined) {
    const day = dayNamed(word, now)
    return day === undefined ? null : momentOf(day, hour, minute)
  }
  const at = momentOf(dayOf(now), hour, minute)
  return at !== null && at > now ? momentOf(dayOf(now - dayMs), hour, minute) : at
}
