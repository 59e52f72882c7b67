/**
 * The kernel's lock on an open file: held as long as the descriptor is, gone with its process however that ends.
 *
 * - Nothing else does: SQLite's own locks drop when any descriptor of the file is closed, and a file that says "locked"
 *   outlives its writer.
 * - The descriptor is closed in children at their exec, or a command that outlives its agent would hold the agent's
 *   lock.
 */
import { dlopen, FFIType, read } from "bun:ffi"
import type { Pointer } from "bun:ffi"
import { constants, openSync } from "node:fs"
import { fileMode } from "./folder.ts"

/** `unsupported`: this file system has no locks. */
export type LockAnswer = "taken" | "held" | "unsupported"
export type Flock = (fd: number) => LockAnswer

const lockShared = 1
const lockExclusive = 2
const lockNonBlocking = 4
/** The number of EWOULDBLOCK, and the name of the C library's place for numbers like it. */
const platforms = {
  linux: { libraries: ["libc.so.6", "libc.so"], errno: "__errno_location", wouldBlock: 11, closeOnExec: 0o2000000 },
  darwin: { libraries: ["libSystem.B.dylib"], errno: "__error", wouldBlock: 35, closeOnExec: 0x1000000 },
} as const

/** Opens the lock file for reading and writing, making it where it is missing; children do not inherit it. */
export function openLockFile(path: string): number {
  const { closeOnExec } = platform()
  return openSync(path, constants.O_RDWR | constants.O_CREAT | closeOnExec, fileMode)
}

/** Takes the lock of the open file `fd`, without waiting. */
export const flock: Flock = (fd) => take(fd, lockExclusive)

/** Takes a part in the lock of the open file `fd`, beside others that do, without waiting. */
export const flockShared: Flock = (fd) => take(fd, lockShared)

function take(fd: number, how: number): LockAnswer {
  const library = load()
  if (library.flock(fd, how | lockNonBlocking) === 0) return "taken"
  return library.errno() === platform().wouldBlock ? "held" : "unsupported"
}

type Library = { flock(fd: number, operation: number): number; errno(): number }

let loaded: Library | null = null

function load(): Library {
  loaded ??= open()
  return loaded
}

function open(): Library {
  const { libraries, errno } = platform()
  const failures: unknown[] = []
  for (const name of libraries) {
    try {
      const { symbols } = dlopen(name, {
        flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
        [errno]: { args: [], returns: FFIType.ptr },
      })
      const place = symbols[errno] as () => Pointer
      return { flock: symbols.flock as Library["flock"], errno: () => read.i32(place(), 0) }
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, "the C library was not found, so that no session can be locked")
}

function platform(): (typeof platforms)[keyof typeof platforms] {
  const { platform: name } = process
  if (name === "linux" || name === "darwin") return platforms[name]
  throw new Error(
    `sessions cannot be locked on ${name}: Cairn keeps sessions on Linux and macOS, or in memory with --no-session`,
  )
}
