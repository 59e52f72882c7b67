/** Tells what this process holds of its executable that is not code, in kilobytes: before and after giving back. */
import { readFileSync, realpathSync } from "node:fs"
import { giveBack } from "../../src/std/give-back.ts"

function held(): number {
  if (process.platform !== "linux") return 0
  const own = realpathSync(process.execPath)
  let counts = false
  let sum = 0
  for (const line of readFileSync("/proc/self/smaps", "latin1").split("\n")) {
    if (/^[0-9a-f]+-/.test(line)) counts = line.endsWith(own) && / r[w-]-p /.test(line)
    else if (counts && line.startsWith("Rss:")) sum += Number(/\d+/.exec(line)?.[0])
  }
  return sum
}

const before = held()
giveBack()
const after = held()
// What is used after that is as it was.
const works = JSON.parse('{"a": [1, "中"]}').a[1] === "中" && new Intl.NumberFormat("en").format(12_345) === "12,345"
process.stdout.write(JSON.stringify({ before, after, works }))
