/**
 * Records as rows and back. What cannot be right is refused on both sides: a row that says so was stored broken.
 *
 * - The order of `columns` is the order of a row's cells, of its digest and of the statements that are made from it.
 * - A task's input and a submission's data are in `bodies`; a row of either is read joined with its body.
 */
import { assert, unreachable } from "../std/assert.ts"
import type { Cell } from "./digest.ts"
import { endStatuses, liveStatuses } from "./records.ts"
import type {
  Change,
  Conversation,
  Document,
  Entry,
  Submission,
  SubmissionStatus,
  Task,
  TaskStatus,
} from "./records.ts"
import { strictObject, strictParse } from "./strict.ts"

/** Every table whose rows have a digest: its key, and its columns but for seq and digest. */
export const tables = {
  conversations: {
    key: ["id"],
    columns: ["id", "at", "parent_conversation", "parent_entry", "owner_conversation", "owner_task"],
  },
  entries: { key: ["id"], columns: ["id", "conversation", "at", "kind", "head", "by_task", "data"] },
  tasks: {
    key: ["id"],
    columns: [
      "id",
      "conversation",
      "kind",
      "version",
      "status",
      "owner",
      "background",
      "abort",
      "attempt",
      "restarts",
      "started_at",
      "ended_at",
      "phase",
      "checkpoint",
      "facts",
      "outcome",
    ],
  },
  submissions: {
    key: ["id"],
    columns: ["id", "conversation", "request_id", "kind", "status", "at", "entry", "answer", "reason"],
  },
  bodies: { key: ["id"], columns: ["id", "data"] },
  documents: { key: ["conversation", "name"], columns: ["conversation", "name", "version", "value"] },
} as const satisfies Record<string, { readonly key: readonly string[]; readonly columns: readonly string[] }>

export type Table = keyof typeof tables
export type Row = { readonly table: Table; readonly cells: readonly Cell[] }

/** The row of a change's record, without its body; a retirement has none. */
export function rowOf(change: Exclude<Change, { type: "retire" }>): Row {
  switch (change.type) {
    case "conversation":
      return { table: "conversations", cells: conversationCells(change.conversation) }
    case "entry":
      return { table: "entries", cells: entryCells(change.entry) }
    case "task":
      return { table: "tasks", cells: taskCells(change.task) }
    case "submission":
      return { table: "submissions", cells: submissionCells(change.submission) }
    case "document": {
      const { conversation, name, version, value } = change.document
      return { table: "documents", cells: [conversation, name, version, JSON.stringify(value)] }
    }
    default:
      return unreachable(change)
  }
}

/** What a record keeps in `bodies`. */
export function bodyOf(change: Change): { readonly id: number; readonly body: object } | null {
  if (change.type === "task") return { id: change.task.id, body: change.task.input }
  if (change.type === "submission") return { id: change.submission.id, body: change.submission.data }
  return null
}

function conversationCells(it: Conversation): readonly Cell[] {
  return [
    it.id,
    it.at,
    it.parent?.conversation ?? null,
    it.parent?.entry ?? null,
    it.owner?.conversation ?? null,
    it.owner?.task ?? null,
  ]
}

function entryCells(it: Entry): readonly Cell[] {
  return [it.id, it.conversation, it.at, it.kind, it.head, it.byTask, JSON.stringify(it.data)]
}

function taskCells(it: Task): readonly Cell[] {
  checkTask(it)
  return [
    it.id,
    it.conversation,
    it.kind,
    it.version,
    it.status,
    it.owner,
    it.background ? 1 : 0,
    it.abort?.reason ?? null,
    it.attempt,
    it.restarts,
    it.startedAt,
    it.endedAt,
    it.phase,
    JSON.stringify(it.checkpoint),
    JSON.stringify(it.facts),
    it.outcome === null ? null : JSON.stringify(it.outcome),
  ]
}

