/**
 * What must be true of a session whenever nothing is in the middle of a commit, and what must be true of it at the end.
 *
 * - All of it is read from the tables themselves. The names I1 to I11 are those of the list of invariants that a ledger is tested by.
 */
import type { Database } from "bun:sqlite"
import type { EntryData, RunDocument, ToolResultEntry, UsageDocument } from "../../src/protocol/records.ts"
import { callsOf, type AssistantMessage } from "../../src/message/message.ts"
import { liveStatuses } from "../../src/ledger/records.ts"
import type { CallInput } from "../../src/engine/task.ts"
import type { SqliteStorage } from "../../src/ledger/sqlite.ts"
import type { World } from "./world.ts"

type TaskRow = {
  readonly id: number
  readonly kind: string
  readonly status: string
  readonly phase: string
  readonly checkpoint: string
  readonly input: string
}

export type CallTask = { readonly id: number; readonly status: string; readonly input: CallInput }

export type EntryRow = { readonly id: number; readonly data: EntryData; readonly byTask: number | null }

export type SubmissionRow = {
  readonly id: number
  readonly requestId: string
  readonly status: string
  readonly entry: number | null
  readonly data: { readonly mode: string; readonly content: readonly { readonly text: string }[] }
}

/** All that a session holds, as its tables have it. */
export type Picture = {
  readonly tasks: readonly TaskRow[]
  readonly calls: readonly CallTask[]
  readonly entries: readonly EntryRow[]
  readonly submissions: readonly SubmissionRow[]
  readonly run: RunDocument | null
  readonly usage: UsageDocument | null
  readonly seq: number
}

function document<T>(db: Database, name: string): T | null {
  const row = db
    .query<{ value: string }, [string]>("SELECT value FROM documents WHERE conversation = 1 AND name = ?")
    .get(name)
  return row === null ? null : (JSON.parse(row.value) as T)
}

export function read(storage: SqliteStorage): Picture {
  return storage.look((db) => {
    const tasks = db
      .query<TaskRow, []>(
        "SELECT t.id, kind, status, phase, checkpoint, b.data AS input FROM tasks t JOIN bodies b ON b.id = t.id ORDER BY t.id",
      )
      .all()
    const entries = db
      .query<{ id: number; kind: string; data: string; by_task: number | null }, []>(
        "SELECT id, kind, data, by_task FROM entries ORDER BY id",
      )
      .all()
    const submissions = db
      .query<{ id: number; request_id: string; status: string; entry: number | null; data: string }, []>(
        "SELECT s.id, request_id, status, entry, b.data AS data FROM submissions s JOIN bodies b ON b.id = s.id ORDER BY s.id",
      )
      .all()
    const last = db.query<{ seq: number }, []>("SELECT max(seq) AS seq FROM commits").get()
    return {
      tasks,
      calls: tasks
        .filter(({ kind }) => kind === "toolCall")
        .map(({ id, status, input }) => ({ id, status, input: JSON.parse(input) as CallInput })),
      entries: entries.map(({ id, kind, data, by_task }) => ({
        id,
        byTask: by_task,
        data: { kind, ...(JSON.parse(data) as object) } as EntryData,
      })),
      submissions: submissions.map(({ id, request_id, status, entry, data }) => ({
        id,
        requestId: request_id,
        status,
        entry,
        data: JSON.parse(data) as SubmissionRow["data"],
      })),
      run: document<RunDocument>(db, "run"),
      usage: document<UsageDocument>(db, "usage"),
      seq: last?.seq ?? 0,
    }
  })
}

function isLive({ status }: { readonly status: string }): boolean {
  return (liveStatuses as readonly string[]).includes(status)
}

/** I1, I7: a run names its live turn, a turn its calls, a call the one before it; and nothing waits for what is not there. */
function checkWork(picture: Picture, wrong: (text: string) => void): void {
  const { tasks, run } = picture
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const turns = tasks.filter((task) => task.kind === "generation" && isLive(task))
  if (turns.length > 1) wrong(`I1: ${turns.length} turns are live at once`)
  if (run === null && turns.length > 0) wrong(`I1: t${turns[0]?.id} is live without a run`)
  if (run !== null && turns[0]?.id !== run.task) wrong(`I1: the run names t${run.task}, which is not live`)
  for (const task of tasks.filter(isLive)) {
    const waits = JSON.parse(task.checkpoint) as { readonly calls?: readonly number[]; readonly task?: number }
    for (const id of [...(waits.calls ?? []), ...(waits.task === undefined ? [] : [waits.task])]) {
      if (!byId.has(id)) wrong(`I7: t${task.id} waits for t${id}, which is not there`)
      if (id <= task.id) wrong(`I7: t${task.id} waits for t${id}, which is older`)
    }
    const { after } = JSON.parse(task.input) as { readonly after?: number }
    if (after !== undefined && (!byId.has(after) || after >= task.id)) wrong(`I7: t${task.id} comes after t${after}`)
  }
}

