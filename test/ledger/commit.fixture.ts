/** Commits and appends without end, and says the number of each once it is acknowledged: `commit.fixture.ts <dataDir> <id>`. */
import { writeSync } from "node:fs"
import { openSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"

const [dataDir = "", id = ""] = process.argv.slice(2)
const ledger = await openSession({ dataDir, id, clock: systemClock })
const task = ledger.commit("flushed", (tx) => {
  const [known] = tx.live.tasks.keys()
  if (known !== undefined) return known
  return tx.addTask({ conversation: 1, kind: "job", version: 1, input: {}, phase: "p", checkpoint: {} }).id
}).value
const spool = ledger.spools.open(task, 1)
for (;;) {
  const n = ledger.live.tail(1)
  spool.append(`${n};`)
  const { stored, value } = ledger.commit(n % 5 === 0 ? "flushed" : "relaxed", (tx) => {
    tx.setDocument(0, "after", n)
    return tx.addEntry({ conversation: 1, kind: "note", data: { after: n } }).id
  })
  await stored
  writeSync(1, `${value}\n`)
}
