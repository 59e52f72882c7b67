/** A host that says what a test lets it say: frames go to who watches, requests are kept and answered by what the test set. */
import { noUsage, type Usage } from "../../src/message/usage.ts"
import { Refusal, type Answers, type Command, type Frame, type Port, type PortChange } from "../../src/protocol/port.ts"
import type {
  ConversationRecord,
  DocumentRecord,
  EntryData,
  EntryRecord,
  SubmissionRecord,
  TaskRecord,
} from "../../src/protocol/records.ts"
import { noStats } from "../../src/protocol/stats.ts"
import type { SessionHit, SessionPreview, SessionsPort, SessionSummary } from "../../src/protocol/sessions.ts"

type Answer = { [K in Command["type"]]?: (command: Extract<Command, { type: K }>) => Answers[K] | Promise<Answers[K]> }

const sessionId = "01930000-0000-7000-8000-00000000cafe"

export class ScriptedHost {
  /** Everything that was asked, in order. */
  readonly asked: Command[] = []
  /** What `list` gives. */
  readonly summaries: SessionSummary[] = []
  /** What `search` gives, whatever is searched for. */
  readonly hits: SessionHit[] = []
  previewed: SessionPreview = { input: "", answer: "" }
  /** What was done to sessions, in order. */
  readonly changes: unknown[] = []
  answers: Answer = {}
  /** Thrown by the next connects instead of a port. */
  failures: string[] = []
  connects = 0
  session = sessionId
  entries: EntryRecord[] = []
  /** Conversations of which the snapshot has not all. */
  older: number[] = []
  conversations: ConversationRecord[] = [{ id: 1, parent: null, owner: null }]
  submissions: SubmissionRecord[] = []
  model = "tour/scripted"
  /** Documents of the snapshot, beside the agent's. */
  documents: DocumentRecord[] = []
  #seq = 1
  #id = 1
  #listeners = new Set<(frame: Frame) => void>()

  readonly sessions: SessionsPort = {
    list: () => Promise.resolve(this.summaries),
    find: () => Promise.resolve({ status: "none", near: [] }),
    search: () => Promise.resolve({ hits: this.hits, more: null, unread: 0 }),
    preview: () => Promise.resolve(this.previewed),
    change: async (id, change) => {
      this.changes.push({ id, ...change })
      const place = this.summaries.findIndex((one) => one.id === id)
      const summary = this.summaries[place]
      if (summary !== undefined) this.summaries[place] = { ...summary, ...change }
    },
    remove: async (id) => void this.changes.push({ id, removed: true }),
    restore: async (id) => void this.changes.push({ id, removed: false }),
  }

  connect(): Promise<Port> {
    this.connects++
    const failure = this.failures.shift()
    if (failure !== undefined) return Promise.reject(new Error(failure))
    const own = new Set<(frame: Frame) => void>()
    return Promise.resolve({
      watch: (listener) => {
        this.#listeners.add(listener)
        own.add(listener)
        listener(this.snapshot())
        return () => this.#listeners.delete(listener)
      },
      request: (command) => this.#answer(command),
      close: () => {
        for (const listener of own) this.#listeners.delete(listener)
        return Promise.resolve()
      },
    })
  }

  snapshot(): Frame {
    return {
      type: "snapshot",
      seq: this.#seq,
      state: {
        session: this.session,
        epoch: 1,
        conversations: this.conversations,
        entries: this.entries,
        older: this.older,
        tasks: [],
        submissions: this.submissions,
        documents: [
          { conversation: 1, name: "agent", value: { model: this.model, thinking: "off", tools: ["read", "bash"] } },
          ...this.documents,
        ],
        spools: [],
        held: null,
        health: { state: "ok", reason: "" },
      },
    }
  }

