/**
 * A session as a tree: what each conversation said, and where others were forked from it. Pure.
 *
 * - Rows are in the order in which a reader goes down: a fork stands behind the entry that it was forked at, one step further in; then its parent
 *   goes on. What a conversation owns (a subagent's) is no place to go back to, and is left out.
 * - A folded fork is its first row, which says how many are behind it.
 * - Only what the view holds is in it.
 */
import { callsOf, textOf } from "../message/message.ts"
import type { ConversationRecord, EntryData, EntryRecord, LabelsDocument } from "../protocol/records.ts"
import { documentKey, type View } from "../protocol/view.ts"

export const treeFilters = ["inputs", "noTools", "labelled", "all"] as const
export type TreeFilter = (typeof treeFilters)[number]

export type TreeRow = {
  readonly entry: number
  readonly conversation: number
  /** How many forks deep. */
  readonly depth: number
  readonly kind: "input" | "answer" | "tool" | "other"
  readonly text: string
  readonly label: string
  readonly at: number
  /** The newest of its conversation. */
  readonly tip: boolean
  /** Rows of a folded fork that are behind this one. */
  readonly behind: number
}

function isKnown(data: EntryRecord["data"]): data is EntryData {
  return !data.kind.startsWith("?")
}

function textOfEntry(data: EntryData): Pick<TreeRow, "kind" | "text"> | null {
  switch (data.kind) {
    case "user":
      return { kind: "input", text: textOf(data) }
    case "assistant": {
      if (data.message.stopReason === "error" || data.message.stopReason === "aborted") return null
      const text = textOf(data.message)
      const calls = callsOf(data.message).map(({ name }) => name)
      return text === "" && calls.length > 0 ? { kind: "tool", text: calls.join(", ") } : { kind: "answer", text }
    }
    case "toolResult":
      return { kind: "tool", text: `${data.message.toolName} ${data.title}` }
    case "shell":
      return { kind: "other", text: `! ${data.command}` }
    case "compaction":
      return { kind: "other", text: data.branch === undefined ? "summary" : "summary of the branch that was left" }
    case "undo":
      return { kind: "other", text: data.again === true ? "changes made again" : "changes taken back" }
    case "notice":
    case "prompt":
    case "model":
      return null
  }
}

function passes(row: TreeRow, filter: TreeFilter): boolean {
  switch (filter) {
    case "inputs":
      return row.kind === "input" || row.label !== ""
    case "noTools":
      return row.kind !== "tool" || row.label !== ""
    case "labelled":
      return row.label !== ""
    case "all":
      return true
  }
}

type Forks = ReadonlyMap<string, readonly ConversationRecord[]>

function forksOf(view: View): Forks {
  const forks = new Map<string, ConversationRecord[]>()
  for (const conversation of view.conversations.values()) {
    const { parent, owner } = conversation
    if (parent === null || owner !== null) continue
    const key = `${parent.conversation}/${parent.entry}`
    forks.set(key, [...(forks.get(key) ?? []), conversation])
  }
  return forks
}

/** The forks that were made at an entry. */
export function forksAt(view: View, conversation: number, entry: number): readonly number[] {
  return (forksOf(view).get(`${conversation}/${entry}`) ?? []).map(({ id }) => id)
}

/** All rows that the filter lets through; of the conversations `folded`, the first only. */
export function treeRows(view: View, filter: TreeFilter, folded: ReadonlySet<number> = new Set()): readonly TreeRow[] {
  const labels = (view.documents.get(documentKey(0, "labels"))?.value ?? {}) as LabelsDocument
  const forks = forksOf(view)
  const entries = new Map<number, EntryRecord[]>()
  for (const entry of view.entries) {
    const own = entries.get(entry.conversation)
    if (own === undefined) entries.set(entry.conversation, [entry])
    else own.push(entry)
  }
  const rows: TreeRow[] = []
  const addForks = (conversation: number, entry: number, depth: number): void => {
    for (const fork of forks.get(`${conversation}/${entry}`) ?? []) add(fork.id, depth + 1)
  }
  const add = (conversation: number, depth: number): void => {
    const own = entries.get(conversation) ?? []
    const tip = own.at(-1)?.id
    const from = rows.length
    addForks(conversation, 0, depth)
    for (const { id, at, data } of own) {
      const said = isKnown(data) ? textOfEntry(data) : null
      const place = { entry: id, conversation, depth, at, label: labels[id] ?? "", tip: id === tip, behind: 0 }
      const row = said === null ? null : { ...place, kind: said.kind, text: said.text.replace(/\s+/g, " ").trim() }
      if (row !== null && passes(row, filter)) rows.push(row)
      addForks(conversation, id, depth)
    }
    const [first] = rows.slice(from)
    if (folded.has(conversation) && first !== undefined) {
      const behind = rows.length - from - 1
      rows.splice(from, rows.length - from, { ...first, behind })
    }
  }
  for (const { id, parent, owner } of view.conversations.values()) if (parent === null && owner === null) add(id, 0)
  return rows
}

/** The entry that a conversation saw right before `entry`; 0 where that was its first. Entries that it sees have to be held. */
export function entryBefore(view: View, scope: ReadonlyMap<number, number>, entry: number): number {
  const before = view.entries.findLast(({ id, conversation }) => id < entry && id <= (scope.get(conversation) ?? -1))
  return before?.id ?? 0
}
