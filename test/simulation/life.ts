/**
 * A life: one process from its start to its end, as far as the world can see it.
 *
 * - It can die at each of its operations: before and after every write, append, effect and file operation. From then on nothing that it does is seen: its session's
 *   folder is the image that was taken at that moment, and what it had planned never happens.
 * - Its storage is the real one, with faults at its edge: writes that are refused, that answer late, or whose fate is unknown.
 */
import { join } from "node:path"
import { checkLoss } from "../../src/ledger/loss.ts"
import { connect } from "../../src/ledger/database.ts"
import { sessionPaths } from "../../src/ledger/folder.ts"
import { self } from "../../src/ledger/holder.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { takeLock, type Lock } from "../../src/ledger/lock.ts"
import { begin } from "../../src/ledger/session.ts"
import type { Spool, Spools } from "../../src/ledger/spool.ts"
import { SqliteStorage } from "../../src/ledger/sqlite.ts"
import { Rejected, Unknown, type Batch, type Storage } from "../../src/ledger/storage.ts"
import type { Clock } from "../../src/std/clock.ts"
import { writing } from "../support/ledger-backends.ts"
import { real, type DiskUser, type Lasting } from "./disk.ts"
import { logHeadBytes } from "./power.ts"
import type { World } from "./world.ts"

const me = self()

/** What may go wrong in a life, decided when it begins. */
export type Fate = {
  /** The operation at which it dies, counted from its start. */
  readonly diesAt: number
  /** Or the operation of this name at which it dies, counted likewise; null where it only dies by number. */
  readonly diesBy: { readonly name: string; readonly at: number } | null
  readonly power: boolean
  /** The share of writes that storage refuses, since somebody else is at it. */
  readonly busy: number
  /** The share of writes that are answered late, and by how much at most. */
  readonly late: number
  readonly lateMs: number
  /** The write whose fate is unknown, counted from the start; and whether it was stored all the same. */
  readonly unknownAt: number
  readonly unknownStored: boolean
}

export const calmFate: Fate = {
  diesAt: Infinity,
  diesBy: null,
  power: false,
  busy: 0,
  late: 0,
  lateMs: 0,
  unknownAt: Infinity,
  unknownStored: false,
}

export class Life implements DiskUser {
  readonly number: number
  readonly world: World
  fate: Fate
  readonly clock: Clock
  readonly shared: Lasting
  dead = false
  ops = 0
  /** The newest commit that was stored, and the newest that was flushed. */
  storedSeq = 0
  flushedSeq = 0
  relaxedSinceFlush = 0
  ledger: Ledger | null = null
  storage: SqliteStorage | null = null
  /** Operations of the name by which it dies. */
  #named = 0
  #lock: Lock | null = null
  /** Commits that it tried to store. */
  writes = 0
  #writing: Batch | null = null
  readonly #spools = new Set<Spool>()

  /** `before`: the life before, where what it stored is not all flushed. */
  constructor(world: World, number: number, fate: Fate, before: Life | null) {
    this.world = world
    this.number = number
    this.fate = fate
    this.shared = world.lasting
    this.clock = world.schedule.clockOf(this)
    this.storedSeq = before?.storedSeq ?? 0
    this.flushedSeq = before?.flushedSeq ?? 0
    this.relaxedSinceFlush = before?.relaxedSinceFlush ?? 0
  }

  /** A moment at which this life may end. */
  op(label: string): void {
    if (this.dead) return
    this.ops++
    const { diesAt, diesBy } = this.fate
    if (diesBy !== null && label.includes(diesBy.name)) this.#named++
    const isNamed = diesBy !== null && this.#named >= diesBy.at
    if (this.world.spend() && this.ops < diesAt && !isNamed) return
    this.die(label)
  }

  die(label: string): void {
    if (this.dead) return
    this.world.say(`${this.fate.power ? "power cut" : "killed"} ${label}`)
    this.world.moments.add(momentOf(label))
    // Operations inside a write are those behind its commit.
    if (this.#writing !== null) this.#note(this.#writing)
    this.world.takeImage()
    this.dead = true
  }

  soon(run: () => void): void {
    const { chance, schedule } = this.world
    schedule.after(chance.hit(0.05) ? chance.next() * 40 : chance.next(), this, run)
  }

  refusal(): Error | null {
    return this.world.diskIsFull ? this.#refused() : null
  }

  #refused(): Error {
    this.world.faults.add("refused file operation")
    return Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" })
  }

