/**
 * What watchers hear: commits, progress, health and the end of work, in one order.
 *
 * - Nothing is told before it is stored: a snapshot is of the newest stored commit, and progress of an attempt waits for the commit that begins it.
 * - A watcher gets a snapshot first, then every later frame. Frames that come while the snapshot's entries are read are held for it.
 * - Progress text of running tasks is kept here (a generation's whole, a call's last 64 KiB), so that a snapshot needs no file.
 * - A listener that throws is a bug; it hears nothing more, and nobody else is harmed.
 */
import { isLive, type Change } from "../ledger/records.ts"
import type { Commit, Ledger } from "../ledger/ledger.ts"
import { liveOutputMax, tail } from "../protocol/view.ts"
import {
  snapshotEntries,
  type Cursor,
  type Frame,
  type HealthState,
  type PortChange,
  type SessionState,
  type SpoolState,
} from "../protocol/port.ts"
import type { AgentDocument, DocumentRecord, EntryRecord } from "../protocol/records.ts"
import type { Piece } from "./core.ts"
import { entryRecord } from "./entries.ts"
import { isPublic, publicChanges, submissionRecord, taskRecord, type PublishContext } from "./publish.ts"
import { StoredState } from "./stored.ts"
import { generationKind } from "./task.ts"

type Watcher = { readonly listener: (frame: Frame) => void; held: Frame[] | null }

/** Commits kept for a watcher that comes back with a cursor. */
const recentMax = 500

export class Feed {
  readonly #ledger: Ledger
  readonly #context: PublishContext
  readonly #report: (text: string) => void
  readonly #held: () => SessionState["held"]
  readonly #watchers = new Set<Watcher>()
  readonly #spools = new Map<number, SpoolState>()
  readonly #stored: StoredState
  /** Progress of attempts whose beginning is not stored yet. */
  #early: Piece[] = []
  #recent: Extract<Frame, { type: "commit" }>[] = []
  /** The last end of all work, and the commit that was it. */
  #settled: { readonly seq: number; readonly frame: Extract<Frame, { type: "settled" }> } | null = null

  constructor(
    ledger: Ledger,
    context: Omit<PublishContext, "model">,
    held: () => SessionState["held"],
    report: (text: string) => void,
  ) {
    this.#ledger = ledger
    const stored = new StoredState(ledger.live, ledger.seq)
    this.#context = { ...context, model: (conversation) => modelOf(stored, conversation) }
    this.#held = held
    this.#report = report
    this.#stored = stored
  }