function submissionCells(it: Submission): readonly Cell[] {
  return [it.id, it.conversation, it.requestId, it.kind, it.status, it.at, it.entry, it.answer, it.reason]
}

export type ConversationRow = {
  readonly id: number
  readonly at: number
  readonly parent_conversation: number | null
  readonly parent_entry: number | null
  readonly owner_conversation: number | null
  readonly owner_task: number | null
}

export function conversationFrom(row: ConversationRow): Conversation {
  const { id, at, parent_conversation, parent_entry, owner_conversation, owner_task } = row
  const parent =
    parent_conversation === null || parent_entry === null
      ? null
      : Object.freeze({ conversation: parent_conversation, entry: parent_entry })
  const owner =
    owner_conversation === null || owner_task === null
      ? null
      : Object.freeze({ conversation: owner_conversation, task: owner_task })
  return Object.freeze({ id, at, parent, owner })
}

export type EntryRow = {
  readonly id: number
  readonly conversation: number
  readonly at: number
  readonly kind: string
  readonly head: number | null
  readonly by_task: number | null
  readonly data: string
}

export function entryFrom(row: EntryRow): Entry {
  const { id, conversation, at, kind, head, by_task } = row
  return Object.freeze({ id, conversation, at, kind, head, byTask: by_task, data: strictObject(row.data) })
}

export type TaskRow = {
  readonly id: number
  readonly conversation: number
  readonly kind: string
  readonly version: number
  readonly status: string
  readonly owner: number | null
  readonly background: number
  readonly abort: string | null
  readonly attempt: number
  readonly restarts: number
  readonly started_at: number
  readonly ended_at: number | null
  readonly phase: string
  readonly checkpoint: string
  readonly facts: string
  readonly outcome: string | null
  readonly body: string | null
}

export function taskFrom(row: TaskRow): Task {
  assert(row.body !== null, `task ${row.id} was stored with its input`)
  const task: Task = {
    id: row.id,
    conversation: row.conversation,
    kind: row.kind,
    version: row.version,
    status: row.status as TaskStatus,
    owner: row.owner,
    background: row.background === 1,
    abort: row.abort === null ? null : Object.freeze({ reason: row.abort }),
    attempt: row.attempt,
    restarts: row.restarts,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    input: strictObject(row.body),
    phase: row.phase,
    checkpoint: strictObject(row.checkpoint),
    facts: strictObject(row.facts),
    outcome: row.outcome === null ? null : strictObject(row.outcome),
  }
  checkTask(task)
  return Object.freeze(task)
}

function checkTask(task: Task): void {
  const ended = (endStatuses as readonly string[]).includes(task.status)
  const known = ended || (liveStatuses as readonly string[]).includes(task.status)
  assert(known, `task ${task.id} has a status that is known: ${task.status}`)
  assert(ended === (task.endedAt !== null), `task ${task.id} is ${task.status}, ended at ${task.endedAt}`)
}

export type SubmissionRow = {
  readonly id: number
  readonly conversation: number
  readonly request_id: string
  readonly kind: string
  readonly status: string
  readonly at: number
  readonly entry: number | null
  readonly answer: number | null
  readonly reason: string | null
  readonly body: string | null
}

export function submissionFrom(row: SubmissionRow): Submission {
  assert(row.body !== null, `submission ${row.id} was stored with its data`)
  return Object.freeze({
    id: row.id,
    conversation: row.conversation,
    requestId: row.request_id,
    kind: row.kind,
    status: row.status as SubmissionStatus,
    at: row.at,
    data: strictObject(row.body),
    entry: row.entry,
    answer: row.answer,
    reason: row.reason,
  })
}

export type DocumentRow = {
  readonly conversation: number
  readonly name: string
  readonly version: number
  readonly value: string
}

export function documentFrom(row: DocumentRow): Document {
  const { conversation, name, version } = row
  return Object.freeze({ conversation, name, version, value: strictParse(row.value) })
}
