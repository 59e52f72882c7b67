/**
 * Who decides whether a command begins: a file that can be made once, by its wrapper as its first act or by a later process that wants to know.
 *
 * - The wrapper was first: the command has begun, whatever else can be told of it. A later process was first: it never begins, though its
 *   wrapper may be on its way still, or be started by an agent that was thought dead and wakes.
 * - The intent names the file, so each mark of a call has a claim of its own.
 * - It holds for one start of the machine: what was not flushed at a power cut proves nothing.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { errorCode } from "../std/files.ts"
import type { JsonObject } from "../std/json.ts"
import { processTable } from "./processes.ts"
import type { CallFiles } from "./tool.ts"

export type Claim = { readonly path: string; readonly bootId: string }

/** What a later process writes, so that one after it knows too. */
const unstarted = "never begins\n"

export function claimIntent(files: CallFiles): JsonObject {
  return { claim: basename(files.begun), bootId: processTable.bootId() }
}

/** The claim of a call that was to run in files; null for one in a pipe, or of a version that made none. */
export function claimOf({ claim, bootId }: JsonObject, files: CallFiles): Claim | null {
  if (typeof claim !== "string" || typeof bootId !== "string") return null
  return { path: join(dirname(files.status), claim), bootId }
}

/** True where the command has not begun and never will. */
export function claimUnstarted({ path, bootId }: Claim): boolean {
  if (bootId === "" || bootId !== processTable.bootId()) return false
  try {
    const file = openSync(path, "wx", 0o600)
    try {
      writeSync(file, unstarted)
    } finally {
      closeSync(file)
    }
    return true
  } catch (error) {
    return errorCode(error) === "EEXIST" && readFileSync(path, "utf8") === unstarted
  }
}
