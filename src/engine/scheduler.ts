/**
 * Who works on what. The scheduler reads live state and keeps one invocation for each task that can go on; it decides nothing else.
 *
 * - After every commit it looks again: a pending task starts, an abort mark reaches its invocation, a turn whose calls have ended goes on.
 * - A task of unknown kind or of a newer version waits, visibly, until its code is there or somebody stops it. A task that was set aside (`held`) waits for the person.
 * - An invocation that throws is a bug: its task ends as faulted, and the run says so. A stale owner stops everything and writes nothing.
 */
import { sleep } from "../std/clock.ts"
import { Poisoned } from "../ledger/errors.ts"
import { StaleOwner } from "../ledger/ledger.ts"
import type { Task, TaskId } from "../ledger/records.ts"
import { isEndOfSession, liveTask, type Core } from "./core.ts"
import { isKnown, isSetAside } from "./held.ts"
import { runCompaction } from "./compaction.ts"
import { runGeneration } from "./generation.ts"
import { settleFault, settleOrphan } from "./settle-end.ts"
import { callInput, callKind, compactionKind, generationKind, shellKind, undoKind, waitsFor } from "./task.ts"
import { runCall } from "./tool-call.ts"
import { runShellTask } from "./shell.ts"
import { Turns } from "./turns.ts"
import { runUndo } from "./undo-task.ts"

/** A tool that does not hear its signal is not waited for longer at a close: its call is marked, and the next host goes by that. */
const stopMsMax = 2_000

/** Calls of one conversation at work at once: more would only wait for each other's disk and processors. */
const callsAtOnceMax = 16

type Invocation = {
  readonly abort: AbortController
  readonly wake: AbortController
  readonly done: Promise<void>
}

export class Scheduler {
  readonly #core: Core
  readonly #paths = new Turns()
  readonly #running = new Map<TaskId, Invocation>()
  readonly #lost: (reason: string) => void
  #asked = false
  #held: boolean
  #stopped = false
  #inDoubt = false
  #draining = false

  /** `lost` hears, in a sentence, that nothing can be stored any more. */
  constructor(core: Core, held: boolean, lost: (reason: string) => void) {
    this.#core = core
    this.#held = held
    this.#lost = lost
  }

  /** What has ended the session is a commit of which nobody knows whether it was stored. */
  get inDoubt(): boolean {
    return this.#inDoubt
  }

  get held(): boolean {
    return this.#held || this.#isReadOnly
  }

