/**
 * The beginning of a small file, in as few calls to the system as there can be: lists look at several files of each of a thousand sessions.
 */
import { closeSync, openSync, readSync } from "node:fs"
import { errorCode } from "../std/files.ts"

/** At most `bytes` of it; null where there is no such file. */
export function startOfFile(path: string, bytes: number): Buffer | null {
  let fd: number
  try {
    fd = openSync(path, "r")
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null
    throw error
  }
  try {
    const buffer = Buffer.allocUnsafe(bytes)
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, 0))
  } finally {
    closeSync(fd)
  }
}
