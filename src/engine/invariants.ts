/**
 * What is true of a session's records between any two commits: told in sentences where it is not. Pure.
 *
 * - A run names a live generation of its conversation; the inputs that it answers are placed, each in one run.
 * - An input that was placed is one entry. A call has at most one result, and one exactly when it has ended.
 * - Tasks that others wait for are there, and none waits for itself. What an attempt cost is counted.
 */
import type { AllRecords } from "../ledger/peek.ts"
import { isLive, type Entry, type Submission, type Task } from "../ledger/records.ts"
import type { RunDocument, SessionDocument, UsageDocument } from "../protocol/records.ts"
import { dataOf } from "./entries.ts"
import { callInput, callKind, compactionKind, generationKind, generationState } from "./task.ts"

export function brokenInvariants(records: AllRecords): readonly string[] {
  const tasks = new Map(records.tasks.map((task) => [task.id, task]))
  return [
    ...runs(records, tasks),
    ...inputs(records),
    ...results(records.entries, tasks),
    ...waits(tasks),
    ...usages(records),
  ]
}

function runsOf(records: AllRecords): readonly { readonly conversation: number; readonly run: RunDocument }[] {
  return records.documents
    .filter(({ name }) => name === "run")
    .map(({ conversation, value }) => ({ conversation, run: value as unknown as RunDocument }))
}

function runs(records: AllRecords, tasks: ReadonlyMap<number, Task>): string[] {
  const problems: string[] = []
  const going = new Set<number>()
  for (const { conversation, run } of runsOf(records)) {
    going.add(conversation)
    const task = tasks.get(run.task)
    if (task === undefined || !isLive(task) || task.kind !== generationKind || task.conversation !== conversation)
      problems.push(`the run of c${conversation} names t${run.task}, which is no live turn of it`)
  }
  for (const task of tasks.values()) {
    if (task.kind === generationKind && isLive(task) && !going.has(task.conversation))
      problems.push(`the turn t${task.id} is live, and c${task.conversation} has no run`)
  }
  return problems
}

function inputs(records: AllRecords): string[] {
  const problems: string[] = []
  const inRun = new Map<number, number>()
  for (const { run } of runsOf(records)) for (const id of run.submissions) inRun.set(id, (inRun.get(id) ?? 0) + 1)
  const placed = new Map<number, number>()
  for (const entry of records.entries) {
    const data = dataOf(entry)
    if (data?.kind === "user" && data.submission > 0)
      placed.set(data.submission, (placed.get(data.submission) ?? 0) + 1)
  }
  for (const submission of records.submissions) {
    const { id, status } = submission
    const runsWith = inRun.get(id) ?? 0
    if ((status === "placed" ? 1 : 0) !== runsWith)
      problems.push(`the input s${id} is ${status}, and ${runsWith} runs answer it`)
    const entries = placed.get(id) ?? 0
    if (entries !== entriesOf(submission))
      problems.push(`the input s${id} is ${status}, and ${entries} entries hold it`)
  }
  return problems
}

/** How often an input must stand in the transcript; one that was never placed ends without an entry. */
function entriesOf({ entry }: Submission): number {
  return entry === null ? 0 : 1
}

function results(entries: readonly Entry[], tasks: ReadonlyMap<number, Task>): string[] {
  const problems: string[] = []
  const found = new Map<number, number>()
  for (const entry of entries) {
    if (entry.kind === "toolResult" && entry.byTask !== null)
      found.set(entry.byTask, (found.get(entry.byTask) ?? 0) + 1)
  }
  for (const task of tasks.values()) {
    if (task.kind !== callKind) continue
    const count = found.get(task.id) ?? 0
    if (count !== (isLive(task) ? 0 : 1))
      problems.push(`the call t${task.id} is ${task.status}, and ${count} entries hold its result`)
  }
  return problems
}

function waitedFor(task: Task): readonly number[] {
  if (task.kind === callKind) return [callInput(task).after ?? 0].filter((id) => id > 0)
  if (task.kind !== generationKind) return []
  const state = generationState(task)
  if (state.phase === "tools") return state.calls
  return state.phase === "compact" ? [state.task] : []
}

function waits(tasks: ReadonlyMap<number, Task>): string[] {
  const problems: string[] = []
  for (const task of tasks.values()) {
    if (task.owner !== null && !tasks.has(task.owner))
      problems.push(`t${task.id} belongs to t${task.owner}, which is not there`)
    if (!isLive(task)) continue
    for (const id of waitedFor(task)) {
      if (!tasks.has(id)) problems.push(`t${task.id} waits for t${id}, which is not there`)
    }
    if (reaches(tasks, task.id)) problems.push(`t${task.id} waits for itself`)
  }
  return problems
}

function reaches(tasks: ReadonlyMap<number, Task>, target: number): boolean {
  const seen = new Set<number>()
  const open = [target]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const task = tasks.get(id)
    if (task === undefined || !isLive(task)) continue
    for (const next of waitedFor(task)) {
      if (next === target) return true
      if (!seen.has(next)) open.push(next)
      seen.add(next)
    }
  }
  return false
}

/**
 * The sum of the attempts' tokens; summaries cost too, and are no attempts, so with one it is the least. A session that began as a copy counts
 * from there.
 */
function usages(records: AllRecords): string[] {
  const problems: string[] = []
  const session = records.documents.find(({ conversation, name }) => conversation === 0 && name === "session")
  const copied = (session?.value as SessionDocument | undefined)?.parent?.entry ?? 0
  const summarized = new Set(records.tasks.filter(({ kind }) => kind === compactionKind).map((it) => it.conversation))
  const sums = new Map<number, number>()
  for (const entry of records.entries) {
    const data = dataOf(entry)
    if (data?.kind !== "assistant" || entry.id <= copied) continue
    sums.set(entry.conversation, (sums.get(entry.conversation) ?? 0) + data.message.usage.totalTokens)
  }
  for (const document of records.documents) {
    if (document.name !== "usage") continue
    const { total } = document.value as unknown as UsageDocument
    const sum = sums.get(document.conversation) ?? 0
    const agrees = summarized.has(document.conversation) ? total.totalTokens >= sum : total.totalTokens === sum
    if (!agrees) problems.push(`c${document.conversation} counts ${total.totalTokens} tokens, its attempts used ${sum}`)
  }
  return problems
}
