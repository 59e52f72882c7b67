/** What clients see of the ledger's records: typed, and without the engine's insides. Pure. */
import { isLive, type Change, type Submission, type Task } from "../ledger/records.ts"
import type { PortChange } from "../protocol/port.ts"
import type { DocumentRecord, SubmissionRecord, TaskRecord, TaskState } from "../protocol/records.ts"
import type { Tool } from "../tools/tool.ts"
import { publicDocuments } from "./documents.ts"
import { entryRecord } from "./entries.ts"
import { inputOf } from "./run.ts"
import { callInput, callKind, callState, generationKind, generationState, shellInput, shellKind } from "./task.ts"

function workOf(task: Task, tools: readonly Tool[], model: string): TaskRecord["work"] {
  if (task.kind === generationKind) {
    const state = generationState(task)
    if (state.phase === "retry") {
      const { until, tries, error } = state
      return { kind: "generation", phase: "retry", model, retry: { until, attempt: tries, of: tries, error } }
    }
    if (state.phase === "limit") {
      return { kind: "generation", phase: "limit", model, limit: { cost: state.cost, of: state.of } }
    }
    const isBetween = state.phase === "compact" || state.phase === "yield"
    return {
      kind: "generation",
      phase: isBetween ? "prepare" : state.phase,
      model: state.phase === "request" ? state.pin.model : model,
    }
  }
  if (task.kind === shellKind) return { kind: "shell", ...shellInput(task) }
  if (task.kind !== callKind) return { kind: "other", name: task.kind }
  const { callId, name, args, entry } = callInput(task)
  const phase = task.status === "pending" ? "queued" : callState(task).phase
  const title = tools.find((tool) => tool.name === name)?.title(args) ?? name
  return { kind: "toolCall", phase, callId, name, title, args, entry }
}

export type PublishContext = {
  readonly tools: readonly Tool[]
  readonly retries: number
  model(conversation: number): string
}

export function taskRecord(task: Task, context: PublishContext): TaskRecord {
  const { id, conversation, attempt, startedAt } = task
  const state: TaskState = isLive(task) ? (task.status as TaskState) : "ended"
  const owner = task.owner === null ? {} : { owner: task.owner }
  const base = { id, conversation, attempt, startedAt, state, aborting: task.abort !== null, ...owner }
  if (state === "ended") return { ...base, work: { kind: "other", name: task.kind } }
  const work = workOf(task, context.tools, context.model(conversation))
  if (work.kind === "generation" && work.retry !== undefined) {
    return { ...base, work: { ...work, retry: { ...work.retry, of: context.retries } } }
  }
  return { ...base, work }
}

export function submissionRecord(submission: Submission): SubmissionRecord {
  const { id, conversation, requestId, status, entry, reason } = submission
  return { id, conversation, requestId, status, entry, reason, ...inputOf(submission) }
}

export function isPublic(name: string): boolean {
  return publicDocuments.includes(name) || name.startsWith("screen/")
}

/** Changes as clients hear of them; what is the engine's own is left out. */
export function publicChanges(changes: readonly Change[], context: PublishContext): readonly PortChange[] {
  const heard: PortChange[] = []
  for (const change of changes) {
    switch (change.type) {
      case "conversation":
        heard.push({ type: "conversation", conversation: change.conversation })
        break
      case "entry":
        heard.push({ type: "entry", entry: entryRecord(change.entry) })
        break
      case "task":
        heard.push({ type: "task", task: taskRecord(change.task, context) })
        break
      case "submission":
        heard.push({ type: "submission", submission: submissionRecord(change.submission) })
        break
      case "document":
        if (!isPublic(change.document.name)) break
        heard.push({ type: "document", document: change.document as DocumentRecord })
        break
      case "retire":
        if (!isPublic(change.name)) break
        heard.push({ type: "document", document: { ...change, value: null } as unknown as DocumentRecord })
        break
    }
  }
  return heard
}
