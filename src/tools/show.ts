/** Figures in words, as results show them. */

/** `12 bytes`, `34.5 kB`, `1.2 GB`: powers of a thousand. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`
  const units = ["kB", "MB", "GB", "TB"]
  let value = bytes / 1_000
  let unit = 0
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${value.toFixed(1)} ${units[unit]}`
}
