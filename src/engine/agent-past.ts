/**
 * What a conversation's agent was at a past entry: its choices, and the prompt that it had been given. Pure.
 *
 * - The document `agent` is the present. Before it changes, what it was is put into the document `agents`, with the newest entry of that
 *   time: each stretch of the history has the agent that it was made with.
 * - A fork has a past of its own; what came before it is its parent's.
 */
import { stableText, type Json } from "../std/json.ts"
import { hashBytes } from "../std/files.ts"
import type { Tx } from "../ledger/ledger.ts"
import type { Conversation, Entry } from "../ledger/records.ts"
import type { AgentDocument, PromptEntry } from "../protocol/records.ts"
import { dataOf } from "./entries.ts"

/** Agents that were, oldest first; each up to and including the entry `until`. */
export type AgentPast = readonly { readonly until: number; readonly agent: AgentDocument }[]

type Agents = {
  readonly conversations: ReadonlyMap<number, Conversation>
  agent(conversation: number): AgentDocument | undefined
  past(conversation: number): AgentPast | undefined
}

/** The agent of `conversation` as it was when `entry` was its newest; undefined where there is none. */
export function agentAt(agents: Agents, conversation: number, entry: number): AgentDocument | undefined {
  const parent = agents.conversations.get(conversation)?.parent ?? null
  if (parent !== null && entry <= parent.entry) {
    return agentAt(agents, parent.conversation, entry) ?? agents.agent(conversation)
  }
  const past = agents.past(conversation) ?? []
  return past.find(({ until }) => until >= entry)?.agent ?? agents.agent(conversation)
}

/** Change the agent, and keep what it was. Part of a commit. */
export function changeAgent(tx: Tx, conversation: number, next: AgentDocument): void {
  const before = tx.live.document(conversation, "agent")?.value as AgentDocument | undefined
  const past = (tx.live.document(conversation, "agents")?.value as AgentPast | undefined) ?? []
  const parent = tx.live.conversations.get(conversation)?.parent ?? null
  // An agent under which nothing was said is no past.
  const until = Math.max(tx.live.tail(conversation), parent?.entry ?? 0)
  if (before !== undefined && until > (past.at(-1)?.until ?? 0)) {
    tx.setDocument(conversation, "agents", [...past, { until, agent: before }] as unknown as Json)
  }
  tx.setDocument(conversation, "agent", next as unknown as Json)
}

/** The newest prompt among `entries`, as the document that names it; undefined where there is none. */
export function promptAt(entries: readonly Entry[]): { readonly entry: number; readonly hash: string } | undefined {
  const entry = entries.findLast(({ kind }) => kind === "prompt")
  const data = entry === undefined ? undefined : dataOf(entry)
  if (entry === undefined || data?.kind !== "prompt") return undefined
  return { entry: entry.id, hash: promptHash(data.system, data.tools) }
}

export function promptHash(system: string, tools: PromptEntry["tools"]): string {
  return hashBytes(stableText({ system, tools } as unknown as Json))
}