  /** Work of a session that is only looked at stands still. */
  get #isReadOnly(): boolean {
    return this.#core.ledger.health().state === "read-only"
  }

  /** Consent: what waits goes on, and what was set aside gets another chance. */
  release(): void {
    this.#held = false
    const aside = [...this.#core.ledger.live.tasks.values()].filter(isSetAside)
    if (aside.length > 0) {
      this.#core.ledger.commit("flushed", (tx) => aside.forEach((task) => tx.setTask(task.id, { restarts: 0 })))
    }
    this.kick()
  }

  /** Look again, once, after what is going on now. */
  kick(): void {
    if (this.#asked || this.#stopped) return
    this.#asked = true
    queueMicrotask(() => {
      this.#asked = false
      this.#look()
    })
  }

  /** Ends a retry wait. */
  wake(conversation: number): void {
    for (const [id, invocation] of this.#running) {
      if (liveTask(this.#core, id)?.conversation === conversation) invocation.wake.abort()
    }
  }

  /** Starts nothing more, and resolves at the turn boundary: what asks or changes something has come to its end. */
  async drain(): Promise<void> {
    this.#draining = true
    for (;;) {
      const ending = [...this.#running].filter(([id]) => !this.#outlives(id) && !this.#waits(id))
      if (ending.length === 0) return
      await Promise.all(ending.map(([, { done }]) => done))
    }
  }

  /** A turn that only waits to ask, for time to pass or for the person: nothing is lost by ending its wait. */
  #waits(id: TaskId): boolean {
    const task = liveTask(this.#core, id)
    return task?.kind === generationKind && (task.phase === "retry" || task.phase === "limit")
  }

  /** Signals every invocation, but for commands that outlive this process, and waits for those that were signalled, within reason. */
  async stop(): Promise<void> {
    this.#stopped = true
    const ending: Promise<void>[] = []
    for (const [id, invocation] of this.#running) {
      if (this.#outlives(id)) continue
      invocation.abort.abort()
      ending.push(invocation.done)
    }
    const patience = new AbortController()
    await Promise.race([Promise.all(ending), sleep(this.#core.clock, stopMsMax, patience.signal)])
    patience.abort()
  }

  /** A call whose effect goes on without this process, for the next one to adopt. */
  #outlives(id: TaskId): boolean {
    const { ledger, options } = this.#core
    const task = ledger.live.tasks.get(id)
    if (task === undefined || ledger.spools.files(id, 1) === null) return false
    const name = task.kind === callKind ? callInput(task).name : task.kind === shellKind ? "bash" : null
    return options.tools.some((tool) => tool.name === name && tool.adopt !== undefined)
  }

  #look(): void {
    if (this.#stopped || this.#isReadOnly || !this.#core.verified()) return
    for (const task of this.#core.ledger.live.tasks.values()) {
      const invocation = this.#running.get(task.id)
      if (invocation !== undefined) {
        if (task.abort !== null) invocation.abort.abort()
      } else if (!this.#draining && this.#ready(task)) {
        this.#start(task)
      }
    }
  }

  #ready(task: Task): boolean {
    const { tasks } = this.#core.ledger.live
    // What the person asks for now has nothing to do with work that waits for a word of theirs.
    const isAsked = task.kind === shellKind || task.kind === undoKind
    if (this.#held && task.abort === null && !isAsked) return false
    if (isSetAside(task)) return false
    if (!isKnown(task)) return task.abort !== null
    if (task.kind === generationKind) return !waitsFor(task, tasks)
    if (task.kind === compactionKind || isAsked) return true
    const { after } = callInput(task)
    return (after === undefined || !tasks.has(after)) && this.#callsOf(task.conversation) < callsAtOnceMax
  }

  #callsOf(conversation: number): number {
    let count = 0
    for (const id of this.#running.keys()) {
      const task = liveTask(this.#core, id)
      if (task?.kind === callKind && task.conversation === conversation) count += 1
    }
    return count
  }

  #start(task: Task): void {
    const abort = new AbortController()
    const wake = new AbortController()
    if (task.abort !== null) abort.abort()
    const done = this.#work(task, abort.signal, wake.signal).finally(() => {
      this.#running.delete(task.id)
      this.kick()
    })
    this.#running.set(task.id, { abort, wake, done })
  }

  async #work(task: Task, signal: AbortSignal, wake: AbortSignal): Promise<void> {
    try {
      if (!isKnown(task)) return await settleOrphan(this.#core, task).stored
      if (task.status === "pending")
        this.#core.ledger.commit("relaxed", (tx) => tx.setTask(task.id, { status: "running" }))
      if (task.kind === generationKind) await runGeneration(this.#core, task.id, signal, wake)
      else if (task.kind === shellKind) await runShellTask(this.#core, task.id, signal)
      else if (task.kind === undoKind) await runUndo(this.#core, task.id, signal, this.#paths)
      else if (task.kind === compactionKind) await runCompaction(this.#core, task.id, signal)
      else await runCall(this.#core, task.id, signal, this.#paths)
    } catch (error) {
      this.#fault(task, error)
    }
  }

  #fault(task: Task, error: unknown): void {
    if (this.#core.closing() || this.#stopped || this.#isLost(error)) return
    const text = error instanceof Error ? error.message : String(error)
    this.#core.options.report(error instanceof Error ? (error.stack ?? text) : text)
    const now = liveTask(this.#core, task.id)
    const sentence = `The ${task.kind === generationKind ? "turn" : "call"} t${task.id} failed by a bug of this program: ${text}. Send the next input to go on.`
    try {
      if (now !== undefined) settleFault(this.#core, now, sentence)
    } catch (second) {
      if (this.#isLost(second)) return
      this.#core.options.report(second instanceof Error ? (second.stack ?? second.message) : String(second))
    }
  }

  /** Looks whether anything can be stored still: where nothing runs, nobody else would notice. */
  check(): void {
    if (this.#stopped || this.#core.ledger.health().state !== "poisoned") return
    try {
      this.#core.ledger.assertOwner()
    } catch (error) {
      if (!this.#isLost(error)) throw error
    }
  }

  /** True where the session is another's by now, or its ledger takes nothing more: then nothing is written, and whoever watches is told. */
  #isLost(error: unknown): boolean {
    if (!isEndOfSession(error)) return false
    if (this.#stopped) return true
    this.#stopped = true
    this.#inDoubt = error instanceof Poisoned
    this.#lost(
      error instanceof StaleOwner
        ? `This session was taken over: ${error.message}.`
        : `This session can take no more: ${error.message}. Open it again to go on.`,
    )
    return true
  }
}
