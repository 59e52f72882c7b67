/** An end of the program for a reason that a person can do something about: a sentence, and an exit status. */
import { cleanControls } from "../std/clean.ts"
import { errorCode } from "../std/files.ts"
import { Output } from "./output.ts"

/** Thrown wherever the reason is found. */
export class Stop extends Error {
  override readonly name = "Stop"
  readonly code: number
  constructor(sentence: string, code: number) {
    super(sentence)
    this.code = code
  }
}

/** Says on stderr what ended the program, and gives its exit status. */
export async function complain(error: unknown): Promise<number> {
  const text = error instanceof Error ? error.message : String(error)
  // A folder that is closed, a disk that fails: the system's own words name it.
  const told = error instanceof Stop || errorCode(error) !== undefined
  const err = new Output(2)
  err.write(`cairn: ${cleanControls(told ? text : `this is a bug of cairn: ${text}`)}\n`)
  await err.flushed()
  return error instanceof Stop ? error.code : 1
}