  say(frame: Frame): void {
    for (const listener of [...this.#listeners]) listener(frame)
  }

  commit(...changes: readonly PortChange[]): void {
    this.say({ type: "commit", seq: ++this.#seq, at: 0, changes })
  }

  id(): number {
    return ++this.#id
  }

  entry(data: EntryData): EntryRecord {
    const entry: EntryRecord = { id: this.id(), conversation: 1, at: 0, byTask: null, data }
    this.entries = [...this.entries, entry]
    this.commit({ type: "entry", entry })
    return entry
  }

  input(text: string): void {
    this.entry({ kind: "user", content: [{ type: "text", text }], submission: this.id() })
  }

  answer(text: string, usage: Usage = noUsage): void {
    this.entry({
      kind: "assistant",
      attempt: 1,
      message: {
        role: "assistant",
        content: [{ type: "text", text }],
        api: "tour",
        provider: "tour",
        model: "scripted",
        usage,
        stopReason: "stop",
        timestamp: 0,
      },
    })
  }

  task(task: Pick<TaskRecord, "work"> & Partial<TaskRecord>): TaskRecord {
    const record: TaskRecord = {
      id: this.id(),
      conversation: 1,
      attempt: 1,
      state: "running",
      startedAt: 0,
      aborting: false,
      ...task,
    }
    this.commit({ type: "task", task: record })
    return record
  }

  /** A run begins: the conversation is busy from now on. */
  begin(startedAt: number): TaskRecord {
    const task = this.task({ startedAt, work: { kind: "generation", phase: "request", model: this.model } })
    const value = { entry: 1, task: task.id, startedAt, turn: 1, submissions: [] }
    this.commit({ type: "document", document: { conversation: 1, name: "run", value } })
    return task
  }

  finish(task: TaskRecord): void {
    this.commit(
      { type: "task", task: { ...task, state: "ended" } },
      { type: "document", document: { conversation: 1, name: "run", value: null } },
    )
  }

  submission(text: string, mode: SubmissionRecord["mode"]): SubmissionRecord {
    const submission: SubmissionRecord = {
      id: this.id(),
      conversation: 1,
      requestId: String(this.#id),
      status: "queued",
      mode,
      content: [{ type: "text", text }],
      entry: null,
      reason: null,
    }
    this.commit({ type: "submission", submission })
    return submission
  }

  lose(reason: string): void {
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener({ type: "lost", reason })
  }

  /** The texts that were submitted, in order. */
  get submitted(): readonly string[] {
    return this.asked
      .filter((command) => command.type === "submit")
      .map(({ content }) => content.map((part) => (part.type === "text" ? part.text : "[image]")).join(""))
  }

  async #answer<C extends Command>(command: C): Promise<Answers[C["type"]]> {
    this.asked.push(command)
    const answers: { readonly [K in Command["type"]]: (command: never) => unknown } = {
      submit: () => ({ submission: this.id(), fresh: true }),
      withdraw: () => ({ content: [] }),
      amend: () => null,
      send: () => ({ sent: 0 }),
      abort: () => null,
      retryNow: () => null,
      resume: () => null,
      configure: () => ({}),
      title: () => null,
      archive: () => null,
      tag: () => null,
      tools: () => [
        { name: "read", description: "Read a file." },
        { name: "bash", description: "Run a command.\nWith more to it." },
      ],
      compact: () => null,
      changes: () => ({ files: [], commands: 0 }),
      undo: () => ({ entry: null, undone: [], refused: [], commands: 0 }),
      shell: () => ({ entry: this.id(), output: "", exit: 0 }),
      entries: () => ({ entries: [], older: false }),
      output: () => ({ text: "", from: 0, bytes: 0, size: 0, ended: true }),
      search: () => ({ hits: [], more: null, down: 0 }),
      screen: () => null,
      models: () => [],
      stats: () => noStats,
      reload: () => ({ notices: [] }),
      context: () => ({ system: "", tokens: 0, parts: [], window: null }),
      fork: () => ({ conversation: this.id() }),
      label: () => null,
      request: () => refuse("No model was asked here."),
    }
    const own: { readonly [K in Command["type"]]?: (command: never) => unknown } = this.answers
    const answer = own[command.type] ?? answers[command.type]
    return (await answer(command as never)) as Answers[C["type"]]
  }
}

export function refuse(message: string): never {
  throw new Refusal("refused", message)
}
