/**
 * New sessions made of the records of another: a fork of one conversation up to an entry, or all that was whole of a damaged one. Pure.
 *
 * - Ids stay what they are, so whatever names an entry or a call goes on to name it.
 * - No work comes along: a copy is idle. Inputs that waited go on to wait; what a run had taken up counts as unanswered.
 * - Paths of kept outputs in what models were told lead to the copy's own.
 */
import { assert } from "../std/assert.ts"
import type { Json, JsonObject } from "../std/json.ts"
import { lineage } from "../ledger/history.ts"
import type { AllRecords } from "../ledger/peek.ts"
import type { Document, Entry, Submission } from "../ledger/records.ts"
import type { SessionRecords } from "../ledger/salvage.ts"
import type { AgentDocument, NoticeEntry, SessionDocument, SessionParent } from "../protocol/records.ts"
import { agentAt, promptAt, type AgentPast } from "./agent-past.ts"
import { dataOf } from "./entries.ts"

const rootConversation = 1

/** Documents of a conversation that a copy has too; a run is of one process's time, and what is used is counted anew. */
const copiedDocuments: readonly string[] = ["agent", "agents", "prompt"]

function document(conversation: number, name: string, value: object): Document {
  return { conversation, name, version: 1, value: value as Json }
}

function moved(entries: readonly Entry[], from: string, to: string): readonly Entry[] {
  return entries.map((entry) => {
    const text = JSON.stringify(entry.data)
    const place = `sessions/${from}/output/`
    if (!text.includes(place)) return entry
    return { ...entry, data: JSON.parse(text.replaceAll(place, `sessions/${to}/output/`)) as JsonObject }
  })
}

function sessionOf(documents: readonly Document[]): SessionDocument | undefined {
  return documents.find(({ conversation, name }) => conversation === 0 && name === "session")?.value as
    SessionDocument | undefined
}

/** What `conversation` sees of a session up to and including entry `at`, oldest first. */
export function historyOf(records: AllRecords, conversation: number, at = Number.MAX_SAFE_INTEGER): readonly Entry[] {
  const ranges = lineage(new Map(records.conversations.map((it) => [it.id, it])), conversation, 0, at)
  return records.entries.filter((entry) =>
    ranges.some((range) => range.conversation === entry.conversation && entry.id <= range.upTo),
  )
}

/** A fork's beginning: the history of `conversation` up to `at`, as the root of a session of its own. */
export function forkOf(
  records: AllRecords,
  conversation: number,
  at: number,
  ids: { readonly from: string; readonly to: string; readonly now: number },
): SessionRecords {
  const conversations = new Map(records.conversations.map((it) => [it.id, it]))
  const seen = historyOf(records, conversation, at)
  assert(
    seen.some(({ id }) => id === at),
    `e${at} is an entry of c${conversation}`,
  )
  const entries = moved(seen, ids.from, ids.to).map((entry) => ({ ...entry, conversation: rootConversation }))
  const before = sessionOf(records.documents)
  const parent: SessionParent = { how: "fork", session: ids.from, conversation, entry: at }
  const session: SessionDocument = {
    title: before?.title ?? "",
    folder: before?.folder ?? "",
    createdAt: ids.now,
    parent,
  }
  const value = (of: number, name: string): Json | undefined =>
    records.documents.find((it) => it.conversation === of && it.name === name)?.value
  const agent = agentAt(
    {
      conversations,
      agent: (of) => value(of, "agent") as AgentDocument | undefined,
      past: (of) => value(of, "agents") as AgentPast | undefined,
    },
    conversation,
    at,
  )
  const prompt = promptAt(entries)
  return {
    conversations: [{ id: rootConversation, at: ids.now, parent: null, owner: null }],
    entries,
    submissions: [],
    documents: [
      document(0, "session", session),
      ...(agent === undefined ? [] : [document(rootConversation, "agent", agent)]),
      ...(prompt === undefined ? [] : [document(rootConversation, "prompt", prompt)]),
    ],
  }
}

function idle(submission: Submission): Submission {
  return submission.status === "placed" ? { ...submission, status: "unanswered", reason: "salvaged" } : submission
}

/** A session of what was whole in the damaged one `from`; it begins by saying so. `agent`: for one that has lost its own. */
export function salvagedSession(
  found: SessionRecords & { readonly counted: number | null },
  ids: { readonly from: string; readonly to: string; readonly now: number },
  fallback: { readonly folder: string; readonly agent: AgentDocument },
): SessionRecords {
  const entry = found.entries.at(-1)?.id ?? 0
  const before = sessionOf(found.documents)
  const parent: SessionParent = { how: "salvage", session: ids.from, conversation: rootConversation, entry }
  const session: SessionDocument = {
    title: before?.title || "(salvaged)",
    folder: before?.folder ?? fallback.folder,
    createdAt: before?.createdAt ?? ids.now,
    parent,
  }
  const documents = found.documents.filter(({ conversation, name }) =>
    conversation === 0 ? name === "labels" : copiedDocuments.includes(name),
  )
  const lost = found.counted === null ? "" : ` ${Math.max(0, found.counted - found.entries.length)} entries are lost.`
  const notice: Omit<NoticeEntry, "kind"> = {
    level: "warning",
    code: "salvaged",
    text: `This session was made of what could be read of a damaged one: ${found.entries.length} entries.${lost}`,
  }
  const newest = Math.max(entry, found.conversations.at(-1)?.id ?? 0, found.submissions.at(-1)?.id ?? 0)
  const root = { conversation: rootConversation, at: ids.now, head: null, byTask: null }
  const hasAgent = documents.some(({ conversation, name }) => conversation === rootConversation && name === "agent")
  return {
    conversations: found.conversations.map((it) => ({ ...it, owner: null })),
    entries: [
      ...moved(found.entries, ids.from, ids.to),
      { ...root, id: newest + 1, kind: "notice", data: notice as JsonObject },
    ],
    submissions: found.submissions.map(idle),
    documents: [
      document(0, "session", session),
      ...documents,
      ...(hasAgent ? [] : [document(rootConversation, "agent", fallback.agent)]),
    ],
  }
}

/** The calls whose whole output was kept, by their tasks. */
export function callsKept(entries: readonly Entry[]): ReadonlySet<number> {
  return new Set(
    entries.flatMap((entry) => {
      const data = dataOf(entry)
      return data?.kind === "toolResult" && data.output !== undefined ? [data.task] : []
    }),
  )
}
