/**
 * What a client knows: a pure fold of frames. The screen, print and JSON modes read this and nothing else.
 *
 * - A snapshot replaces everything; a commit replaces records by id; progress is folded per (task, attempt).
 * - A new attempt of a task, and its end, drop what its progress had built.
 * - Entries are in order of id, each once, also when pages of older ones arrive late.
 */
import { emptyPartial, fold, type Delta, type Partial } from "../message/delta.ts"
import { parseJson } from "../std/json.ts"
import type { Frame, HealthState, PortChange, SessionState } from "./port.ts"
import type {
  AgentDocument,
  ConversationRecord,
  DocumentRecord,
  EntryRecord,
  RunDocument,
  SessionDocument,
  SubmissionRecord,
  TaskRecord,
  UsageDocument,
} from "./records.ts"

/** Live output kept of one call: the rest is read from the host. */
export const liveOutputMax = 64 * 1024

/** What a running task has shown so far. `size` is the bytes of its spool up to the end of what is known. */
export type Progress =
  | { readonly kind: "generation"; readonly attempt: number; readonly size: number; readonly partial: Partial }
  | {
      readonly kind: "output"
      readonly attempt: number
      readonly size: number
      readonly text: string
      readonly unsaved: boolean
    }

export type View = {
  readonly session: string
  readonly epoch: number
  readonly seq: number
  readonly conversations: ReadonlyMap<number, ConversationRecord>
  readonly entries: readonly EntryRecord[]
  readonly older: ReadonlySet<number>
  readonly tasks: ReadonlyMap<number, TaskRecord>
  readonly progress: ReadonlyMap<number, Progress>
  readonly submissions: ReadonlyMap<number, SubmissionRecord>
  readonly documents: ReadonlyMap<string, DocumentRecord>
  readonly held: SessionState["held"]
  readonly health: HealthState
  readonly lost: string | null
}

export const emptyView: View = {
  session: "",
  epoch: 0,
  seq: 0,
  conversations: new Map(),
  entries: [],
  older: new Set(),
  tasks: new Map(),
  progress: new Map(),
  submissions: new Map(),
  documents: new Map(),
  held: null,
  health: { state: "ok", reason: "" },
  lost: null,
}

/** The spool text of a generation is one JSON delta a line. */
export function deltasOf(text: string): readonly Delta[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(line) as Delta | undefined)
    .filter((delta) => delta !== undefined)
}

const encoder = new TextEncoder()

/** The last `max` code units of `text`, never beginning inside a surrogate pair. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text
  const cut = text.slice(-max)
  const first = cut.charCodeAt(0)
  return first >= 0xdc00 && first <= 0xdfff ? cut.slice(1) : cut
}

type Piece = { task: number; attempt: number; at: number; text: string; bytes?: number; unsaved?: boolean }

function addProgress(before: Progress | undefined, task: TaskRecord | undefined, piece: Piece): Progress {
  // A piece from before what is known is told again from there, after a lost connection: it replaces.
  const same = before?.attempt === piece.attempt && piece.at >= before.size ? before : undefined
  const size = piece.at + (piece.bytes ?? encoder.encode(piece.text).length)
  if (task?.work.kind === "generation") {
    const partial = same?.kind === "generation" ? same.partial : emptyPartial
    return { kind: "generation", attempt: piece.attempt, size, partial: deltasOf(piece.text).reduce(fold, partial) }
  }
  // Of an output, what is known is one stretch up to `size`: a piece from further on has passed over what is between.
  const goesOn = same?.kind === "output" && piece.at === same.size
  const text = tail((goesOn ? same.text : "") + piece.text, liveOutputMax)
  const unsaved = piece.unsaved === true || (same?.kind === "output" && same.unsaved)
  return { kind: "output", attempt: piece.attempt, size, text, unsaved }
}

function insertEntries(entries: readonly EntryRecord[], more: readonly EntryRecord[]): readonly EntryRecord[] {
  const last = entries.at(-1)?.id ?? 0
  if (more.every((entry, place) => entry.id > (more[place - 1]?.id ?? last))) return [...entries, ...more]
  const byId = new Map([...entries, ...more].map((entry) => [entry.id, entry]))
  return [...byId.values()].sort((a, b) => a.id - b.id)
}

/** A page of older entries that the client asked for. */
export function addOlder(view: View, conversation: number, page: readonly EntryRecord[], older: boolean): View {
  const rest = new Set(view.older)
  if (older) rest.add(conversation)
  else rest.delete(conversation)
  return { ...view, entries: insertEntries(view.entries, page), older: rest }
}

