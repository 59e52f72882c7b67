/** What a call has printed so far, or what was kept of it: as bytes that are there. */
import type { TaskId } from "../ledger/records.ts"
import type { Answers, Command } from "../protocol/port.ts"
import { freedFact } from "../tools/bash-growth.ts"
import { sizeText } from "../tools/show.ts"
import type { Core } from "./core.ts"

/** Asked for at a time. */
const answerBytesMax = 1024 * 1024

type OutputPiece = {
  readonly bytes: Uint8Array
  /** Where they begin: beyond what was asked for where the head of a long output was freed while its command runs. */
  readonly from: number
  readonly size: number
}

/** At most `length` bytes of an output, from `from` on or from the first that is there. */
export async function outputPiece(core: Core, task: TaskId, from: number, length: number): Promise<OutputPiece> {
  const begin = firstThere(core, task, from)
  const attempt = Math.max(1, core.ledger.live.tasks.get(task)?.attempt ?? 1)
  const { bytes, size } = await core.ledger.spools.readOutput(task, attempt, begin, begin + Math.max(0, length))
  return { bytes, from: begin, size }
}

function firstThere(core: Core, task: TaskId, from: number): number {
  return Math.max(from, Number(core.ledger.live.tasks.get(task)?.facts[freedFact] ?? 0))
}

/** The answer to who reads an output; what is not there any more is told where it stood. */
export async function output(core: Core, command: Extract<Command, { type: "output" }>): Promise<Answers["output"]> {
  const { task, from, to } = command
  const ended = !core.ledger.live.tasks.has(task)
  const begin = firstThere(core, task, from)
  const { bytes, size } = await outputPiece(core, task, begin, Math.min(to - begin, answerBytesMax))
  const read = new TextDecoder().decode(bytes)
  // What has ended was cleaned when it ended.
  const text = ended ? read : (core.options.redact?.(read) ?? read)
  const gone = begin > from ? `[… the first ${sizeText(begin)} of this output are not kept …]\n` : ""
  return { text: gone + text, from: begin, bytes: bytes.length, size, ended }
}
