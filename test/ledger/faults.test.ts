/** What a ledger does when its storage refuses, stays silent, or belongs to somebody else by now. */
import { describe, expect, test } from "bun:test"
import { Poisoned } from "../../src/ledger/errors.ts"
import { StaleOwner } from "../../src/ledger/ledger.ts"
import type { Health, Ledger } from "../../src/ledger/ledger.ts"
import { MemoryStorage } from "../../src/ledger/memory.ts"
import { Rejected, Unknown } from "../../src/ledger/storage.ts"
import type { Batch } from "../../src/ledger/storage.ts"
import { ledgerOn, writing } from "../support/ledger-backends.ts"
import { ManualClock, settle } from "../support/manual-clock.ts"
import { say } from "../support/ledger-deeds.ts"

type Fault = (batch: Batch) => Error | undefined

/** A ledger whose writes fail as `fault` says, at once or later; the opening's is asked about too. */
async function faulty(
  fault: Fault,
  late: boolean,
  clock = new ManualClock(),
): Promise<{ ledger: Ledger; clock: ManualClock }> {
  const storage = new MemoryStorage()
  const atOnce = (batch: Batch): void => {
    const error = fault(batch)
    if (error) throw error
    storage.write(batch)
  }
  const later = async (batch: Batch): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    atOnce(batch)
  }
  return { ledger: await ledgerOn(writing(storage, late ? later : atOnce), clock), clock }
}

const outcome = (promise: Promise<void>): Promise<unknown> =>
  promise.then(
    () => "stored",
    (error: unknown) => error,
  )

for (const late of [false, true]) {
  describe(late ? "where storage answers later" : "where storage answers at once", () => {
    test("a rejected batch is kept and stored once the disk takes it, whichever it is", async () => {
      for (let nth = 2; nth <= 7; nth++) {
        let refusals = 3
        const { ledger, clock } = await faulty(
          ({ seq }) => (seq === nth && refusals-- > 0 ? new Rejected("disk full") : undefined),
          late,
        )
        const told: number[] = []
        ledger.watch(({ seq }) => told.push(seq))
        const receipts = [2, 3, 4, 5, 6].map((seq) => ledger.commit("flushed", (tx) => say(tx, `${seq}`)))
        await settle()
        expect(told).toEqual([2, 3, 4, 5, 6].filter((seq) => seq < nth))
        expect(ledger.health().state).toBe(nth <= 6 ? "waiting" : "ok")
        // All of it is there for whoever reads, whether it is stored or not.
        expect((await ledger.entries({ conversation: 1 })).map(({ data }) => data["text"])).toEqual([
          "2",
          "3",
          "4",
          "5",
          "6",
        ])
        await clock.advance(250 + 500 + 1000)
        expect(told).toEqual([2, 3, 4, 5, 6])
        expect(ledger.health()).toEqual({ state: "ok" })
        await Promise.all(receipts.map(({ stored }) => stored))
        await ledger.close()
      }
    })

    test("it is tried again after ever longer times, up to thirty seconds", async () => {
      const tries: number[] = []
      const { ledger, clock } = await faulty(({ seq }) => {
        if (seq !== 2) return undefined
        tries.push(clock.now() - start)
        return tries.length > 10 ? undefined : new Rejected("busy")
      }, late)
      const start = clock.now()
      const health: Health[] = []
      ledger.watchHealth((now) => health.push(now))
      const { stored } = ledger.commit("flushed", (tx) => say(tx, "a"))
      await clock.advance(10 * 60_000)
      const pauses = tries.map((at, n) => at - (tries[n - 1] ?? 0))
      expect(pauses).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
      expect(await outcome(stored)).toBe("stored")
      expect(health.at(0)).toEqual({ state: "waiting", reason: "busy", since: start })
      expect(health.at(-1)).toEqual({ state: "ok" })
      expect(new Set(health.slice(0, -1).map((each) => (each.state === "waiting" ? each.since : null)))).toEqual(
        new Set([start]),
      )
      await ledger.close()
    })

    test("a session that is closed while the disk is full tries once more and says what was lost", async () => {
      let full = true
      const { ledger } = await faulty(({ seq }) => (seq > 1 && full ? new Rejected("disk full") : undefined), late)
      const lost = ledger.commit("flushed", (tx) => say(tx, "a"))
      const queued = ledger.commit("relaxed", (tx) => say(tx, "b"))
      await settle()
      expect(await outcome(ledger.close())).toBeInstanceOf(Rejected)
      expect(await outcome(lost.stored)).toBeInstanceOf(Rejected)
      expect(await outcome(queued.stored)).toBeInstanceOf(Rejected)

      const { ledger: other } = await faulty(
        ({ seq }) => (seq > 1 && full ? new Rejected("disk full") : undefined),
        late,
      )
      const saved = other.commit("flushed", (tx) => say(tx, "a"))
      await settle()
      full = false
      await other.close()
      expect(await outcome(saved.stored)).toBe("stored")
    })

    test("a batch whose fate is unknown ends the session: nothing more is told, taken or begun", async () => {
      const { ledger } = await faulty(({ seq }) => (seq === 3 ? new Unknown("I/O error in COMMIT") : undefined), late)
      const told: number[] = []
      const health: Health[] = []
      ledger.watch(({ seq }) => told.push(seq))
      ledger.watchHealth((now) => health.push(now))
      const receipts = [2, 3, 4].map((seq) => {
        return seq === 4 && !late ? null : ledger.commit("flushed", (tx) => say(tx, `${seq}`))
      })
      await settle()
      expect(told).toEqual([2])
      expect(await outcome(receipts[0]?.stored ?? Promise.resolve())).toBe("stored")
      expect(await outcome(receipts[1]?.stored ?? Promise.resolve())).toBeInstanceOf(Poisoned)
      if (late) expect(await outcome(receipts[2]?.stored ?? Promise.resolve())).toBeInstanceOf(Poisoned)
      expect(health).toEqual([{ state: "poisoned", reason: expect.stringContaining("I/O error in COMMIT") as string }])
      expect(() => ledger.commit("relaxed", (tx) => say(tx, "more"))).toThrow(Poisoned)
      expect(() => ledger.assertOwner()).toThrow(Poisoned)
      await ledger.close()
    })

    test("a session whose opening is refused does not open", async () => {
      expect(await faulty(() => new Rejected("disk full"), late).catch((error: unknown) => error)).toBeInstanceOf(
        Rejected,
      )
    })
  })
}

