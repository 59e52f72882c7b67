/** Deletes or prunes the session that it is told, having said so: to be killed meanwhile. */
import { deleteSession } from "../../src/ledger/list.ts"
import { pruneSession } from "../../src/ledger/space.ts"
import { systemClock } from "../../src/std/clock.ts"

const [what, dataDir = "", id = ""] = process.argv.slice(2)
process.stdout.write("begun\n")
if (what === "delete") deleteSession({ dataDir, id }, Date.now())
else await pruneSession({ dataDir, id, clock: systemClock }, { before: Date.now() + 1, kinds: ["note"] })
