/**
 * The engine: opens on a ledger and implements the port. It wires; what happens next is decided in task.ts and its neighbours.
 *
 * - Opening starts what is pending, or holds it until somebody says `resume`. After an owner that died all that is stored is verified first,
 *   behind everybody's back; where it does not agree with itself, nothing starts and nothing is taken.
 * - `settled` is told when no run stands, no task is live and nothing is queued that a run would place.
 * - Closing leaves pending what was running; commands that outlive their agent are left alone.
 */
import { assert } from "../std/assert.ts"
import { unwatched } from "../std/moment.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { Refusal, type Answers, type Command, type Cursor, type Frame, type Port } from "../protocol/port.ts"
import type { AgentDocument } from "../protocol/records.ts"
import { betterTitle } from "./better-title.ts"
import { answer } from "./commands.ts"
import type { Core } from "./core.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { append } from "./entries.ts"
import { Feed, healthState } from "./feed.ts"
import { FileHistories } from "./file-history.ts"
import { heldState } from "./held.ts"
import { Marks } from "./marks.ts"
import type { EngineOptions } from "./options.ts"
import { stopForsaken } from "./owned.ts"
import { Scheduler } from "./scheduler.ts"
import { verifyFirst } from "./verify.ts"
import { Searches } from "./search.ts"

export type Engine = {
  readonly port: Port
  /** True while a run stands or a task is live. */
  busy(): boolean
  /** Lets the model name the session, where nobody has; for when nothing is to be done. `signal` ends it. */
  betterTitle(signal: AbortSignal): Promise<void>
  /** True where it was lost by a commit of which nobody knows whether it was stored: opening the session again tells. */
  inDoubt(): boolean
  /** Leaves what is running pending, and closes the ledger. */
  close(farewell?: Farewell, successor?: number): Promise<void>
  /** Begins nothing more; resolves at the turn boundary. */
  drain(): Promise<void>
}

/** What the last clients are told. */
export type Farewell = { readonly reason: string; readonly stopped: boolean }

/** The root conversation of every session. */
export const rootConversation = 1

export type Beginning = { readonly folder: string; readonly agent: AgentDocument }

/** Give a new session its documents, and what is to be known of how it is stored; an old one keeps its own. */
export function begin(ledger: Ledger, beginning: Beginning): void {
  if (readDocument(ledger.live, 0, "session") !== undefined) return
  ledger.commit("relaxed", (tx) => {
    if (!tx.live.conversations.has(rootConversation)) {
      const root = tx.addConversation({ parent: null, owner: null })
      assert(root.id === rootConversation, `the first conversation of a session is c${root.id}`)
    }
    writeDocument(tx, 0, "session", { title: "", folder: beginning.folder, createdAt: tx.now })
    writeDocument(tx, rootConversation, "agent", beginning.agent)
    for (const text of ledger.notices)
      append(tx, { conversation: rootConversation }, { kind: "notice", level: "warning", code: "storage", text })
  })
}

function working(ledger: Ledger): boolean {
  if (ledger.live.tasks.size > 0) return true
  return [...ledger.live.conversations.keys()].some((id) => readDocument(ledger.live, id, "run") !== undefined)
}

export function openEngine(options: EngineOptions): Engine {
  const { ledger, clock } = options
  const marks = new Marks(ledger)
  let closing: Promise<void> | null = null
  // Known to invocations before the first of them is signalled.
  let ending = false
  const context = { tools: options.tools, retries: options.settings.retry.maxRetries }
  const feed = new Feed(ledger, context, () => heldState(ledger.live.tasks.values(), scheduler.held), options.report)
  const core: Core = {
    options,
    ledger,
    clock,
    files: new FileHistories(ledger),
    searches: new Searches(() => core),
    at: options.at ?? unwatched,
    progress: (piece) => feed.progress(piece),
    mark: (task) => marks.mark(task),
    closing: () => ending,
    verified: verifyFirst(ledger, () => scheduler.kick()),
  }
  const scheduler = new Scheduler(core, options.consent === "ask", (reason) => feed.tell({ type: "lost", reason }))
  const unwatch = ledger.watch((commit) => {
    feed.commit(commit)
    stopForsaken(ledger, commit.changes)
    scheduler.kick()
  })
  const unhealth = ledger.watchHealth(() => {
    feed.tell({ type: "health", health: healthState(ledger) })
    scheduler.check()
  })
  // It may have been lost before anybody heard.
  scheduler.check()
  stopForsaken(ledger)
  scheduler.kick()

  const port: Port = {
    watch: (listener: (frame: Frame) => void, cursor?: Cursor) => feed.watch(listener, cursor),
    async request<C extends Command>(command: C): Promise<Answers[C["type"]]> {
      if (closing !== null) throw new Refusal("closing", "The host is closing this session: try again in a moment.")
      return (await answer(core, scheduler, command)) as Answers[C["type"]]
    },
    close: async () => {},
  }
  return {
    port,
    busy: () => working(ledger),
    inDoubt: () => scheduler.inDoubt,
    betterTitle: (signal) => betterTitle(core, signal),
    close(farewell = { reason: "The host has closed this session.", stopped: false }, successor) {
      closing ??= close(farewell, successor)
      return closing
    },
    drain: () => scheduler.drain(),
  }

  async function close({ reason, stopped }: Farewell, successor: number | undefined): Promise<void> {
    ending = true
    const stopping = scheduler.stop()
    // What waits for a disk that takes nothing is let go by the ledger's own close, which tries once more.
    await Promise.race([stopping, refused(ledger)])
    unwatch()
    unhealth()
    try {
      await ledger.close(successor)
    } finally {
      feed.tell(stopped ? { type: "lost", reason, stopped } : { type: "lost", reason })
    }
    await stopping
  }
}

/** Resolves as soon as storage takes nothing, if that happens at all. */
function refused(ledger: Ledger): Promise<void> {
  return new Promise((resolve) => {
    if (ledger.health().state !== "ok") return resolve()
    const unwatch = ledger.watchHealth((health) => {
      if (health.state === "ok") return
      unwatch()
      resolve()
    })
  })
}
