/** What a call has printed so far, or what was kept of it: as bytes that are there. */
import type { TaskId } from "../ledger/records.ts"
import { freedFact } from "../tools/bash-growth.ts"
import type { Core } from "./core.ts"

export type OutputPiece = {
  readonly bytes: Uint8Array
  /** Where they begin: beyond what was asked for where the head of a long output was freed while its command runs. */
  readonly from: number
  readonly size: number
}

/** At most `length` bytes of an output, from `from` on or from the first that is there. */
export async function outputPiece(core: Core, task: TaskId, from: number, length: number): Promise<OutputPiece> {
  const live = core.ledger.live.tasks.get(task)
  const begin = Math.max(from, Number(live?.facts[freedFact] ?? 0))
  const { spools } = core.ledger
  const { bytes, size } = await spools.readOutput(task, Math.max(1, live?.attempt ?? 1), begin, begin + length)
  return { bytes, from: begin, size }
}
