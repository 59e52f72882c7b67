/** Two processes that race for a session whose owner has died: again and again, shifted against each other, with one winner each time. */
import { cpSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { sessionPaths, type SessionPaths } from "../../src/ledger/folder.ts"
import { self } from "../../src/ledger/holder.ts"
import { createSession } from "../../src/ledger/open.ts"
import { systemClock } from "../../src/std/clock.ts"
import { uuidv7 } from "../../src/std/id.ts"
import { scratch } from "./ledger-backends.ts"

const fixture = join(dirname(import.meta.dir), "ledger", "race.fixture.ts")

class Racer {
  readonly #child = Bun.spawn([process.execPath, fixture], { stdin: "pipe", stdout: "pipe" })
  readonly #lines: AsyncIterator<string>

  constructor() {
    this.#lines = linesOf(this.#child.stdout)
  }

  get pid(): number {
    return this.#child.pid
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`)
    void this.#child.stdin.flush()
  }

  async hear(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error("a racer ended")
    return value
  }

  async end(): Promise<void> {
    this.#child.kill()
    await this.#child.exited
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
}

export type RaceSummary = {
  readonly rounds: number
  /** How often the first of the two won: neither always does, or they were no race. */
  readonly first: number
  readonly problems: readonly string[]
}

/** `random` (0 to 1) shifts the two against each other. */
export async function race(rounds: number, random: () => number): Promise<RaceSummary> {
  const { dataDir, remove } = scratch()
  const template = await deadSession(dataDir)
  const racers = [new Racer(), new Racer()] as const
  const problems: string[] = []
  let first = 0
  try {
    for (const racer of racers) await racer.hear()
    for (let round = 0; round < rounds; round++) {
      const id = uuidv7(Date.now())
      const paths = sessionPaths(dataDir, id)
      cpSync(template.folder, paths.folder, { recursive: true })
      for (const racer of racers) racer.say(`${dataDir} ${id} ${Math.floor(random() * 200_000)}`)
      const heard = await Promise.all(racers.map((racer) => racer.hear()))
      const won = heard.map((line) => line === "won 2 true")
      const winner = racers[won.indexOf(true)]
      const told = heard.filter((line) => line.startsWith("lost to")).map((line) => line.slice("lost to ".length))
      if (won.filter(Boolean).length !== 1 || told[0] !== String(winner?.pid))
        problems.push(`${round}: ${heard.join(" | ")}`)
      if (won[0] === true) first++
      for (const racer of racers) racer.say("close")
      for (const racer of racers) await racer.hear()
      rmSync(paths.folder, { recursive: true })
    }
    return { rounds, first, problems }
  } finally {
    await Promise.all(racers.map((racer) => racer.end()))
    remove()
  }
}

/** A session that was not closed: its lock names a process of this boot that is gone. */
async function deadSession(dataDir: string): Promise<SessionPaths> {
  const id = uuidv7(Date.now())
  const paths = sessionPaths(dataDir, id)
  const ledger = await createSession({ dataDir, id, clock: systemClock })
  const copy = join(dataDir, "template")
  // By another process: closing a descriptor of the database here would drop this process's locks of it.
  Bun.spawnSync(["cp", "-r", paths.folder, copy])
  await ledger.close()
  const holder = { ...self(), startTime: "0", epoch: 1, socket: null, since: Date.now() }
  writeFileSync(join(copy, "lock"), JSON.stringify(holder).padEnd(1024))
  return { ...paths, folder: copy }
}
