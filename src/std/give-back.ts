/**
 * Gives memory back to the system that only a start needed.
 *
 * - The executable carries what it is made of: bytecode, grammars, a native library. Each is read once, at a start, and its pages would stay. They are
 *   those of a file: what is needed again comes from there. The program's own code is left alone, so that no key waits for it.
 * - Where the system does not know how, nothing happens.
 */
import { dlopen, FFIType, type Pointer } from "bun:ffi"
import { readFileSync, realpathSync } from "node:fs"

/** `MADV_PAGEOUT`: pages that were written to are kept, some of those that may not be any more among them. */
const pageOut = 21

const mapping = /^([0-9a-f]+)-([0-9a-f]+) r[w-]-p \S+ \S+ \S+\s+(\/.*)$/

/** Linux alone: elsewhere a file's pages are not counted, or cannot be told apart. */
export function giveBack(): void {
  if (process.platform !== "linux") return
  // What the start left to be collected.
  Bun.gc(true)
  try {
    const own = realpathSync(process.execPath)
    const { symbols } = dlopen("libc.so.6", {
      madvise: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
    })
    for (const line of readFileSync("/proc/self/maps", "latin1").split("\n")) {
      const [, from = "", to = "", path] = mapping.exec(line) ?? []
      if (path !== own) continue
      const start = Number.parseInt(from, 16)
      symbols.madvise(start as Pointer, Number.parseInt(to, 16) - start, pageOut)
    }
  } catch {
    // Another C library, or no such files: the pages stay, which harms nobody.
    return
  }
}
