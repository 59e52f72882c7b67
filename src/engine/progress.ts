/**
 * The progress of a running task: appended to its spool at the pace of the screen, then shown.
 *
 * - One append and one frame at most every 33 ms: the first piece goes at once, what follows waits for its frame.
 * - What the disk refuses is shown all the same, marked as not saved, and goes with the next append that succeeds.
 * - A generation's text is told as one JSON delta a line, and stored shorter; neighbouring pieces of one part are joined, so a fast stream stays small.
 */
import type { Delta } from "../message/delta.ts"
import { emptyPartial, fold, type Partial } from "../message/delta.ts"
import { liveOutputMax, tail } from "../protocol/view.ts"
import type { Spool } from "../ledger/spool.ts"
import type { TaskId } from "../ledger/records.ts"
import type { Core } from "./core.ts"
import { spoolLine } from "./spool-text.ts"

/** One frame of a screen at 30 Hz. */
export const frameMs = 33

/** Calls `flush` now or when the frame is over, once for all that asked meanwhile. */
class Pace {
  readonly #core: Core
  readonly #flush: () => void
  #last = -Infinity
  #cancel: (() => void) | undefined

  constructor(core: Core, flush: () => void) {
    this.#core = core
    this.#flush = flush
  }

  ask(): void {
    if (this.#cancel !== undefined) return
    const wait = this.#last + frameMs - this.#core.clock.monotonic()
    if (wait <= 0) return this.now()
    this.#cancel = this.#core.clock.after(wait, () => this.now())
  }

  now(): void {
    this.stop()
    this.#last = this.#core.clock.monotonic()
    this.#flush()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}

function joined(before: Delta | undefined, delta: Delta): Delta | undefined {
  if (before === undefined || before.type !== delta.type || !("delta" in before) || !("delta" in delta))
    return undefined
  if (before.contentIndex !== delta.contentIndex) return undefined
  return { ...before, delta: before.delta + delta.delta }
}

/** Progress of one attempt of a generation. */
export class GenerationProgress {
  readonly #core: Core
  readonly #task: TaskId
  readonly #attempt: number
  readonly #pace: Pace
  #spool: Spool | undefined
  #waiting: Delta[] = []
  #unsaved = ""
  #partial: Partial = emptyPartial
  /** What all that was written has built. */
  #written: Partial = emptyPartial
  #size = 0

  constructor(core: Core, task: TaskId, attempt: number) {
    this.#core = core
    this.#task = task
    this.#attempt = attempt
    this.#pace = new Pace(core, () => this.#write())
    // At once, since what an attempt that was lost has left under this name must not be taken for this one's.
    isAppended(core, () => this.#opened(), "")
  }

  get partial(): Partial {
    return this.#partial
  }

  add(delta: Delta): void {
    this.#partial = fold(this.#partial, delta)
    const both = joined(this.#waiting.at(-1), delta)
    if (both === undefined) this.#waiting.push(delta)
    else this.#waiting[this.#waiting.length - 1] = both
    this.#pace.ask()
  }

  /** Writes what waits; nothing may be added afterwards. */
  end(): void {
    this.#pace.stop()
    this.#write()
    this.#spool?.close()
  }

  #write(): void {
    if (this.#waiting.length === 0) return
    const text = this.#waiting.map((delta) => `${JSON.stringify(delta)}\n`).join("")
    for (const delta of this.#waiting) {
      this.#unsaved += spoolLine(this.#written, delta)
      this.#written = fold(this.#written, delta)
    }
    this.#waiting = []
    const saved = isAppended(this.#core, () => this.#opened(), this.#unsaved)
    if (saved) this.#unsaved = ""
    const at = this.#size
    const bytes = Buffer.byteLength(text)
    this.#size += bytes
    this.#core.progress({ task: this.#task, attempt: this.#attempt, at, bytes, text, unsaved: !saved })
  }

  /** Made when the disk takes it: a full one refuses even that. */
  #opened(): Spool {
    this.#spool ??= this.#core.ledger.spools.open(this.#task, this.#attempt, "new")
    return this.#spool
  }
}

/** False where the disk refused: the settlement will still be tried. */
function isAppended(core: Core, spool: () => Spool, text: string): boolean {
  try {
    core.at("append")
    spool().append(text)
    core.at("appended")
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error) return false
    throw error
  }
}

/** Bytes of one call's live output that outlive its host; more is only shown. */
const spooledBytesMax = 1024 * 1024

/**
 * Live output of one call. A command has a file of its own, which has it all: its output comes with its place there and is only told. That of other
 * tools is in the spool before it is shown. What no screen would show is passed over here, so that an output without end costs the same as a short one.
 */
export class CallProgress {
  readonly #core: Core
  readonly #task: TaskId
  readonly #attempt: number
  readonly #pace: Pace
  #spool: Spool | undefined
  #hasFile = false
  #waiting = ""
  /** Where `#waiting` begins and ends among the bytes of the output. */
  #from = 0
  #end = 0

  constructor(core: Core, task: TaskId, attempt: number) {
    this.#core = core
    this.#task = task
    this.#attempt = attempt
    this.#pace = new Pace(core, () => this.#write())
  }

  add(text: string, place?: { readonly at: number; readonly bytes: number }): void {
    this.#hasFile = place !== undefined
    const { at, bytes } = place ?? { at: this.#end, bytes: Buffer.byteLength(text) }
    if (at !== this.#end || this.#waiting === "") {
      this.#waiting = ""
      this.#from = at
    }
    this.#end = at + bytes
    this.#waiting += text
    // Not at every piece, since cutting copies.
    if (this.#waiting.length > 2 * liveOutputMax) this.#cut()
    this.#pace.ask()
  }

  #cut(): void {
    const cut = tail(this.#waiting, liveOutputMax)
    if (cut.length === this.#waiting.length) return
    this.#waiting = cut
    this.#from = Math.max(this.#from, this.#end - Buffer.byteLength(cut))
  }

  end(): void {
    this.#pace.stop()
    this.#write()
    this.#spool?.close()
  }

  /** True where a host after this one would have it. */
  #isSaved(text: string): boolean {
    if (this.#hasFile) return true
    if (this.#end > spooledBytesMax) return false
    // What an earlier run of the same call has left gives way to this one's.
    const spool = (): Spool => (this.#spool ??= this.#core.ledger.spools.open(this.#task, this.#attempt, "new"))
    return isAppended(this.#core, spool, text)
  }

  #write(): void {
    if (this.#waiting === "") return
    this.#cut()
    const [waiting, at] = [this.#waiting, this.#from]
    // Piece by piece: what is cut in two by the pace is known only when the call has ended, and its whole output is cleaned.
    const text = this.#core.options.redact?.(waiting) ?? waiting
    this.#waiting = ""
    const saved = this.#isSaved(text)
    this.#core.progress({
      task: this.#task,
      attempt: this.#attempt,
      at,
      bytes: this.#end - at,
      text,
      unsaved: !saved,
    })
  }
}
