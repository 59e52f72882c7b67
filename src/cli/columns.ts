/** What commands print: text on stdout, clean where a terminal shows it, and rows as columns. */
import { cleanControls } from "../std/clean.ts"
import { isReaderGone, Output } from "./output.ts"
import { Stop } from "./stop.ts"

const out = new Output(1)

export function print(text: string): void {
  out.write(process.stdout.isTTY === true ? cleanControls(text) : text)
}

/**
 * Resolves when all that was printed is written: false where its reader wanted no more, and has had what it wanted. Throws {@link Stop} (1)
 * where it cannot be written for another reason.
 */
export async function printed(): Promise<boolean> {
  await out.flushed()
  if (out.failure === null) return true
  if (isReaderGone(out.failure)) return false
  throw new Stop(`stdout cannot be written: ${out.failure.message}`, 1)
}

/** Rows as columns: each as wide as its widest cell, the last one free. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))))
    .map((row) => `${row.join("  ").trimEnd()}\n`)
    .join("")
}

export function when(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ")
}

/** Bytes as a person reads them. */
export function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"]
  let size = bytes
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit] ?? ""}`
}
