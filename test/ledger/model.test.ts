/**
 * Random work against two backends at once: a file that is killed, closed and opened in between, and memory. Whatever
 * happens, both say the same of the session, and the file verifies. A seed that fails fails again.
 */
import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { sessionPaths } from "../../src/ledger/folder.ts"
import type { Ledger, Tx } from "../../src/ledger/ledger.ts"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { createSession, openSession, openedHere } from "../../src/ledger/open.ts"
import { endStatuses } from "../../src/ledger/records.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { ledgerOn, scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"

const seeds = 12
const steps = 60

/** Numbers that look like chance: the same for the same seed. */
function chance(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return (state >>> 8) % below
  }
}

type Deed = (tx: Tx) => void

function pick<T>(items: Iterable<T>, at: number): T | undefined {
  const all = [...items]
  return all.length === 0 ? undefined : all[at % all.length]
}

/** One change, chosen by numbers alone, so that it can be done to both. */
function deed(next: (below: number) => number): Deed {
  const [kind, a, b] = [next(9), next(1000), next(1000)]
  const conversationIn = (tx: Tx): number => pick(tx.live.conversations.keys(), a) ?? 1
  const tails = (tx: Tx): number => tx.live.tail(conversationIn(tx))
  const deeds: readonly Deed[] = [
    (tx) => tx.addEntry({ conversation: conversationIn(tx), kind: "note", data: { b, text: "é".repeat(b) } }),
    (tx) => tx.addEntry({ conversation: conversationIn(tx), kind: "reset", data: { b }, head: b % 2 ? "self" : null }),
    (tx) => {
      if (tails(tx) > 0)
        tx.addConversation({ parent: { conversation: conversationIn(tx), entry: tails(tx) }, owner: null })
    },
    (tx) =>
      tx.addTask({
        conversation: conversationIn(tx),
        kind: "job",
        version: b,
        input: { b },
        phase: "p",
        checkpoint: { a },
      }),
    (tx) => {
      const task = pick(tx.live.tasks.keys(), a)
      if (task) tx.setTask(task, { status: b % 2 ? "waiting" : "pending", facts: { b }, phase: `p${b % 3}` })
    },
    (tx) => {
      const task = pick(tx.live.tasks.keys(), a)
      if (task) tx.setTask(task, { status: endStatuses[b % endStatuses.length] ?? "failed", outcome: { b } })
    },
    (tx) => tx.submit({ conversation: conversationIn(tx), requestId: `r${b % 20}`, kind: "input", data: { b } }),
    (tx) => {
      const submission = pick(tx.live.submissions.keys(), a)
      if (submission) tx.setSubmission(submission, { status: b % 3 ? "placed" : "done", reason: `${b}` })
    },
    (tx) => {
      const name = `d${a % 5}`
      if (b % 4 === 0 && tx.live.document(0, name)) tx.retireDocument(0, name)
      else tx.setDocument(0, name, { b })
    },
  ]
  return deeds[kind] ?? (() => undefined)
}

async function picture(ledger: Ledger): Promise<unknown> {
  const conversations = [...ledger.live.conversations.keys()]
  const histories = conversations.map(async (conversation) => ({
    entries: await ledger.entries({ conversation }),
    page: await ledger.entries({ conversation, limit: 3 }),
    head: await ledger.newestHead(conversation),
    tail: ledger.live.tail(conversation),
  }))
  const requests = conversations.flatMap((conversation) => {
    return Array.from({ length: 20 }, (_, n) => ledger.submissionByRequest(conversation, `r${n}`))
  })
  const { entries, tasks } = await ledger.counts()
  return {
    conversations: [...ledger.live.conversations.values()],
    tasks: [...ledger.live.tasks.values()],
    submissions: [...ledger.live.submissions.values()],
    documents: [...ledger.live.documents()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    histories: await Promise.all(histories),
    requests: await Promise.all(requests),
    counts: { entries, tasks },
  }
}

for (let seed = 1; seed <= seeds; seed++) {
  test(`random work is the same in a file and in memory (seed ${seed})`, async () => {
    const { dataDir, remove } = scratch()
    const clock = new ManualClock()
    const place = { dataDir, id: uuidv7(clock.now()), clock }
    const next = chance(seed)
    const memory = await ledgerOn(new MemoryStorage(), clock)
    let file = await createSession(place)
    for (let step = 0; step < steps; step++) {
      const deeds = Array.from({ length: 1 + next(4) }, () => deed(next))
      const fails = next(6) === 0
      const flush = next(2) ? "flushed" : "relaxed"
      const work = (tx: Tx): void => {
        for (const each of deeds) each(tx)
        if (fails) throw new Error("on purpose")
      }
      for (const ledger of [memory, file]) {
        if (fails) expect(() => ledger.commit(flush, work)).toThrow("on purpose")
        else await ledger.commit(flush, work).stored
      }
      const end = next(12)
      if (end === 0) {
        await file.close()
        file = await openSession(place)
      }
      if (end === 1) file = await overtake(place, file)
      await clock.advance(next(1_000))
    }
    expect(await picture(file)).toEqual(await picture(memory))
    expect(await file.verify(true)).toEqual([])
    await file.close()
    await memory.close()
    remove()
  })
}

/** Opens the session under its owner, as if that one had been forgotten by the kernel. */
async function overtake(place: { dataDir: string; id: string; clock: ManualClock }, before: Ledger): Promise<Ledger> {
  const paths = sessionPaths(place.dataDir, place.id)
  rmSync(paths.lock)
  const after = await openSession(place)
  expect(after.unclean).toBe(true)
  expect(() => before.commit("relaxed", (tx) => tx.setDocument(0, "late", 1))).toThrow("opened by another process")
  await before.close()
  // The one that left has taken nothing with it.
  expect(openedHere(paths)).toBeDefined()
  return after
}
