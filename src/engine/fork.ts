/**
 * Forks: a conversation that goes on from what another one saw at an entry, at no cost, with nothing of the other changed.
 *
 * - What the fork sees is what the context at that entry is. Its agent is the one of that point, and so is its prompt.
 * - Entry 0 is before everything. An entry that the conversation does not see is refused.
 * - A label is a name that a person gives to an entry, for the tree.
 */
import type { Json } from "../std/json.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { EntryId } from "../ledger/records.ts"
import { Refusal, type Answers, type Command } from "../protocol/port.ts"
import type { AgentDocument } from "../protocol/records.ts"
import { agentAt, promptAt, type AgentPast } from "./agent-past.ts"
import { addBranchSummary } from "./branch-summary.ts"
import type { Core } from "./core.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { promptBefore } from "./prompt-told.ts"

/** A name in a tree, not a note. */
const labelCharactersMax = 100

type Of<T extends Command["type"]> = Extract<Command, { type: T }>

/** The newest entry that a conversation sees, its parent's included; 0 where it sees none. */
export function tipOf(ledger: Ledger, conversation: number): EntryId {
  const parent = ledger.live.conversations.get(conversation)?.parent ?? null
  return Math.max(ledger.live.tail(conversation), parent?.entry ?? 0)
}

async function refuseUnseen(ledger: Ledger, conversation: number, entry: number): Promise<void> {
  if (!ledger.live.conversations.has(conversation))
    throw new Refusal("no_conversation", `There is no conversation c${conversation} in this session.`)
  if (entry === 0) return
  const [seen] = await ledger.entries({ conversation, after: entry - 1, before: entry + 1, limit: 1 })
  if (seen === undefined)
    throw new Refusal("no_entry", `There is no entry e${entry} in the conversation c${conversation}.`)
}

export async function forkConversation(core: Core, command: Of<"fork">): Promise<Answers["fork"]> {
  const { conversation, entry, summary } = command
  const { ledger } = core
  await refuseUnseen(ledger, conversation, entry)
  const found = await promptBefore(ledger, conversation, entry)
  const prompt = found === undefined ? undefined : promptAt([found])
  const left = tipOf(ledger, conversation)
  const receipt = ledger.commit("flushed", (tx) => {
    const { live } = tx
    const agents = {
      conversations: live.conversations,
      agent: (of: number) => readDocument(live, of, "agent"),
      past: (of: number) => live.document(of, "agents")?.value as AgentPast | undefined,
    }
    const agent = agentAt(agents, conversation, entry)
    const fork = tx.addConversation({ parent: { conversation, entry }, owner: null })
    writeDocument(tx, fork.id, "agent", agent as AgentDocument)
    if (prompt !== undefined) writeDocument(tx, fork.id, "prompt", prompt)
    if (summary !== undefined && left > entry)
      addBranchSummary(tx, fork.id, { from: conversation, after: entry, to: left }, summary)
    return { conversation: fork.id }
  })
  await receipt.stored
  return receipt.value
}

export async function labelEntry(core: Core, command: Of<"label">): Promise<null> {
  const { entry, label } = command
  const text = label.trim()
  if ([...text].length > labelCharactersMax)
    throw new Refusal("long_label", `A label has ${labelCharactersMax} characters at most.`)
  if ((await core.ledger.entry(entry)) === undefined)
    throw new Refusal("no_entry", `There is no entry e${entry} in this session.`)
  const receipt = core.ledger.commit("flushed", (tx) => {
    const { [entry]: _, ...others } = readDocument(tx.live, 0, "labels") ?? {}
    const labels = text === "" ? others : { ...others, [entry]: text }
    tx.setDocument(0, "labels", labels as Json)
  })
  await receipt.stored
  return null
}
