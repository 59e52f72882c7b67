/**
 * What must be true of a session whenever nothing is in the middle of a commit, and what must be true of it at the end.
 *
 * - All of it is read from the tables themselves. The names I1 to I11 are those of the list of invariants that a ledger is tested by.
 */
import type { Database } from "bun:sqlite"
import type { EntryData, RunDocument, ToolResultEntry, UsageDocument } from "../../src/protocol/records.ts"
import { brokenInvariants } from "../../src/engine/invariants.ts"
import { allRecords } from "../../src/ledger/peek.ts"
import { callsOf, type AssistantMessage } from "../../src/message/message.ts"
import { liveStatuses } from "../../src/ledger/records.ts"
import type { CallInput } from "../../src/engine/task.ts"
import type { SqliteStorage } from "../../src/ledger/sqlite.ts"
import type { World } from "./world.ts"

type TaskRow = {
  readonly id: number
  readonly conversation: number
  readonly kind: string
  readonly status: string
  readonly phase: string
  readonly checkpoint: string
  readonly input: string
}

export type CallTask = { readonly id: number; readonly status: string; readonly input: CallInput }

export type EntryRow = {
  readonly id: number
  readonly conversation: number
  readonly data: EntryData
  readonly byTask: number | null
}

export type SubmissionRow = {
  readonly id: number
  readonly conversation: number
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
  /** By conversation. */
  readonly runs: ReadonlyMap<number, RunDocument>
  readonly usages: ReadonlyMap<number, UsageDocument>
  /** Conversations that a task owns, and the task. */
  readonly owners: ReadonlyMap<number, number>
}

function documents<T>(db: Database, name: string): ReadonlyMap<number, T> {
  const rows = db
    .query<{ conversation: number; value: string }, [string]>(
      "SELECT conversation, value FROM documents WHERE name = ?",
    )
    .all(name)
  return new Map(rows.map(({ conversation, value }) => [conversation, JSON.parse(value) as T]))
}

type SubmissionColumns = {
  readonly id: number
  readonly conversation: number
  readonly request_id: string
  readonly status: string
  readonly entry: number | null
  readonly data: string
}

export function read(storage: SqliteStorage): Picture {
  return storage.look((db) => {
    const tasks = db
      .query<TaskRow, []>(
        "SELECT t.id, conversation, kind, status, phase, checkpoint, b.data AS input FROM tasks t JOIN bodies b ON b.id = t.id ORDER BY t.id",
      )
      .all()
    const entries = db
      .query<{ id: number; conversation: number; kind: string; data: string; by_task: number | null }, []>(
        "SELECT id, conversation, kind, data, by_task FROM entries ORDER BY id",
      )
      .all()
    const submissions = db
      .query<SubmissionColumns, []>(
        "SELECT s.id, conversation, request_id, status, entry, b.data AS data FROM submissions s JOIN bodies b ON b.id = s.id ORDER BY s.id",
      )
      .all()
    const owned = db
      .query<{ id: number; owner_task: number }, []>(
        "SELECT id, owner_task FROM conversations WHERE owner_task IS NOT NULL",
      )
      .all()
    return {
      tasks,
      calls: tasks
        .filter(({ kind }) => kind === "toolCall")
        .map(({ id, status, input }) => ({ id, status, input: JSON.parse(input) as CallInput })),
      entries: entries.map(({ id, conversation, kind, data, by_task }) => ({
        id,
        conversation,
        byTask: by_task,
        data: { kind, ...(JSON.parse(data) as object) } as EntryData,
      })),
      submissions: submissions.map(({ id, conversation, request_id, status, entry, data }) => ({
        id,
        conversation,
        requestId: request_id,
        status,
        entry,
        data: JSON.parse(data) as SubmissionRow["data"],
      })),
      runs: documents<RunDocument>(db, "run"),
      usages: documents<UsageDocument>(db, "usage"),
      owners: new Map(owned.map(({ id, owner_task }) => [id, owner_task])),
    }
  })
}

function isLive({ status }: { readonly status: string }): boolean {
  return (liveStatuses as readonly string[]).includes(status)
}

