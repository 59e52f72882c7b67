/**
 * The inbox: what people hand to a conversation.
 *
 * - An input is queued, placed in the transcript, or withdrawn; never two of these. The same request id is the same input.
 * - While it is queued it can be changed, taken back or sent at once; its place in the order stays.
 * - Into an idle conversation it is placed at once, behind whatever a failed run left queued; into a busy one it waits for a boundary.
 * - The first input of a session gives it its title.
 */
import type { Ledger, Receipt, Tx } from "../ledger/ledger.ts"
import type { Submission } from "../ledger/records.ts"
import type { UserPart } from "../message/message.ts"
import type { SubmitMode } from "../protocol/records.ts"
import { Refusal } from "../protocol/port.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { inputOf, queued, startRun, type InputData } from "./run.ts"

const titleCharactersMax = 80

/** The first line of an input, short enough for a list. */
export function titleOf(content: readonly UserPart[]): string {
  const text = content.map((part) => (part.type === "text" ? part.text : "[image]")).join(" ")
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? ""
  const characters = [...line.trim()]
  return characters.length > titleCharactersMax
    ? `${characters.slice(0, titleCharactersMax - 1).join("")}…`
    : line.trim()
}

export type Input = {
  readonly conversation: number
  readonly requestId: string
  readonly content: readonly UserPart[]
  readonly mode: SubmitMode
}

/** Names a session that has no name yet, or only that of a command. */
export function entitle(tx: Tx, title: string, provisional: boolean): void {
  const session = readDocument(tx.live, 0, "session")
  if (session === undefined || session.titled === true) return
  if (session.title === "" || (session.provisional === true && !provisional))
    writeDocument(tx, 0, "session", { ...session, title, provisional: provisional ? true : undefined })
}

/** Admit an input: flushed before anybody is told. */
export function admit(ledger: Ledger, input: Input): Receipt<{ readonly submission: number; readonly fresh: boolean }> {
  if (!ledger.live.conversations.has(input.conversation)) {
    throw new Refusal("no_conversation", `There is no conversation c${input.conversation} in this session.`)
  }
  refuseEmpty(input.content)
  const { conversation, requestId, content, mode } = input
  return ledger.commit("flushed", (tx) => {
    const { submission, fresh } = tx.submit({ conversation, requestId, kind: "input", data: { content, mode } })
    if (!fresh) return { submission: submission.id, fresh }
    entitle(tx, titleOf(content), false)
    if (readDocument(tx.live, conversation, "run") === undefined) startRun(tx, conversation, queued(tx, conversation))
    return { submission: submission.id, fresh }
  })
}

function refuseEmpty(content: readonly UserPart[]): void {
  const empty = content.every((part) => part.type === "text" && part.text.trim() === "")
  if (empty) throw new Refusal("empty_input", "The input is empty: write what the agent should do.")
}

function queuedInput(tx: Tx, id: number): Submission {
  const submission = tx.live.submissions.get(id)
  if (submission?.status === "queued") return submission
  throw new Refusal("not_queued", "That input is not queued any more: the agent has it already, or it was taken back.")
}

/** Take a queued input back. */
export function withdraw(ledger: Ledger, id: number): Receipt<{ readonly content: readonly UserPart[] }> {
  return ledger.commit("flushed", (tx) => {
    const submission = queuedInput(tx, id)
    tx.setSubmission(id, { status: "withdrawn", reason: "taken back" })
    return { content: inputOf(submission).content }
  })
}

/** Change a queued input where it stands. */
export function amend(ledger: Ledger, id: number, change: Partial<InputData>): Receipt<null> {
  if (change.content !== undefined) refuseEmpty(change.content)
  return ledger.commit("flushed", (tx) => {
    const before = inputOf(queuedInput(tx, id))
    const { content = before.content, mode = before.mode } = change
    tx.setSubmission(id, { data: { ...before, content, mode } })
    return null
  })
}

/** Let all that is queued go now: as steers of the running work, or as a run of their own. */
export function send(ledger: Ledger, conversation: number): Receipt<{ readonly sent: number }> {
  return ledger.commit("flushed", (tx) => {
    const waiting = queued(tx, conversation)
    if (waiting.length === 0) return { sent: 0 }
    if (readDocument(tx.live, conversation, "run") === undefined) startRun(tx, conversation, waiting)
    else for (const item of waiting) tx.setSubmission(item.id, { data: { ...inputOf(item), mode: "steer" } })
    return { sent: waiting.length }
  })
}
