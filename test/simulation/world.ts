/** What a simulation consists of, and what it notes: its trace, its faults, and what was wrong. */
import { join } from "node:path"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { Task } from "../../src/ledger/records.ts"
import type { Batch } from "../../src/ledger/storage.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { Chance } from "./chance.ts"
import { Lasting, real } from "./disk.ts"
import { copyFolder, type Life } from "./life.ts"
import { SimModel } from "./model.ts"
import { Outside } from "./outside.ts"
import { Schedule } from "./schedule.ts"

/** Bugs that are put in on purpose, at the edge of the program, to see whether they are found. */
export type Planted = {
  /** Storage flushes nothing, whatever it is asked for. */
  readonly noFlush: boolean
  /** A tool that must not run twice says that it may. */
  readonly wrongClass: boolean
  /** A tool waits for ever for something that does not come, and looks again and again. */
  readonly endless: boolean
}

export const nothingPlanted: Planted = { noFlush: false, wrongClass: false, endless: false }

/** Lines of the trace that are kept: what led to a failure is near it. */
const traceMax = 2_000

/** Operations of one simulation before it counts as one that never ends; a long one takes a tenth of them. */
const spentMax = 400_000

export class Counts extends Map<string, number> {
  add(name: string, count = 1): void {
    this.set(name, (this.get(name) ?? 0) + count)
  }
}

export class World {
  readonly seed: number
  readonly planted: Planted
  readonly chance: Chance
  readonly schedule: Schedule
  readonly root: string
  readonly dataDir: string
  readonly work: string
  readonly id: string
  readonly outside: Outside
  readonly model: SimModel
  readonly lasting: Lasting
  readonly problems: string[] = []
  readonly faults = new Counts()
  /** What people and tools did. */
  readonly works = new Counts()
  /** Where processes died. */
  readonly moments = new Counts()
  /** The commit that marked each call. */
  readonly marks = new Map<number, number>()
  life: Life | null = null
  /** Faults and wild work; afterwards everything comes to rest. */
  storm = true
  fullUntil = 0
  /** By task: the hash of the request that an interrupted turn must send again. */
  readonly due = new Map<number, string>()
  /** When each input was to go, by its request id; `send` changes that. */
  readonly modes = new Map<string, string>()
  /** Request ids of inputs that were changed while they were queued. */
  readonly amended = new Set<string>()
  #trace: string[] = []
  #spent = 0

  /** `root`: a folder of its own, empty. */
  constructor(seed: number, planted: Planted, root: string) {
    this.seed = seed
    this.planted = planted
    this.root = root
    this.chance = new Chance(seed)
    this.schedule = new Schedule(this.chance, () => this.spend())
    this.dataDir = join(root, "data")
    this.work = join(root, "work")
    real.mkdirSync(this.dataDir)
    real.mkdirSync(this.work)
    this.id = uuidv7(
      this.schedule.wall,
      Uint8Array.from({ length: 16 }, () => this.chance.below(256)),
    )
    this.outside = new Outside(this)
    this.model = new SimModel(this)
    this.lasting = new Lasting(this.work, (path) => this.outside.fileChanged(path))
  }

  get diskIsFull(): boolean {
    return this.storm && this.schedule.now < this.fullUntil
  }

  get ledger(): Ledger | null {
    return this.life?.ledger ?? null
  }

  get sessionFolder(): string {
    return sessionPaths(this.dataDir, this.id).folder
  }

  get imageFolder(): string {
    return join(this.root, "image")
  }

  get trace(): readonly string[] {
    return this.#trace
  }

  say(line: string): void {
    const seconds = (this.schedule.now / 1_000).toFixed(3)
    this.#trace.push(`${seconds} L${this.life?.number ?? 0} ${line}`)
    if (this.#trace.length > 2 * traceMax) this.#trace = this.#trace.slice(-traceMax)
  }

  problem(text: string): void {
    this.say(`WRONG: ${text}`)
    this.problems.push(text)
  }

  /** Something happens: a step of the schedule, or an operation within one. False once there were too many. */
  spend(): boolean {
    if (++this.#spent === spentMax) this.problem(`it never comes to an end: ${spentMax} operations, and still at work`)
    return this.#spent < spentMax
  }

  /** The session's folder as it is at this moment. */
  takeImage(): void {
    real.rmSync(this.imageFolder, { recursive: true, force: true })
    copyFolder(this.sessionFolder, this.imageFolder)
  }

  /** The image takes the place of what the dead process has gone on writing. */
  putImage(): void {
    real.rmSync(this.sessionFolder, { recursive: true, force: true })
    real.renameSync(this.imageFolder, this.sessionFolder)
  }

  /** A request goes out. */
  asked(hash: string): void {
    for (const [task, due] of this.due) if (due === hash) this.due.delete(task)
  }

  /** A turn goes on: not before its request that was cut has been asked again, byte for byte. */
  wentOn({ id, phase, status, abort }: Task): void {
    const isAsking = phase === "request" && (status === "running" || status === "pending")
    if (!this.due.has(id) || isAsking) return
    if (abort === null) this.problem(`the request of t${id} that was cut was not asked again as it was`)
    this.due.delete(id)
  }

  digestOf(batch: Batch): string {
    return batch.changes
      .map((change) => {
        if (change.type === "entry") return `e${change.entry.id}:${change.entry.kind}`
        if (change.type === "task") {
          const { id, kind, status, phase, abort } = change.task
          return `t${id}:${kind}:${status}:${phase}${abort === null ? "" : ":abort"}`
        }
        if (change.type === "submission") return `s${change.submission.id}:${change.submission.status}`
        if (change.type === "document") return `d:${change.document.name}`
        return change.type === "retire" ? `-d:${change.name}` : `c${change.conversation.id}`
      })
      .join(" ")
  }
}
