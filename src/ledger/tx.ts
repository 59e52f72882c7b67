/**
 * What the callback of a commit may do: it changes live state at once and notes the changes, one for each record, as it
 * was left.
 *
 * - Everything that it is told is checked here and a mistake is a Bug, so that storage has only weather to report.
 * - It is of no use after its callback has returned: every method and property then throws.
 */
import { assert } from "../std/assert.ts"
import type { Json, JsonObject } from "../std/json.ts"
import type { Live, NewTask, Tx } from "./ledger.ts"
import { endStatuses } from "./records.ts"
import type { Change, Conversation, ConversationId, Entry, Submission, SubmissionId, Task, TaskId } from "./records.ts"
import { isOpen } from "./state.ts"
import type { State } from "./state.ts"
import { strict, word } from "./strict.ts"

type FindSubmission = (conversation: ConversationId, requestId: string) => Submission | undefined
type EntryFields = Parameters<Tx["addEntry"]>[0]
type SubmissionFields = Parameters<Tx["submit"]>[0]
const none: JsonObject = strict({})

export class Transaction implements Tx {
  readonly #state: State
  readonly #now: number
  readonly #find: FindSubmission
  readonly #changes = new Map<string, Change>()
  #usable = true

  /** `find` looks among the submissions that are not alive any more. */
  constructor(state: State, now: number, find: FindSubmission) {
    this.#state = state
    this.#now = now
    this.#find = find
  }

  get live(): Live {
    this.#check()
    return this.#state
  }

  get now(): number {
    this.#check()
    return this.#now
  }

