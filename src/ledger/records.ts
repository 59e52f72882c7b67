/**
 * What a ledger holds. It does not know what a message is: kinds are words and data is JSON.
 *
 * - Ids are integers from one counter per session, never reused after a committed write; the root conversation is
 *   always 1. Outside they are written `c1 e5 t9 s3`. Order is `seq` or id, never a time.
 * - A conversation and an entry never change. A task, a submission and a document are replaced whole.
 */
import type { Json, JsonObject } from "../std/json.ts"

export type ConversationId = number
export type EntryId = number
export type TaskId = number
export type SubmissionId = number

/**
 * `parent`: a fork sees the parent's history up to and including entry `at`. `owner`: the task whose abort also ends
 * this.
 */
export type Conversation = {
  readonly id: ConversationId
  readonly at: number
  readonly parent: { readonly conversation: ConversationId; readonly entry: EntryId } | null
  readonly owner: { readonly conversation: ConversationId; readonly task: TaskId } | null
}

/**
 * `head`: from here on, context begins at that entry (a reset heads itself, a compaction the first entry that it kept).
 */
export type Entry = {
  readonly id: EntryId
  readonly conversation: ConversationId
  readonly at: number
  readonly kind: string
  readonly head: EntryId | null
  readonly byTask: TaskId | null
  readonly data: JsonObject
}

/** What is left of an entry's data that was pruned; its row keeps the digest of what it was, so that nothing seems lost. */
export const prunedData: JsonObject = Object.freeze({ pruned: true })

/** True for an entry whose data a person has let go. */
export function isPruned({ data }: Pick<Entry, "data">): boolean {
  return data["pruned"] === true && Object.keys(data).length === 1
}

export const liveStatuses = ["pending", "running", "waiting", "completing"] as const
export const endStatuses = ["completed", "failed", "aborted", "orphaned", "faulted"] as const
export type LiveStatus = (typeof liveStatuses)[number]
export type EndStatus = (typeof endStatuses)[number]
export type TaskStatus = LiveStatus | EndStatus

/**
 * A durable state machine. `checkpoint` is what the next step needs and goes when the task ends; `facts` are what a
 * running effect told of itself. `attempt` numbers its spools, from 1. `restarts` counts quick deaths at this
 * checkpoint.
 */
export type Task = {
  readonly id: TaskId
  readonly conversation: ConversationId
  readonly kind: string
  readonly version: number
  readonly status: TaskStatus
  readonly owner: TaskId | null
  readonly background: boolean
  readonly abort: { readonly reason: string } | null
  readonly attempt: number
  readonly restarts: number
  readonly startedAt: number
  readonly endedAt: number | null
  readonly input: JsonObject
  readonly phase: string
  readonly checkpoint: JsonObject
  readonly facts: JsonObject
  readonly outcome: JsonObject | null
}

export type SubmissionStatus = "queued" | "placed" | "done" | "unanswered" | "withdrawn"

/** Something handed to a conversation; (conversation, requestId) is unique, enforced by the database. */
export type Submission = {
  readonly id: SubmissionId
  readonly conversation: ConversationId
  readonly requestId: string
  readonly kind: string
  readonly status: SubmissionStatus
  readonly at: number
  readonly data: JsonObject
  /** The entry that it became, the entry that answered it, why it was not answered. */
  readonly entry: EntryId | null
  readonly answer: EntryId | null
  readonly reason: string | null
}

/** Addressed by (conversation, name); conversation 0 is the session itself. */
export type Document = {
  readonly conversation: ConversationId | 0
  readonly name: string
  readonly version: number
  readonly value: Json
}

/** A record as a commit changes it. `retire` removes a document. */
export type Change =
  | { readonly type: "conversation"; readonly conversation: Conversation }
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "task"; readonly task: Task }
  | { readonly type: "submission"; readonly submission: Submission }
  | { readonly type: "document"; readonly document: Document }
  | { readonly type: "retire"; readonly conversation: ConversationId | 0; readonly name: string }

/**
 * `flushed` is on the disk's platter before it is acknowledged; `relaxed` survives the process and rides on the next
 * flush.
 */
export type FlushClass = "flushed" | "relaxed"

export type Commit = {
  readonly seq: number
  readonly at: number
  readonly class: FlushClass
  readonly changes: readonly Change[]
}

export function isLive(task: Task): boolean {
  return (liveStatuses as readonly string[]).includes(task.status)
}