/** I1, I7: a run names its live turn, a turn its calls, a call the one before it; and nothing waits for what is not there. */
function checkWork(picture: Picture, wrong: (text: string) => void): void {
  const { tasks, runs } = picture
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const turns = Map.groupBy(
    tasks.filter((task) => task.kind === "generation" && isLive(task)),
    ({ conversation }) => conversation,
  )
  for (const [conversation, live] of turns) {
    if (live.length > 1) wrong(`I1: ${live.length} turns of c${conversation} are live at once`)
    if (!runs.has(conversation)) wrong(`I1: t${live[0]?.id} is live without a run`)
  }
  for (const [conversation, run] of runs) {
    if (turns.get(conversation)?.[0]?.id !== run.task)
      wrong(`I1: the run of c${conversation} names t${run.task}, which is not its live turn`)
  }
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
function checkInputs(world: World, { submissions, entries, runs }: Picture, wrong: (text: string) => void): void {
  const placed = Map.groupBy(
    entries.filter(({ data }) => data.kind === "user"),
    ({ data }) => (data.kind === "user" ? data.submission : 0),
  )
  for (const { id, conversation, status, entry, data } of submissions) {
    const own = placed.get(id) ?? []
    const expected = status === "queued" || status === "withdrawn" ? 0 : 1
    if (own.length !== expected) wrong(`I2: s${id} is ${status} and has ${own.length} entries`)
    if (expected === 1 && own[0]?.id !== entry) wrong(`I2: s${id} names e${entry}, its entry is e${own[0]?.id}`)
    const said = own[0]?.data
    if (said?.kind === "user" && JSON.stringify(said.content) !== JSON.stringify(data.content))
      wrong(`I2: e${own[0]?.id} does not say what s${id} says`)
    if (status === "placed" && runs.get(conversation)?.submissions.includes(id) !== true)
      wrong(`I2: s${id} is placed and in no run`)
  }
  const known = new Set(submissions.map(({ id }) => id))
  for (const id of placed.keys()) if (!known.has(id)) wrong(`I2: an entry of s${id}, which is not there`)
  const kept = submissions.filter(
    ({ entry, requestId, data }) =>
      entry !== null && !world.amended.has(requestId) && world.modes.get(requestId) === data.mode,
  )
  const queues = Map.groupBy(kept, ({ conversation, data }) => `${data.mode} of c${conversation}`)
  for (const [queue, placed] of queues) {
    const order = placed.map(({ entry }) => entry ?? 0)
    if (order.some((entry, n) => n > 0 && entry < (order[n - 1] ?? 0)))
      wrong(`inputs, ${queue}, were placed in another order than they came`)
  }
}

/** A call's child is asked once, whatever its call went through. */
function checkChildren({ submissions, owners, calls }: Picture, wrong: (text: string) => void): void {
  const asked = Map.groupBy(submissions, ({ conversation }) => conversation)
  for (const child of owners.keys()) {
    const count = asked.get(child)?.length ?? 0
    if (count !== 1) wrong(`c${child} belongs to a call and was asked ${count} times`)
  }
  const children = Map.groupBy(owners, ([, task]) => task)
  for (const { id, input } of calls) {
    const count = children.get(id)?.length ?? 0
    if (count > (input.name === "ask" ? 2 : 0)) wrong(`t${id} (${input.name}) has ${count} children`)
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

/** I5: what was spent in a conversation is what its entries and summaries say. */
function checkUsage(world: World, { entries, usages }: Picture, wrong: (text: string) => void): void {
  for (const [conversation, own] of Map.groupBy(entries, (entry) => entry.conversation)) {
    let sum = 0
    for (const { data } of own) {
      if (data.kind === "assistant") sum += spent(data.message)
      if (data.kind !== "compaction") continue
      const found = [...world.model.summaries].find(([text]) => data.summary.startsWith(text.trim()))
      if (found === undefined) wrong("I5: a summary that no model made")
      sum += found?.[1] ?? 0
    }
    const total = usages.get(conversation)?.total.totalTokens ?? 0
    // A summary that was of no use was paid for all the same.
    if (total < sum) wrong(`I5: ${total} tokens were counted in c${conversation}, entries and summaries say ${sum}`)
  }
}

/** Whatever the moment: also in the middle of a run, right after an opening. */
export function checkAlways(world: World, storage: SqliteStorage): void {
  const wrong = (text: string): void => world.problem(text)
  const picture = read(storage)
  checkWork(picture, wrong)
  checkInputs(world, picture, wrong)
  checkChildren(picture, wrong)
  checkCalls(picture, wrong)
  checkUsage(world, picture, wrong)
  // And what the program itself says of its records, when somebody asks it to check a session.
  for (const problem of brokenInvariants(storage.look(allRecords))) wrong(problem)
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
