/** A short folder for sockets, and a wait for an event that must come. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export function tempFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "cairn-wire-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Looks again after each turn of the event loop; the test's own ceiling ends a wait for what never comes. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
