/** Names that somebody may have meant. */

/** Names more different than this share are not offered. */
const farthest = 0.5
const offered = 3

/** Edits from `a` to `b`: insert, delete, replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function difference(wanted: string, name: string): number {
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()]
  if (b.includes(a) || a.includes(b)) return (Math.abs(a.length - b.length) / Math.max(a.length, b.length)) * farthest
  // The id alone is what people misspell; the provider before it would hide that.
  const id = b.slice(b.indexOf("/") + 1)
  return Math.min(distance(a, b) / Math.max(a.length, b.length), distance(a, id) / Math.max(a.length, id.length))
}

/** The few of `names` that are nearest to `wanted`, nearest first. */
export function near(wanted: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ name, far: difference(wanted, name) }))
    .filter(({ far }) => far < farthest)
    .sort((a, b) => a.far - b.far)
    .slice(0, offered)
    .map(({ name }) => name)
}
