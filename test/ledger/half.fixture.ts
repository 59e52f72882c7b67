/**
 * Dies in the middle of a transaction that SQLite has begun to write into the ledger's own file, since there is no WAL.
 */
import { Database } from "bun:sqlite"

const db = new Database(process.argv[2] ?? "")
db.run("PRAGMA journal_mode = DELETE")
db.run("PRAGMA cache_size = 2")
db.run("PRAGMA cache_spill = 1")
db.run("BEGIN IMMEDIATE")
db.run("UPDATE entries SET data = '{}'")
db.run("CREATE TABLE filler (text TEXT)")
for (let n = 0; n < 200; n++) db.run("INSERT INTO filler VALUES (?)", ["x".repeat(900)])
process.kill(process.pid, "SIGKILL")
