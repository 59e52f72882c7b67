/** A process that is killed while it takes something away: all of it is gone or none, what else there is stands as it was, and it can be done again. */
import { expect, test } from "bun:test"
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sessionPaths } from "../../src/ledger/folder.ts"
import { deleteSession, listSessions } from "../../src/ledger/list.ts"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { isPruned } from "../../src/ledger/records.ts"
import { pruneSession, sweepLeftovers } from "../../src/ledger/space.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"
import { say, texts } from "../support/ledger-deeds.ts"

const clock = systemClock
const entryCount = 400
const outputCount = 200

type Place = { readonly dataDir: string; readonly id: string; readonly clock: typeof clock }

/** A session that is large enough for its removal to take a moment. */
async function large(dataDir: string): Promise<Place> {
  const place = { dataDir, id: uuidv7(Date.now()), clock }
  const ledger = await createSession(place)
  ledger.commit("flushed", (tx) => {
    for (let n = 0; n < entryCount; n++) say(tx, "x".repeat(10_000))
  })
  await ledger.close()
  const { output } = sessionPaths(dataDir, place.id)
  for (let n = 0; n < outputCount; n++) writeFileSync(join(output, String(n)), "an output\n".repeat(100))
  return place
}

/** How many there are; the folder may be gone at any moment. */
function outputsOf(folder: string): number {
  try {
    return readdirSync(folder).length
  } catch {
    return 0
  }
}

/** Kills the process that does it once `begun` says that it has an effect. */
async function killed(what: "delete" | "prune", { dataDir, id }: Place, begun: () => boolean): Promise<void> {
  const script = join(import.meta.dir, "removal.fixture.ts")
  const child = Bun.spawn([process.execPath, script, what, dataDir, id], { stdout: "pipe" })
  for await (const bytes of child.stdout) if (Buffer.from(bytes).toString().includes("begun")) break
  while (child.exitCode === null && !begun()) await new Promise((resolve) => setImmediate(resolve))
  child.kill("SIGKILL")
  await child.exited
}

test("T25: a deletion that is killed leaves the session whole or nothing that is one, and no other session is touched", async () => {
  const { dataDir, remove } = scratch()
  const other = await large(dataDir)
  const listed = (): readonly string[] => listSessions(dataDir).map(({ id }) => id)
  const signs: readonly ((place: Place) => boolean)[] = [
    () => true,
    ({ id }) => !existsSync(sessionPaths(dataDir, id).format),
    ({ id }) => outputsOf(sessionPaths(dataDir, id).output) < outputCount,
  ]
  for (const sign of signs) {
    const place = await large(dataDir)
    const paths = sessionPaths(dataDir, place.id)
    await killed("delete", place, () => sign(place))
    if (existsSync(paths.format)) {
      const ledger = await openSession(place)
      expect(await ledger.verify(true)).toEqual([])
      expect(texts(await ledger.entries({ conversation: 1, limit: 1_000 }))).toHaveLength(entryCount)
      await ledger.close()
      expect(readdirSync(paths.output)).toHaveLength(outputCount)
      deleteSession(place, Date.now())
    }
    expect(listed()).toEqual([other.id])
    // What is left of it goes with the first sweep behind its time.
    sweepLeftovers(dataDir, Date.now() + 3_600_000)
    expect(existsSync(paths.folder)).toBe(false)
  }
  const ledger = await openSession(other)
  expect(await ledger.verify(true)).toEqual([])
  await ledger.close()
  remove()
}, 120_000)

test("T25: a pruning that is killed has let go of all it should or of nothing, and the next one gives the space back", async () => {
  const { dataDir, remove } = scratch()
  const signs: readonly ((place: Place, bytes: number) => boolean)[] = [
    () => true,
    ({ id }) => (statSync(sessionPaths(dataDir, id).wal, { throwIfNoEntry: false })?.size ?? 0) > 0,
    ({ id }) => outputsOf(sessionPaths(dataDir, id).output) < outputCount,
    ({ id }, bytes) => statSync(sessionPaths(dataDir, id).db).size !== bytes,
  ]
  for (const sign of signs) {
    const place = await large(dataDir)
    const { db } = sessionPaths(dataDir, place.id)
    const before = statSync(db).size
    await killed("prune", place, () => sign(place, before))
    const ledger = await openSession(place)
    expect(await ledger.verify(true)).toEqual([])
    const entries = await ledger.entries({ conversation: 1, limit: 1_000 })
    expect(entries).toHaveLength(entryCount)
    expect([0, entryCount]).toContain(entries.filter(isPruned).length)
    await ledger.close()
    await pruneSession(place, { before: Date.now() + 1, kinds: ["note"] })
    expect(statSync(db).size).toBeLessThan(before / 4)
    expect(readdirSync(sessionPaths(dataDir, place.id).output)).toEqual([])
  }
  remove()
}, 120_000)
