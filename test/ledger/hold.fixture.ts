/**
 * Another process that holds a session: `hold.fixture.ts <dataDir> <id> [child]`. Says `held <epoch>`, then does what
 * each line of its input says: `commit`, `close <successor>`, `socket <path>`; ends with its input. `child`: it has
 * started a process that outlives it.
 */
import { openSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"

const [dataDir = "", id = "", child] = process.argv.slice(2)
const ledger = await openSession({ dataDir, id, clock: systemClock })
if (child !== undefined) {
  const sleeper = Bun.spawn(["sleep", "60"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" })
  console.log(`child ${sleeper.pid}`)
}
console.log(`held ${ledger.epoch}`)
for await (const line of console) {
  const [word, argument] = line.split(" ")
  try {
    if (word === "commit") {
      await ledger.commit("flushed", (tx) => tx.addEntry({ conversation: 1, kind: "note", data: {} })).stored
    }
    if (word === "socket") ledger.setSocket(argument ?? null)
    if (word === "close") await ledger.close(argument === undefined ? undefined : Number(argument))
    console.log(`done ${word}`)
  } catch (error) {
    console.log(`failed ${error instanceof Error ? error.name : String(error)}`)
  }
}
