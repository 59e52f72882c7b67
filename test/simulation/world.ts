/** What a simulation consists of, and what it notes: its trace, its faults, and what was wrong. */
import { join } from "node:path"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
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
}

export const nothingPlanted: Planted = { noFlush: false, wrongClass: false }

/** Lines of the trace that are kept: what led to a failure is near it. */
const traceMax = 2_000

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
  readonly counts = new Map<string, number>()
  /** The commit that marked each call. */
  readonly marks = new Map<number, number>()
  life: Life | null = null
  /** Faults and wild work; afterwards everything comes to rest. */
  storm = true
  fullUntil = 0
  /** Hash of the request that an interrupted turn must send again; null where none is due. */
  due: string | null = null
  #trace: string[] = []

  /** `root`: a folder of its own, empty. */
  constructor(seed: number, planted: Planted, root: string) {
    this.seed = seed
    this.planted = planted
    this.root = root
    this.chance = new Chance(seed)
    this.schedule = new Schedule(this.chance)
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

  count(fault: string): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
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

  /** A request goes out; the first one after a crash in mid-request must be the one that was cut. */
  asked(hash: string): void {
    if (this.due !== null && this.due !== hash) {
      this.problem("a request that was cut is asked again with other bytes")
    }
    this.due = null
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
