/**
 * `bun run bench sessions`: a store of many sessions with much text; how long its list and the first page of a search take, cold and warm, and
 * what the index costs. CAIRN_SESSIONS and CAIRN_MEGABYTES say how much.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { indexAll, searchSessions } from "../../src/cli/session-search.ts"
import { summaries } from "../../src/cli/session-rows.ts"
import { append } from "../../src/engine/entries.ts"
import { begin } from "../../src/engine/engine.ts"
import { createSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { range, type Bench } from "./measure.ts"

const sessions = Number(process.env.CAIRN_SESSIONS ?? 1_000)
const megabytes = Number(process.env.CAIRN_MEGABYTES ?? 100)
const folders = 40
const entryCharacters = 1_200
const runs = 9

/** Words as code and talk have them: few are common, most are rare. */
const stems = "re con pro un in de ex sub trans inter over under out up pre post anti auto co micro".split(" ")
const roots = "turn move write read form act code call place line test build state press point found side".split(" ")
const ends = "ed ing er ion able ment ness ly s es ive al ful less ize ism ist ity ous or".split(" ")

class Words {
  #seed = 12_345

  #next(below: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return this.#seed % below
  }

  word(): string {
    // Twice random: small numbers, so early words, come more often.
    const pick = (list: readonly string[]): string => list[this.#next(this.#next(list.length) + 1)] ?? ""
    const number = this.#next(12) === 0 ? String(this.#next(10_000)) : ""
    return pick(stems) + pick(roots) + pick(ends) + number
  }

  text(characters: number): string {
    let text = ""
    for (let words = 0; text.length < characters; words++) text += this.word() + (words % 9 === 8 ? "\n" : " ")
    return text
  }
}

async function generate(dataDir: string): Promise<void> {
  const words = new Words()
  const entries = Math.ceil((megabytes * 1e6) / sessions / entryCharacters)
  for (let n = 0; n < sessions; n++) {
    const ledger = await createSession({ dataDir, id: uuidv7(1_700_000_000_000 + n * 60_000), clock: systemClock })
    const folder = `/projects/folder-${n % folders}`
    begin(ledger, { folder, agent: { model: "p/m", thinking: "off", tools: [] } })
    ledger.commit("relaxed", (tx) => {
      tx.setDocument(0, "session", { title: `session ${n} ${words.word()}`, folder, createdAt: tx.now }, 1)
      for (let entry = 0; entry < entries; entry++) {
        const text = n === 7 && entry === 3 ? "the one needle in the haystack" : words.text(entryCharacters)
        append(tx, { conversation: 1 }, { kind: "user", content: [{ type: "text", text }], submission: 1 })
      }
    })
    await ledger.close()
  }
}

async function times(work: () => Promise<unknown>): Promise<string> {
  const all: number[] = []
  for (let n = 0; n < runs; n++) {
    const started = performance.now()
    await work()
    all.push(performance.now() - started)
  }
  return range(all, "ms")
}

async function once(work: () => Promise<unknown>): Promise<string> {
  const started = performance.now()
  await work()
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}

async function measured(dataDir: string): Promise<readonly string[]> {
  const rows = [
    `rows of ${sessions} sessions read for the first time: ${await once(() => summaries(dataDir, {}))}`,
    `${megabytes} MB of text read into the index: ${await once(() => indexAll(dataDir, async () => true))}`,
    `index.db: ${(statSync(join(dataDir, "index.db")).size / 1e6).toFixed(0)} MB`,
    `list of all (budget 100 ms): ${await times(() => summaries(dataDir, {}))}`,
    `list of what is known, which a picker shows first: ${await times(() => summaries(dataDir, { quick: true }))}`,
    `list of one folder: ${await times(() => summaries(dataDir, { folder: "/projects/folder-3" }))}`,
    `newest of one folder: ${await times(() => summaries(dataDir, { folder: "/projects/folder-3", limit: 1 }))}`,
  ]
  const queries = {
    common: "turning",
    rare: "needle in the hay",
    absent: "proturning unwritten",
    "two characters": "7 ",
    "two characters, absent": "qz",
  }
  for (const [name, text] of Object.entries(queries)) {
    const page = await searchSessions(dataDir, { text, limit: 50 }, systemClock)
    const count = `${page.hits.length} hits${page.more === null ? "" : ", more to look through"}`
    const ms = await times(() => searchSessions(dataDir, { text, limit: 50 }, systemClock))
    rows.push(`first page of a search, ${name} (budget 100 ms; ${count}): ${ms}`)
  }
  return rows
}

export const indexBenches: readonly Bench[] = [
  {
    name: "sessions",
    async run() {
      const dataDir = mkdtempSync(join(tmpdir(), "cairn-bench-"))
      try {
        await generate(dataDir)
        return await measured(dataDir)
      } finally {
        rmSync(dataDir, { recursive: true, force: true })
      }
    },
  },
]
