/**
 * Clients: what each of them was told, and whether it makes sense.
 *
 * - What is told must have been stored, comes in order and without gaps, and is the same for everybody who is told the same commit.
 * - What a client has put together from frames must be what a fresh snapshot shows.
 */
import type { Frame, Port } from "../../src/protocol/port.ts"
import type { EntryRecord, SubmissionRecord } from "../../src/protocol/records.ts"
import { applyFrame, emptyView, type View } from "../../src/protocol/view.ts"
import { stableText, type Json } from "../../src/std/json.ts"
import type { Life } from "./life.ts"
import type { World } from "./world.ts"

/** What has been told to anybody; a power cut may take back what was not flushed. */
export class Told {
  readonly #world: World
  readonly #commits = new Map<number, string>()
  readonly entries = new Map<number, { readonly seq: number; readonly text: string }>()
  readonly submissions = new Map<number, { readonly seq: number; readonly record: SubmissionRecord }>()
  seq = 0

  constructor(world: World) {
    this.#world = world
  }

  hear(frame: Frame): void {
    if (frame.type === "snapshot") {
      this.seq = Math.max(this.seq, frame.seq)
      for (const entry of frame.state.entries) this.#entry(frame.seq, entry)
      for (const record of frame.state.submissions) this.#submission(frame.seq, record)
    }
    if (frame.type !== "commit") return
    this.seq = Math.max(this.seq, frame.seq)
    const text = stableText(frame.changes as unknown as Json)
    const before = this.#commits.get(frame.seq)
    if (before !== undefined && before !== text) this.#world.problem(`commit ${frame.seq} was told in two ways`)
    this.#commits.set(frame.seq, text)
    for (const change of frame.changes) {
      if (change.type === "entry") this.#entry(frame.seq, change.entry)
      if (change.type === "submission") this.#submission(frame.seq, change.submission)
    }
  }

  /** Whatever is newer than `seq` was told and is not so: nobody promised that it would last. */
  forget(seq: number): void {
    for (const at of this.#commits.keys()) if (at > seq) this.#commits.delete(at)
    for (const [id, told] of this.entries) if (told.seq > seq) this.entries.delete(id)
    for (const [id, told] of this.submissions) if (told.seq > seq) this.submissions.delete(id)
    this.seq = Math.min(this.seq, seq)
  }

  #entry(seq: number, entry: EntryRecord): void {
    const text = stableText(entry as unknown as Json)
    const before = this.entries.get(entry.id)
    if (before !== undefined && before.text !== text) this.#world.problem(`e${entry.id} was told in two ways`)
    if (before === undefined) this.entries.set(entry.id, { seq, text })
  }

  #submission(seq: number, record: SubmissionRecord): void {
    const before = this.submissions.get(record.id)
    if (before !== undefined && before.seq > seq) return
    const order = ["queued", "placed", "done"]
    const rank = (it: SubmissionRecord): number => Math.max(order.indexOf(it.status), it.status === "queued" ? 0 : 1)
    if (before !== undefined && rank(record) < rank(before.record)) {
      this.#world.problem(`s${record.id} went from ${before.record.status} back to ${record.status}`)
    }
    this.submissions.set(record.id, { seq, record })
  }
}

/** What two views must agree on. */
export function picture(view: View): string {
  const byKey = <V>(map: ReadonlyMap<string | number, V>): readonly [string, V][] =>
    [...map].map(([key, value]): [string, V] => [String(key), value]).sort(([a], [b]) => (a < b ? -1 : 1))
  const progress = byKey(view.progress).map(([task, it]) => {
    const shown = it.kind === "generation" ? it.partial : it.text
    return { task, kind: it.kind, attempt: it.attempt, size: it.size, shown }
  })
  const open = byKey(view.submissions).filter(([, it]) => it.status === "queued" || it.status === "placed")
  const documents = byKey(view.documents).filter(([, it]) => it.value !== null)
  const { seq, entries } = view
  return JSON.stringify({ seq, entries, tasks: byKey(view.tasks), progress, open, documents }, null, 1)
}

export class Client {
  readonly name: string
  readonly #world: World
  readonly #told: Told
  view: View = emptyView
  /** True once it has what a client of this life knows. */
  ready = false
  /** False while it knows of work whose end it was not told. */
  settled = true
  #stop: (() => void) | null = null
  #life: Life | null = null

  constructor(name: string, world: World, told: Told) {
    this.name = name
    this.#world = world
    this.#told = told
  }

  get connected(): boolean {
    return this.#stop !== null
  }

  /** Watches; with the place where it stopped before, if `resumes`. */
  connect(life: Life, port: Port, resumes: boolean): void {
    const { epoch, seq } = this.view
    const cursor = resumes && seq > 0 ? { epoch, seq } : undefined
    const goesOn = cursor !== undefined && epoch === life.ledger?.epoch
    this.ready = false
    this.settled = true
    this.#life = life
    this.#stop = port.watch((frame) => this.#hear(life, frame), cursor)
    this.ready ||= goesOn && this.view.seq === life.storedSeq
  }

  drop(): void {
    this.#stop?.()
    this.#stop = null
    this.ready = false
  }

  #hear(life: Life, frame: Frame): void {
    if (life.dead || this.#life !== life) return
    life.op(`before ${this.name} hears of ${frame.type}`)
    if (life.dead) return
    this.#check(life, frame)
    this.#told.hear(frame)
    this.view = applyFrame(this.view, frame)
    if (frame.type === "snapshot") this.ready = true
    if (frame.type === "settled") this.settled = true
    if (frame.type === "commit" && frame.changes.some(({ type }) => type === "task")) this.settled = false
  }

  #check(life: Life, frame: Frame): void {
    const wrong = (text: string): void => this.#world.problem(`${this.name} ${text}`)
    if (frame.type === "snapshot" || frame.type === "commit") {
      if (frame.seq > life.storedSeq) wrong(`was told of commit ${frame.seq} before it was stored`)
    }
    if (frame.type === "commit") {
      if (this.ready && frame.seq !== this.view.seq + 1) wrong(`was told of commit ${frame.seq} after ${this.view.seq}`)
      return
    }
    if (frame.type !== "progress") return
    const task = this.view.tasks.get(frame.task)
    if (task === undefined || task.attempt !== frame.attempt) {
      return wrong(`was told progress of t${frame.task}.${frame.attempt}, which it does not know`)
    }
    const before = this.view.progress.get(frame.task)
    const size = before?.attempt === frame.attempt ? before.size : 0
    if (this.ready && frame.at > size) wrong(`misses progress of t${frame.task}: ${size} to ${frame.at}`)
  }
}
