/** The end of the process as the system has it. */
import { dlopen, FFIType } from "bun:ffi"

const libraries = ["libc.so.6", "libc.so", "libSystem.B.dylib"]

/**
 * Ends the process here and now. The runtime gives the terminal the settings that it found at its start, whatever was set since; where those
 * were wrong there is no other way to leave right ones behind. Returns only where the system cannot be asked.
 */
export function endAtOnce(status: number): void {
  for (const name of libraries) {
    try {
      dlopen(name, { _exit: { args: [FFIType.i32], returns: FFIType.void } }).symbols._exit(status)
    } catch {
      // This system's library has another name.
      continue
    }
  }
}
