/**
 * Backends for the ledger's tests: those that ship, and those that settle late, refuse or stay silent on request.
 *
 * - A fault stands at the edge of storage, where a disk or a network would put it; everything above is the real thing.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Flock } from "../../src/ledger/flock.ts"
import type { Ledger, Tx } from "../../src/ledger/ledger.ts"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { createSession, memorySession, openSession } from "../../src/ledger/open.ts"
import type { FlushClass } from "../../src/ledger/records.ts"
import { begin } from "../../src/ledger/session.ts"
import type { Batch, Storage } from "../../src/ledger/storage.ts"
import type { Clock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"

/** A session of some backend, wherever its ledger is by now. */
export type World = {
  readonly ledger: Ledger
  /** Commits, waits until it is stored, and does what the backend does after a commit. */
  commit<T>(flush: FlushClass, work: (tx: Tx) => T): Promise<T>
  end(): Promise<void>
}

export type Backend = { readonly name: string; readonly open: (clock: Clock) => Promise<World> }

export const backends: readonly Backend[] = [
  { name: "in memory", open: async (clock) => worldOf(await memorySession({ clock })) },
  { name: "in a file", open: openFile },
  { name: "in a file that is opened again after every commit", open: openAgainAndAgain },
  {
    name: "in a file where there are neither locks nor a log",
    open: (clock) => openAgainAndAgain(clock, () => "unsupported"),
  },
  {
    name: "in storage that settles later",
    open: async (clock) => worldOf(await ledgerOn(late(new MemoryStorage()), clock)),
  },
]

export function ledgerOn(storage: Storage, clock: Clock): Promise<Ledger> {
  return begin(storage, { id: uuidv7(clock.now()), clock, setSocket: () => undefined, release: () => undefined })
}

/** A folder for sessions, and the way to be rid of it. */
export function scratch(): { readonly dataDir: string; remove(): void } {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-ledger-"))
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) }
}

/** `storage`, but for how it writes. */
export function writing(storage: Storage, write: (batch: Batch) => void | Promise<void>): Storage {
  return {
    write,
    blobs: storage.blobs,
    load: () => storage.load(),
    spools: (epoch, live) => storage.spools(epoch, live),
    checkOwner: (epoch) => storage.checkOwner(epoch),
    sign: (at) => storage.sign(at),
    entry: (id) => storage.entry(id),
    entries: (range, limit) => storage.entries(range, limit),
    newestHead: (range) => storage.newestHead(range),
    task: (id) => storage.task(id),
    submission: (id) => storage.submission(id),
    submissionByRequest: (conversation, requestId) => storage.submissionByRequest(conversation, requestId),
    counts: () => storage.counts(),
    verify: (deep) => storage.verify(deep),
    close: () => storage.close(),
  }
}

/** Answers two turns of the loop later, as something behind a socket would. */
function late(storage: Storage): Storage {
  return writing(storage, async (batch) => {
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    await storage.write(batch)
  })
}

function worldOf(ledger: Ledger, remove: () => void = () => undefined): World {
  return {
    ledger,
    async commit(flush, work) {
      const { value, stored } = ledger.commit(flush, work)
      await stored
      return value
    },
    async end() {
      await ledger.close()
      remove()
    },
  }
}

async function openFile(clock: Clock): Promise<World> {
  const { dataDir, remove } = scratch()
  return worldOf(await createSession({ dataDir, id: uuidv7(clock.now()), clock }), remove)
}

async function openAgainAndAgain(clock: Clock, flock?: Flock): Promise<World> {
  const { dataDir, remove } = scratch()
  const place = { dataDir, id: uuidv7(clock.now()), clock, flock }
  let ledger = await createSession(place)
  return {
    get ledger() {
      return ledger
    },
    async commit(flush, work) {
      const { value, stored } = ledger.commit(flush, work)
      await stored
      await ledger.close()
      ledger = await openSession(place)
      return value
    },
    async end() {
      await ledger.close()
      remove()
    },
  }
}