/** I2: a placed input has its one entry and its run; what is queued or taken back has none. */
function checkInputs({ submissions, entries, run }: Picture, wrong: (text: string) => void): void {
  const placed = Map.groupBy(
    entries.filter(({ data }) => data.kind === "user"),
    ({ data }) => (data.kind === "user" ? data.submission : 0),
  )
  for (const { id, status, entry, data } of submissions) {
    const own = placed.get(id) ?? []
    const expected = status === "queued" || status === "withdrawn" ? 0 : 1
    if (own.length !== expected) wrong(`I2: s${id} is ${status} and has ${own.length} entries`)
    if (expected === 1 && own[0]?.id !== entry) wrong(`I2: s${id} names e${entry}, its entry is e${own[0]?.id}`)
    const said = own[0]?.data
    if (said?.kind === "user" && JSON.stringify(said.content) !== JSON.stringify(data.content))
      wrong(`I2: e${own[0]?.id} does not say what s${id} says`)
    if (status === "placed" && run?.submissions.includes(id) !== true) wrong(`I2: s${id} is placed and in no run`)
  }
  const known = new Set(submissions.map(({ id }) => id))
  for (const id of placed.keys()) if (!known.has(id)) wrong(`I2: an entry of s${id}, which is not there`)
  for (const mode of ["steer", "followUp"]) {
    const order = submissions
      .filter(({ entry, data }) => entry !== null && data.mode === mode)
      .map(({ entry }) => entry)
    if (order.some((entry, n) => n > 0 && (entry ?? 0) < (order[n - 1] ?? 0)))
      wrong(`inputs of mode ${mode} were placed in another order than they came`)
  }
}

/** I3: each call that a model made is one task, and a task that has ended has one result. */
function checkCalls({ calls, entries }: Picture, wrong: (text: string) => void): void {
  const results = Map.groupBy(
    entries.filter(({ data }) => data.kind === "toolResult"),
    ({ byTask }) => byTask ?? 0,
  )
  for (const task of calls) {
    const count = results.get(task.id)?.length ?? 0
    const expected = isLive(task) ? 0 : 1
    if (count !== expected) wrong(`I3: t${task.id} (${task.input.name}, ${task.status}) has ${count} results`)
  }
  const byEntry = Map.groupBy(calls, ({ input }) => input.entry)
  for (const { id, data, byTask } of entries) {
    if (data.kind !== "assistant") continue
    const { message } = data
    if (message.stopReason === "error" || message.stopReason === "aborted") continue
    const made = callsOf(message)
    const tasks = byEntry.get(id)?.length ?? 0
    if (message.stopReason === "length") {
      const told = results.get(byTask ?? 0)?.length ?? 0
      if (made.length > 0 && told !== made.length)
        wrong(`I3: e${id} was cut with ${made.length} calls, ${told} results`)
      if (tasks > 0) wrong(`I3: calls of e${id} run, although it was cut`)
    } else if (tasks !== made.length) {
      wrong(`I3: e${id} made ${made.length} calls, there are ${tasks} tasks`)
    }
  }
}

function spent(message: Pick<AssistantMessage, "usage">): number {
  return message.usage.totalTokens
}

/** I5: what was spent is what entries and summaries say. */
function checkUsage(world: World, { entries, usage }: Picture, wrong: (text: string) => void): void {
  let sum = 0
  for (const { data } of entries) {
    if (data.kind === "assistant") sum += spent(data.message)
    if (data.kind !== "compaction") continue
    const found = [...world.model.summaries].find(([text]) => data.summary.startsWith(text.trim()))
    if (found === undefined) wrong("I5: a summary that no model made")
    sum += found?.[1] ?? 0
  }
  const total = usage?.total.totalTokens ?? 0
  // A summary that was of no use was paid for all the same.
  if (total < sum) wrong(`I5: ${total} tokens were counted, entries and summaries say ${sum}`)
}

/** Whatever the moment: also in the middle of a run, right after an opening. */
export function checkAlways(world: World, storage: SqliteStorage): void {
  const wrong = (text: string): void => world.problem(text)
  const picture = read(storage)
  checkWork(picture, wrong)
  checkInputs(picture, wrong)
  checkCalls(picture, wrong)
  checkUsage(world, picture, wrong)
}

export type Result = { readonly task: CallTask; readonly entry: ToolResultEntry; readonly text: string }

export function resultsOf(picture: Picture): readonly Result[] {
  const tasks = new Map(picture.calls.map((task) => [task.id, task]))
  return picture.entries.flatMap(({ data, byTask }) => {
    const task = tasks.get(byTask ?? 0)
    if (data.kind !== "toolResult" || task === undefined) return []
    const text = data.message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
    return [{ task, entry: data, text }]
  })
}
