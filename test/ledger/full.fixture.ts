/**
 * Appends to a spool until the disk takes no more, then something that still fits; started with a limit on the size of
 * files.
 */
import { sessionPaths } from "../../src/ledger/folder.ts"
import { SpoolFiles } from "../../src/ledger/spool-file.ts"

const [dataDir = "", id = ""] = process.argv.slice(2)
const spools = new SpoolFiles(sessionPaths(dataDir, id), 1)
const spool = spools.open(5, 1)
const told: unknown[] = []
for (const text of ["a".repeat(400), "b".repeat(400), "c".repeat(400), "d".repeat(400), "fits"]) {
  try {
    told.push(spool.append(text))
  } catch (error) {
    told.push(error instanceof Error && "code" in error ? error.code : String(error))
  }
}
console.log(JSON.stringify({ told, size: spool.size, read: (await spools.read(5, 1)).map((text) => text.slice(0, 4)) }))
