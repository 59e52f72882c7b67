/** The engine's documents, by name: typed reading and writing at one door. */
import type { Json } from "../std/json.ts"
import type { Live, Tx } from "../ledger/ledger.ts"
import type { AgentDocument, LabelsDocument, RunDocument, SessionDocument, UsageDocument } from "../protocol/records.ts"
import { noUsage } from "../message/usage.ts"

/** The newest prompt entry of a conversation, and what it holds. */
export type PromptDocument = { readonly entry: number; readonly hash: string }

/** What the person was told of: a model that takes no images was given so many. */
export type UnseenDocument = { readonly model: string; readonly images: number }

/**
 * How compaction goes: failures in a row with `model`, the first entry that the furthest one kept, and the model whose window is assumed and was
 * told to be.
 */
export type CompactionDocument = {
  readonly failures: number
  readonly model: string
  readonly head: number
  readonly assumed?: string
}

export type Documents = {
  session: SessionDocument
  agent: AgentDocument
  run: RunDocument
  usage: UsageDocument
  prompt: PromptDocument
  labels: LabelsDocument
  unseen: UnseenDocument
  compaction: CompactionDocument
}

/** Names that cross to clients; `screen/…` too. */
export const publicDocuments: readonly string[] = ["session", "agent", "run", "usage", "labels"]

export function readDocument<N extends keyof Documents>(
  live: Live,
  conversation: number,
  name: N,
): Documents[N] | undefined {
  return live.document(conversation, name)?.value as Documents[N] | undefined
}

export function writeDocument<N extends keyof Documents>(
  tx: Tx,
  conversation: number,
  name: N,
  value: Documents[N],
): void {
  tx.setDocument(conversation, name, value as Json, 1)
}

export const emptyUsage: UsageDocument = {
  total: noUsage,
  context: 0,
  contextEstimated: false,
  contextWindow: null,
  models: {},
}