export function documentKey(conversation: number, name: string): string {
  return `${conversation}/${name}`
}

function applyChanges(view: View, changes: readonly PortChange[]): View {
  const entries = changes.filter((change) => change.type === "entry").map((change) => change.entry)
  const conversations = new Map(view.conversations)
  const tasks = new Map(view.tasks)
  const progress = new Map(view.progress)
  const submissions = new Map(view.submissions)
  const documents = new Map(view.documents)
  for (const change of changes) {
    if (change.type === "conversation") conversations.set(change.conversation.id, change.conversation)
    if (change.type === "document")
      documents.set(documentKey(change.document.conversation, change.document.name), change.document)
    if (change.type === "submission") submissions.set(change.submission.id, change.submission)
    if (change.type !== "task") continue
    const { task } = change
    if (task.state === "ended") tasks.delete(task.id)
    else tasks.set(task.id, task)
    if (task.state === "ended" || progress.get(task.id)?.attempt !== task.attempt) progress.delete(task.id)
  }
  return {
    ...view,
    conversations,
    entries: insertEntries(view.entries, entries),
    tasks,
    progress,
    submissions,
    documents,
  }
}

function fromSnapshot(seq: number, state: SessionState): View {
  const tasks = new Map(state.tasks.map((task) => [task.id, task]))
  return {
    session: state.session,
    epoch: state.epoch,
    seq,
    conversations: new Map(state.conversations.map((conversation) => [conversation.id, conversation])),
    entries: state.entries.toSorted((a, b) => a.id - b.id),
    older: new Set(state.older),
    tasks,
    progress: new Map(state.spools.map((spool) => [spool.task, addProgress(undefined, tasks.get(spool.task), spool)])),
    submissions: new Map(state.submissions.map((submission) => [submission.id, submission])),
    documents: new Map(
      state.documents.map((document) => [documentKey(document.conversation, document.name), document]),
    ),
    held: state.held,
    health: state.health,
    lost: null,
  }
}

/** `view` after one frame. */
export function applyFrame(view: View, frame: Frame): View {
  switch (frame.type) {
    case "snapshot":
      return fromSnapshot(frame.seq, frame.state)
    case "commit":
      return { ...applyChanges(view, frame.changes), seq: frame.seq }
    case "progress": {
      const progress = new Map(view.progress)
      progress.set(frame.task, addProgress(progress.get(frame.task), view.tasks.get(frame.task), frame))
      return { ...view, progress }
    }
    case "health":
      return { ...view, health: frame.health }
    case "settled":
      return view
    case "lost":
      return { ...view, lost: frame.reason }
  }
}

export const sessionOf = (view: View): SessionDocument | undefined =>
  view.documents.get(documentKey(0, "session"))?.value as SessionDocument | undefined

export const agentOf = (view: View, conversation: number): AgentDocument | undefined =>
  view.documents.get(documentKey(conversation, "agent"))?.value as AgentDocument | undefined

export const runOf = (view: View, conversation: number): RunDocument | undefined =>
  (view.documents.get(documentKey(conversation, "run"))?.value ?? undefined) as RunDocument | undefined

export const usageOf = (view: View, conversation: number): UsageDocument | undefined =>
  view.documents.get(documentKey(conversation, "usage"))?.value as UsageDocument | undefined

/** Inputs that wait, in the order in which they will be placed. */
export function queueOf(view: View, conversation: number): readonly SubmissionRecord[] {
  return [...view.submissions.values()]
    .filter((submission) => submission.conversation === conversation && submission.status === "queued")
    .sort((a, b) => a.id - b.id)
}