  /** A commit that was stored; the end of all work is told behind it. */
  commit(commit: Commit): void {
    const worked = this.#stored.works()
    this.#stored.apply(commit)
    for (const change of commit.changes) {
      if (change.type !== "task") continue
      const spool = this.#spools.get(change.task.id)
      if (spool !== undefined && (!isLive(change.task) || spool.attempt !== change.task.attempt)) {
        this.#spools.delete(change.task.id)
      }
    }
    const frame = {
      type: "commit",
      seq: commit.seq,
      at: commit.at,
      changes: [...publicChanges(commit.changes, this.#context), ...this.#turnsOf(commit)],
    } as const
    this.#recent.push(frame)
    if (this.#recent.length > 2 * recentMax) this.#recent = this.#recent.slice(-recentMax)
    this.tell(frame)
    for (const piece of this.#early.splice(0)) this.progress(piece)
    const ended = runEnded(commit.changes)
    // Work without a run, such as a compaction, ends too.
    if (this.#stored.works() || (!worked && ended === undefined)) return
    this.#settled = { seq: commit.seq, frame: { type: "settled", aborted: ended === "unanswered" } }
    this.tell(this.#settled.frame)
  }

  /** Turns whose model another choice has changed: their records say which it is. */
  #turnsOf({ changes }: Commit): readonly PortChange[] {
    const chosen = changes.flatMap((change) =>
      change.type === "document" && change.document.name === "agent" ? [change.document.conversation] : [],
    )
    if (chosen.length === 0) return []
    const told = new Set(changes.flatMap((change) => (change.type === "task" ? [change.task.id] : [])))
    return [...this.#stored.tasks.values()]
      .filter(({ id, kind, conversation }) => kind === generationKind && chosen.includes(conversation) && !told.has(id))
      .map((task) => ({ type: "task", task: taskRecord(task, this.#context) }))
  }

  progress(piece: Piece): void {
    const { task, attempt, at, bytes, text, unsaved } = piece
    if (this.#ledger.live.tasks.get(task)?.attempt !== attempt) return
    const known = this.#stored.tasks.get(task)
    if (known?.attempt !== attempt) return void this.#early.push(piece)
    const before = this.#spools.get(task)
    const all = before !== undefined && spoolEnd(before) === at ? before.text + text : text
    const whole = known.kind === generationKind
    const kept = whole ? all : tail(all, liveOutputMax)
    const end = at + bytes
    this.#spools.set(task, { task, attempt, ...placed(kept, end) })
    const told = { task, attempt, ...placed(text, end, bytes), ...(unsaved ? { unsaved } : {}) }
    this.tell({ type: "progress", seq: this.#stored.seq, ...told })
  }

  tell(frame: Frame): void {
    for (const watcher of this.#watchers) {
      if (watcher.held !== null) watcher.held.push(frame)
      else this.#deliver(watcher, frame)
    }
  }

  watch(listener: (frame: Frame) => void, cursor?: Cursor): () => void {
    const watcher: Watcher = { listener, held: [] }
    this.#watchers.add(watcher)
    const missed = this.#since(cursor)
    if (missed !== undefined) {
      watcher.held = null
      for (const frame of [...missed, ...this.#running()]) this.#deliver(watcher, frame)
    } else {
      this.#snapshot(watcher).catch((error: unknown) => {
        this.#deliver(watcher, { type: "lost", reason: `The session could not be read: ${String(error)}` })
        this.#watchers.delete(watcher)
      })
    }
    return () => void this.#watchers.delete(watcher)
  }

  /** Commits after the cursor, where all of them are still known. */
  #since(cursor: Cursor | undefined): readonly Frame[] | undefined {
    if (cursor === undefined || cursor.epoch !== this.#ledger.epoch || cursor.seq > this.#stored.seq) return undefined
    const missed = this.#recent.filter((frame) => frame.seq > cursor.seq)
    const first = this.#recent[0]
    const known = cursor.seq === this.#stored.seq || (first !== undefined && first.seq <= cursor.seq + 1)
    if (!known) return undefined
    const settled = this.#settled
    if (settled === null || settled.seq <= cursor.seq || this.#stored.works()) return missed
    return [...missed, settled.frame]
  }

  /** Progress so far, as frames: a watcher that comes back takes the spools from their start. */
  #running(): readonly Frame[] {
    return [...this.#spools.values()].map((spool) => ({ type: "progress", seq: this.#stored.seq, ...spool }))
  }

  async #snapshot(watcher: Watcher): Promise<void> {
    const read = new Map<number, EntryRecord>()
    const older: number[] = []
    for (const conversation of [...this.#stored.conversations.keys()]) {
      const page = await this.#ledger.entries({ conversation, limit: snapshotEntries + 1 })
      if (page.length > snapshotEntries) older.push(conversation)
      for (const entry of page.slice(-snapshotEntries)) read.set(entry.id, entryRecord(entry))
    }
    // From here to the delivery nothing waits: state, held commits and entries belong to one moment.
    const held = watcher.held ?? []
    watcher.held = null
    for (const frame of held) {
      if (frame.type !== "commit") continue
      for (const change of frame.changes) if (change.type === "entry") read.set(change.entry.id, change.entry)
    }
    const entries = [...read.values()].filter(({ id }) => id <= this.#stored.entry).sort((a, b) => a.id - b.id)
    this.#deliver(watcher, { type: "snapshot", seq: this.#stored.seq, state: this.#state(entries, older) })
    // What a snapshot does not say.
    for (const frame of held) if (frame.type === "settled" || frame.type === "lost") this.#deliver(watcher, frame)
  }

  #state(entries: readonly EntryRecord[], older: readonly number[]): SessionState {
    const stored = this.#stored
    return {
      session: this.#ledger.session,
      epoch: this.#ledger.epoch,
      conversations: [...stored.conversations.values()].map(({ id, parent, owner }) => ({ id, parent, owner })),
      entries,
      older,
      tasks: [...stored.tasks.values()].map((task) => taskRecord(task, this.#context)),
      submissions: [...stored.submissions.values()].map(submissionRecord),
      documents: [...stored.documents()].filter(({ name }) => isPublic(name)) as unknown as DocumentRecord[],
      spools: [...this.#spools.values()],
      held: this.#held(),
      health: healthState(this.#ledger),
    }
  }

  #deliver(watcher: Watcher, frame: Frame): void {
    try {
      watcher.listener(frame)
    } catch (error) {
      this.#watchers.delete(watcher)
      this.#report(`a watcher failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
}

/** `text` up to byte `end`; `bytes` is told only where it is not the text's own length. */
function placed(text: string, end: number, size?: number): Pick<SpoolState, "at" | "text" | "bytes"> {
  const own = Buffer.byteLength(text)
  const bytes = size ?? Math.min(own, end)
  return { at: end - bytes, text, ...(bytes === own ? {} : { bytes }) }
}

function spoolEnd({ at, text, bytes }: SpoolState): number {
  return at + (bytes ?? Buffer.byteLength(text))
}

function modelOf(stored: StoredState, conversation: number): string {
  const agent = stored.document(conversation, "agent")?.value as AgentDocument | undefined
  return agent?.model ?? ""
}

/** How the last run of a batch of changes ended; undefined where none did. */
function runEnded(changes: readonly Change[]): "answered" | "unanswered" | undefined {
  for (const change of changes.toReversed()) {
    if (change.type !== "submission") continue
    if (change.submission.status === "done") return "answered"
    if (change.submission.status === "unanswered") return "unanswered"
  }
  return undefined
}

export function healthState(ledger: Ledger): HealthState {
  const health = ledger.health()
  return { state: health.state, reason: health.state === "ok" ? "" : health.reason }
}
