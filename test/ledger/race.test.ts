/** Two processes and one session: a race for a dead owner's, and an owner that stands still while another takes over. */
import { afterEach, expect, test } from "bun:test"
import { join } from "node:path"
import { startTimeOf } from "../../src/ledger/holder.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { ManualClock } from "../support/manual-clock.ts"
import { race } from "../support/race.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** As many as take a few seconds; the bench `race` makes ten thousand. */
const rounds = 60

test("P4, T17: of two that race for a dead owner's session one wins, every time, and the other is told who", async () => {
  let seed = 7
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
  const summary = await race(rounds, random)
  expect(summary.problems).toEqual([])
  expect(summary.first).toBeGreaterThan(0)
  expect(summary.first).toBeLessThan(rounds)
}, 120_000)

test("T16: an owner that was stopped in mid-work is refused to others, and ended by who takes over", async () => {
  const { dataDir, remove } = scratch()
  cleanups.push(remove)
  const place = { dataDir, id: uuidv7(Date.now()), clock: systemClock }
  await (await createSession(place)).close()
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, "hold.fixture.ts"), dataDir, place.id], {
    stdin: "pipe",
    stdout: "pipe",
  })
  cleanups.push(() => holder.kill("SIGKILL"))
  await holder.stdout.getReader().read()
  process.kill(holder.pid, "SIGSTOP")
  await expect(openSession(place)).rejects.toThrow(`held by process ${holder.pid}`)
  // It does not hear that it is asked to go; when its time is up it is ended.
  const clock = new ManualClock(Date.now())
  const opening = openSession({ ...place, clock, takeOver: true })
  let open = false
  void opening.finally(() => (open = true))
  while (!open) {
    await clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const ledger = await opening
  expect(startTimeOf(holder.pid)).toBeNull()
  expect([ledger.epoch, ledger.unclean]).toEqual([3, true])
  await ledger.close()
})