  /** Opens the session as a new process does. */
  async open(): Promise<Ledger> {
    const { dataDir, id } = this.world
    const paths = sessionPaths(dataDir, id)
    const lock = takeLock({ session: id, path: paths.lock, self: me, now: this.clock.now() })
    this.#lock = lock
    checkLoss(id, paths)
    const storage = new SqliteStorage(connect(paths.db), paths, this.clock)
    this.storage = storage
    const ledger = await begin(this.#faulty(storage), {
      id,
      clock: this.clock,
      setSocket: () => undefined,
      release: () => lock.abandon(),
    })
    lock.name(ledger.epoch, this.clock.now())
    this.ledger = ledger
    return ledger
  }

  #faulty(storage: SqliteStorage): Storage {
    const faulty = writing(storage, (batch) => this.#write(storage, batch))
    return {
      ...faulty,
      spools: async (epoch, live) => this.#watched(await storage.spools(epoch, live)),
    }
  }

  #write(storage: SqliteStorage, batch: Batch): void | Promise<void> {
    const { world } = this
    const { chance, schedule } = world
    const lives = !this.dead
    this.op(`before commit ${batch.seq}`)
    if (lives && this.dead) return this.#half(storage, batch)
    this.writes++
    if (this.writes === this.fate.unknownAt && !batch.clean) {
      if (this.fate.unknownStored) this.#store(storage, batch)
      world.say(`commit ${batch.seq} has an unknown fate`)
      world.faults.add("unknown write")
      throw new Unknown("disk I/O error")
    }
    if (world.diskIsFull) {
      world.faults.add("rejected write")
      throw new Rejected("database or disk is full")
    }
    if (!batch.clean && chance.hit(this.fate.busy)) {
      world.faults.add("busy write")
      throw new Rejected("database is locked")
    }
    if (!chance.hit(this.fate.late)) return this.#store(storage, batch)
    world.faults.add("late write")
    return new Promise((resolve, reject) => {
      schedule.after(chance.next() * this.fate.lateMs, this, () => {
        try {
          this.#store(storage, batch)
          resolve()
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** It has died in the middle of a write: of what that adds to the log, a part is there. */
  #half(storage: SqliteStorage, batch: Batch): void {
    const { world } = this
    storage.write(batch)
    const [log, image] = [sessionPaths(world.dataDir, world.id).wal, join(world.imageFolder, "ledger.db-wal")]
    const [before, after] = [image, log].map((path) =>
      real.existsSync(path) ? real.readFileSync(path) : Buffer.alloc(0),
    )
    if (before === undefined || after === undefined || after.length <= before.length) return
    if (!after.subarray(0, before.length).equals(before)) return
    const onlyHead = before.length < logHeadBytes && world.chance.hit(0.3)
    const end = onlyHead ? logHeadBytes : before.length + world.chance.below(after.length - before.length)
    real.writeFileSync(image, after.subarray(0, end))
    world.faults.add("half written commit")
  }

  #store(storage: SqliteStorage, batch: Batch): void {
    this.#writing = batch
    try {
      storage.write(this.#asWritten(batch))
    } finally {
      this.#writing = null
    }
    if (this.dead) return
    this.#note(batch)
    this.op(`after commit ${batch.seq}`)
  }

  /** As it should be; or, where that fault is planted, without the flush that was asked for. */
  #asWritten(batch: Batch): Batch {
    return this.world.planted.noFlush ? { ...batch, class: "relaxed" } : batch
  }

  #note(batch: Batch): void {
    const { world } = this
    world.say(`commit ${batch.seq} ${batch.class} ${world.digestOf(batch)}`)
    this.storedSeq = batch.seq
    if (batch.class === "flushed") this.flushedSeq = batch.seq
    this.relaxedSinceFlush = this.#asWritten(batch).class === "flushed" ? 0 : this.relaxedSinceFlush + 1
    for (const change of batch.changes) {
      if (change.type !== "task") continue
      world.wentOn(change.task)
      if (change.task.checkpoint["dispatched"] !== true) continue
      if (!world.marks.has(change.task.id)) world.marks.set(change.task.id, batch.seq)
    }
  }

  #watched(spools: Spools): Spools {
    return {
      open: (task, attempt, how) => {
        const spool = spools.open(task, attempt, how)
        this.#spools.add(spool)
        return spool
      },
      read: (task, attempt) => spools.read(task, attempt),
      files: (task, attempt) => spools.files(task, attempt),
      keep: (task, attempt) => spools.keep(task, attempt),
      outputPath: (task) => spools.outputPath(task),
      readOutput: (task, attempt, from, to) => spools.readOutput(task, attempt, from, to),
      drop: (task, attempt) => spools.drop(task, attempt),
    }
  }

  /** Lets go of what the kernel lets go of when a process ends. */
  bury(): void {
    this.dead = true
    for (const spool of this.#spools) spool.close()
    this.storage?.close().catch(() => undefined)
    this.#lock?.abandon()
  }

  /** True where the mark of a call is on the platter. */
  isMarked(task: number): boolean {
    const marked = this.world.marks.get(task)
    return marked !== undefined && marked <= this.flushedSeq
  }
}

/** A moment without what is different each time: numbers, and paths. */
function momentOf(label: string): string {
  return label
    .replace(/ \/.*$/, "")
    .replace(/ t?\d+$/, "")
    .replace(/client \d|a new client/, "a client")
}

/** Copies the files of a folder and of those in it. */
export function copyFolder(from: string, to: string): void {
  real.mkdirSync(to, { recursive: true })
  for (const entry of real.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, target)
    else if (entry.isFile()) real.copyFileSync(source, target)
  }
}
