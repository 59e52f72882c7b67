/** A process that is killed while it commits as fast as it can, again and again: all that it acknowledged is there, and in order. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { createSession, openSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "../support/ledger-backends.ts"

/** Acknowledgements after which the process is killed: at the start, within a flush, across a checkpoint of the log. */
const rounds = [1, 2, 13, 150, 700]

test("P3: whatever was acknowledged before SIGKILL is there afterwards, committed or appended", async () => {
  const { dataDir, remove } = scratch()
  const place = { dataDir, id: uuidv7(Date.now()), clock: systemClock }
  await (await createSession(place)).close()
  for (const [round, acknowledged] of rounds.entries()) {
    const last = await killAfter(acknowledged, place)
    const ledger = await openSession(place)
    const entries = await ledger.entries({ conversation: 1 })
    const ids = entries.map(({ id }) => id)
    expect(ids).toContain(last)
    // Each names the one before it: none is missing in between.
    expect(entries.map(({ data }) => data["after"])).toEqual([0, ...ids.slice(0, -1)])
    expect(ledger.live.document(0, "after")?.value).toBe(ids.at(-2) ?? 0)
    const [task] = ledger.live.tasks.values()
    const spooled = (await ledger.spools.read(task?.id ?? 0, 1)).join("").split(";").map(Number)
    expect(spooled).toContain(entries.at(-1)?.data["after"] as number)
    expect([ledger.epoch, ledger.unclean]).toEqual([2 + 2 * round + 1, true])
    expect(await ledger.verify(true)).toEqual([])
    await ledger.close()
  }
  remove()
}, 120_000)

/** The last entry that was acknowledged. */
async function killAfter(count: number, { dataDir, id }: { dataDir: string; id: string }): Promise<number> {
  const script = join(import.meta.dir, "commit.fixture.ts")
  const it = Bun.spawn([process.execPath, script, dataDir, id], { stdout: "pipe" })
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of it.stdout) {
    text += decoder.decode(chunk)
    if (text.split("\n").length > count) it.kill("SIGKILL")
  }
  await it.exited
  return Number(text.slice(0, text.lastIndexOf("\n")).split("\n").at(-1))
}