test("an owner that was overtaken is refused, and nothing has changed", async () => {
  const storage = new MemoryStorage()
  const first = await ledgerOn(storage, new ManualClock())
  await first.commit("flushed", (tx) => say(tx, "mine")).stored
  const second = await ledgerOn(storage, new ManualClock())
  expect(second.epoch).toBe(first.epoch + 1)
  expect(() => first.assertOwner()).toThrow(StaleOwner)
  const before = [...first.live.tasks]
  expect(() => first.commit("flushed", (tx) => say(tx, "late"))).toThrow(StaleOwner)
  expect([...first.live.tasks]).toEqual(before)
  expect(() => first.commit("relaxed", (tx) => say(tx, "later"))).toThrow(StaleOwner)
  expect(first.health().state).toBe("poisoned")
  expect((await second.entries({ conversation: 1 })).length).toBe(1)
  second.assertOwner()
  await first.close()
  await second.commit("flushed", (tx) => say(tx, "still mine")).stored
})

test("an owner that was overtaken while its commits waited has them refused", async () => {
  const storage = new MemoryStorage()
  let full = false
  const clock = new ManualClock()
  const first = await ledgerOn(
    writing(storage, (batch) => {
      if (full) throw new Rejected("disk full")
      storage.write(batch)
    }),
    clock,
  )
  full = true
  const { stored } = first.commit("flushed", (tx) => say(tx, "waiting"))
  const second = await ledgerOn(storage, clock)
  full = false
  await clock.advance(1_000)
  expect(await outcome(stored)).toBeInstanceOf(StaleOwner)
  expect(await second.entries({ conversation: 1 })).toEqual([])
})

test("a write that fails as no weather does is a bug: nothing has changed and the next commit is taken", async () => {
  const { ledger } = await faulty(({ changes }) => (changes.length === 2 ? new TypeError("oops") : undefined), false)
  expect(() => ledger.commit("flushed", (tx) => [say(tx, "a"), say(tx, "b")])).toThrow(TypeError)
  expect(ledger.commit("flushed", (tx) => say(tx, "c")).value).toBe(2)
  expect((await ledger.entries({ conversation: 1 })).map(({ data }) => data["text"])).toEqual(["c"])
  await ledger.close()
})

test("ten thousand commits may wait for a disk, and not one more", async () => {
  const { ledger } = await faulty(({ seq }) => (seq > 1 ? new Rejected("disk full") : undefined), false)
  for (let n = 0; n < 10_000; n++) ledger.commit("relaxed", (tx) => tx.setDocument(0, "n", n))
  expect(() => ledger.commit("relaxed", (tx) => tx.setDocument(0, "n", -1))).toThrow(Rejected)
  expect(ledger.live.document(0, "n")?.value).toBe(9_999)
  expect(await outcome(ledger.close())).toBeInstanceOf(Rejected)
})
