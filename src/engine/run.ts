/**
 * Runs: what starts one, what its turns hand on, what ends it. Every function is part of one commit; nothing here waits.
 *
 * - A run starts with the inputs that it answers and one generation; it ends with all of them settled, in the commit of its last entry.
 * - Queued inputs keep their order. A run that ended with an answer hands on to the next queued input in the same commit; one that failed or
 *   was stopped leaves them queued, and the next input places them first.
 */
import type { Tx } from "../ledger/ledger.ts"
import type { Submission } from "../ledger/records.ts"
import type { SubmitMode } from "../protocol/records.ts"
import type { UserPart } from "../message/message.ts"
import { assert } from "../std/assert.ts"
import { append } from "./entries.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { generationKind, stored, taskVersions } from "./task.ts"
import type { EngineSettings, QueueMode } from "./options.ts"

export type InputData = { readonly content: readonly UserPart[]; readonly mode: SubmitMode }

export function inputOf(submission: Submission): InputData {
  return submission.data as InputData
}

/** Queued inputs of a conversation, oldest first. */
export function queued(tx: Pick<Tx, "live">, conversation: number, mode?: SubmitMode): readonly Submission[] {
  return [...tx.live.submissions.values()]
    .filter((item) => item.conversation === conversation && item.status === "queued")
    .filter((item) => mode === undefined || inputOf(item).mode === mode)
    .sort((a, b) => a.id - b.id)
}

/** Places an input in the run that began with entry `run`, or as its beginning; the run's beginning. */
function place(tx: Tx, submission: Submission, run?: number): number {
  const { content } = inputOf(submission)
  const { conversation, id } = submission
  const entry = append(tx, { conversation }, { kind: "user", content, submission: id, run })
  tx.setSubmission(id, { status: "placed", entry: entry.id })
  return run ?? entry.id
}

function addTurn(tx: Tx, conversation: number, cuts: number): number {
  const state = stored({ phase: "prepare", tries: 0, cuts, compactions: 0 })
  const version = taskVersions[generationKind] ?? 1
  return tx.addTask({ conversation, kind: generationKind, version, input: {}, ...state }).id
}

/** Place `inputs` and begin a run that answers them. */
export function startRun(tx: Tx, conversation: number, inputs: readonly Submission[]): void {
  const entry = inputs.reduce<number | undefined>((run, input) => place(tx, input, run), undefined)
  assert(entry !== undefined, "a run starts with an input")
  const task = addTurn(tx, conversation, 0)
  const submissions = inputs.map((input) => input.id)
  const costFrom = readDocument(tx.live, conversation, "usage")?.total.cost?.total
  writeDocument(tx, conversation, "run", { costFrom, entry, task, startedAt: tx.now, turn: 1, submissions })
}

function take(queue: readonly Submission[], mode: QueueMode): readonly Submission[] {
  return mode === "all" ? queue : queue.slice(0, 1)
}

/** The next turn of the run: steers that wait join it. `cuts`: answers in a row that the token limit cut. */
export function nextTurn(tx: Tx, conversation: number, settings: EngineSettings, cuts = 0): void {
  const run = readDocument(tx.live, conversation, "run")
  assert(run !== undefined, `conversation ${conversation} has a turn without a run`)
  const joining = take(queued(tx, conversation, "steer"), settings.steeringMode)
  for (const input of joining) place(tx, input, run.entry)
  const task = addTurn(tx, conversation, cuts)
  const submissions = [...run.submissions, ...joining.map((input) => input.id)]
  writeDocument(tx, conversation, "run", { ...run, task, turn: run.turn + 1, submissions })
}

/** An answer has come: a waiting steer makes it one more turn, else the run ends and a follow-up starts the next. */
export function answered(tx: Tx, conversation: number, answer: number, settings: EngineSettings): void {
  if (queued(tx, conversation, "steer").length > 0) return nextTurn(tx, conversation, settings)
  endRun(tx, conversation, { status: "done", answer })
  const next = take(queued(tx, conversation), settings.followUpMode)
  if (next.length > 0) startRun(tx, conversation, next)
}

/** A run goes on with what is not the person's: an input like any other, once for each turn that would have ended it. */
export function continueRun(tx: Tx, conversation: number, turn: number, text: string, settings: EngineSettings): void {
  const data: InputData = { content: [{ type: "text", text }], mode: "steer" }
  tx.submit({ conversation, requestId: `continue:${turn}`, kind: "input", data })
  nextTurn(tx, conversation, settings)
}

export type RunEnd =
  { readonly status: "done"; readonly answer: number } | { readonly status: "unanswered"; readonly reason: string }

/** Settle the inputs of the run and let the conversation be idle. */
export function endRun(tx: Tx, conversation: number, end: RunEnd): void {
  const run = readDocument(tx.live, conversation, "run")
  if (run === undefined) return
  const fields = end.status === "done" ? { answer: end.answer } : { reason: end.reason }
  for (const id of run.submissions) {
    if (tx.live.submissions.has(id)) tx.setSubmission(id, { status: end.status, ...fields })
  }
  tx.retireDocument(conversation, "run")
  if (end.status === "unanswered" && end.reason !== "aborted") tellQueue(tx, conversation)
}

/** After a failure nothing that waits goes by itself, and whoever comes by is told so. */
function tellQueue(tx: Tx, conversation: number): void {
  const count = queued(tx, conversation).length
  if (count === 0) return
  const text =
    count === 1
      ? "One input still waits: it goes with your next one, or can be sent or taken back."
      : `${count} inputs still wait: they go with your next one, or can be sent or taken back.`
  append(tx, { conversation }, { kind: "notice", level: "warning", code: "queued", text })
}
