/** Another program that holds a ledger's file for itself until its input ends. */
import { Database } from "bun:sqlite"

const db = new Database(process.argv[2] ?? "")
db.run("PRAGMA busy_timeout = 5000")
db.run("BEGIN IMMEDIATE")
console.log("held")
await Bun.stdin.text()
db.run("ROLLBACK")
db.close()
