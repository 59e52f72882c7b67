/**
 * What a branch learned that was left: a summary of it, put into the fork that goes on elsewhere.
 *
 * - It is a compaction's work with another source and another place: what was said of `from` after the fork point, put behind what the fork
 *   has, heading nothing. The fork can be worked in meanwhile.
 */
import type { Tx } from "../ledger/ledger.ts"
import type { Task } from "../ledger/records.ts"
import type { Message } from "../message/message.ts"
import { addCompaction, type Branch } from "./compaction.ts"
import { messagesOf } from "./context.ts"
import type { Core } from "./core.ts"

/** Make the task; part of a commit. `focus`: what to mind, in a person's words; may be empty. */
export function addBranchSummary(tx: Tx, fork: number, branch: Branch & { readonly to: number }, focus: string): Task {
  const { from, after, to } = branch
  return addCompaction(tx, fork, null, { reason: "branch", focus, to, keep: 0, branch: { from, after } })
}

/** What was said on the branch that was left, from the fork point on. */
export async function branchMessages(core: Core, { from, after }: Branch, to: number): Promise<readonly Message[]> {
  return messagesOf(await core.ledger.entries({ conversation: from, after, before: to + 1 }))
}