  /** Ends its use; returns what was changed, in the order in which each record was first touched. */
  end(): readonly Change[] {
    this.#usable = false
    return [...this.#changes.values()]
  }

  addConversation(fields: Pick<Conversation, "parent" | "owner">): Conversation {
    this.#check()
    const { parent, owner } = fields
    if (parent !== null) this.#knows(parent.conversation)
    if (owner !== null) assert(this.#state.tasks.has(owner.task), `task ${owner.task} is alive to own a conversation`)
    const conversation = Object.freeze({
      id: this.#mint(),
      at: this.#now,
      parent: parent === null ? null : Object.freeze({ conversation: parent.conversation, entry: parent.entry }),
      owner: owner === null ? null : Object.freeze({ conversation: owner.conversation, task: owner.task }),
    })
    this.#note(`c${conversation.id}`, { type: "conversation", conversation })
    return conversation
  }

  addEntry(fields: EntryFields): Entry {
    this.#check()
    this.#knows(fields.conversation)
    const data = strict(fields.data, `the data of a ${fields.kind}`)
    const id = this.#mint()
    const head = fields.head === "self" ? id : (fields.head ?? null)
    assert(head === null || (head > 0 && head <= id), `entry ${id} heads an entry that is there: ${head}`)
    const entry = Object.freeze({
      id,
      conversation: fields.conversation,
      at: this.#now,
      kind: word(fields.kind, "a kind"),
      head,
      byTask: fields.byTask ?? null,
      data,
    })
    this.#note(`e${id}`, { type: "entry", entry })
    return entry
  }

  addTask(fields: NewTask): Task {
    this.#check()
    this.#knows(fields.conversation)
    const owner = fields.owner ?? null
    assert(owner === null || this.#state.tasks.has(owner), `task ${owner} is alive to own another`)
    return this.#putTask({
      id: this.#mint(),
      conversation: fields.conversation,
      kind: fields.kind,
      version: fields.version,
      status: "pending",
      owner,
      background: fields.background ?? false,
      abort: null,
      attempt: 1,
      restarts: 0,
      startedAt: this.#now,
      endedAt: null,
      input: fields.input,
      phase: fields.phase,
      checkpoint: fields.checkpoint,
      facts: none,
      outcome: null,
    })
  }

  setTask(id: TaskId, fields: Parameters<Tx["setTask"]>[1]): Task {
    this.#check()
    const before = this.#state.tasks.get(id)
    assert(before, `task ${id} is alive to be changed`)
    const moved = (fields.phase ?? before.phase) !== before.phase || fields.checkpoint !== undefined
    const task = { ...before, ...(moved ? { restarts: 0 } : {}), ...fields }
    const ended = (endStatuses as readonly string[]).includes(task.status)
    if (!ended) return this.#putTask({ ...task, endedAt: null })
    return this.#putTask({ ...task, endedAt: this.#now, checkpoint: none, facts: none })
  }

  submit(fields: SubmissionFields): { readonly submission: Submission; readonly fresh: boolean } {
    this.#check()
    this.#knows(fields.conversation)
    const requestId = word(fields.requestId, "a request id")
    const found = this.#submitted(fields.conversation, requestId)
    if (found) return { submission: found, fresh: false }
    const submission: Submission = Object.freeze({
      id: this.#mint(),
      conversation: fields.conversation,
      requestId,
      kind: word(fields.kind, "a kind"),
      status: "queued",
      at: this.#now,
      data: strict(fields.data, `the data of a ${fields.kind}`),
      entry: null,
      answer: null,
      reason: null,
    })
    this.#note(`s${submission.id}`, { type: "submission", submission })
    return { submission, fresh: true }
  }

  setSubmission(id: SubmissionId, fields: Parameters<Tx["setSubmission"]>[1]): Submission {
    this.#check()
    const before = this.#state.submissions.get(id)
    assert(before, `submission ${id} is queued or placed, so that it can be changed`)
    const data = strict(fields.data ?? before.data, `the data of submission ${id}`)
    const submission: Submission = Object.freeze({ ...before, ...fields, data })
    this.#note(`s${id}`, { type: "submission", submission })
    return submission
  }

  setDocument(conversation: ConversationId | 0, name: string, value: Json, version = 1): void {
    this.#check()
    if (conversation !== 0) this.#knows(conversation)
    const document = Object.freeze({
      conversation,
      name: word(name, "the name of a document"),
      version,
      value: strict(value, `the document ${name}`),
    })
    this.#note(`d${conversation} ${name}`, { type: "document", document })
  }

  retireDocument(conversation: ConversationId | 0, name: string): void {
    this.#check()
    assert(this.#state.document(conversation, name), `the document ${name} is there to be retired`)
    this.#note(`d${conversation} ${name}`, { type: "retire", conversation, name })
  }

  #putTask(fields: Task): Task {
    const what = `task ${fields.id}`
    const task: Task = Object.freeze({
      ...fields,
      kind: word(fields.kind, "a kind"),
      phase: word(fields.phase, "a phase"),
      abort: strict(fields.abort, `the abort of ${what}`),
      input: strict(fields.input, `the input of ${what}`),
      checkpoint: strict(fields.checkpoint, `the checkpoint of ${what}`),
      facts: strict(fields.facts, `the facts of ${what}`),
      outcome: strict(fields.outcome, `the outcome of ${what}`),
    })
    this.#note(`t${task.id}`, { type: "task", task })
    return task
  }

  #submitted(conversation: ConversationId, requestId: string): Submission | undefined {
    for (const it of this.#state.submissions.values()) {
      if (it.conversation === conversation && it.requestId === requestId) return it
    }
    for (const it of this.#changes.values()) {
      if (it.type !== "submission" || isOpen(it.submission)) continue
      if (it.submission.conversation === conversation && it.submission.requestId === requestId) return it.submission
    }
    return this.#find(conversation, requestId)
  }

  #check(): void {
    assert(this.#usable, "a transaction is used inside its callback only")
  }

  #knows(conversation: ConversationId): void {
    assert(this.#state.conversations.has(conversation), `there is a conversation ${conversation}`)
  }

  #mint(): number {
    const id = this.#state.nextId
    assert(Number.isSafeInteger(id + 1), "ids are left")
    this.#state.nextId = id + 1
    return id
  }

  #note(key: string, change: Change): void {
    this.#changes.set(key, change)
    this.#state.apply(change)
  }
}
