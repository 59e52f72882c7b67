/** `cairn sessions search`: the lines of all sessions that hold a text, newest first. */
import { systemClock } from "../std/clock.ts"
import { cleanLine } from "../std/clean.ts"
import { shortId } from "../std/id.ts"
import { tagsFrom } from "../protocol/tags.ts"
import type { SessionHit } from "../protocol/sessions.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print, when } from "./columns.ts"
import { readPerson } from "./person.ts"
import { indexAll, searchSessions } from "./session-search.ts"
import { summaries } from "./session-rows.ts"
import { Stop } from "./stop.ts"

const limitDefault = 100
const pageMax = 100
/** After this long a person is told why nothing is shown yet. */
const patienceMs = 1_000

/** Reads what is new into the index, so that the search is over everything that was said. */
async function readAll(dataDir: string): Promise<void> {
  await summaries(dataDir, { archived: true })
  const until = systemClock.monotonic() + patienceMs
  let told = false
  await indexAll(dataDir, async () => {
    if (!told && systemClock.monotonic() > until) {
      told = true
      if (process.stderr.isTTY) process.stderr.write("cairn: reading sessions that were not searched before …\n")
    }
    return true
  })
}

function hitText(hit: SessionHit): string {
  const place = hit.entry === 0 ? "title" : `e${hit.entry}`
  const line = cleanLine(hit.line).trim()
  return `${shortId(hit.session)}  ${place}  ${when(hit.at)}  ${hit.kind}  ${line}\n`
}

function limitOf(mode: CommandMode): number {
  const asked = mode.values.get("limit")
  const limit = asked === undefined ? limitDefault : Number(asked)
  if (!Number.isSafeInteger(limit) || limit < 1) throw new Stop(`--limit ${asked} is no count: give one such as 20`, 2)
  return limit
}

export async function searchCommand(mode: CommandMode): Promise<number> {
  const person = await readPerson(mode.run, false)
  const text = mode.words.join(" ")
  if (text.trim() === "") throw new Stop("say what to search for: cairn sessions search <text>", 2)
  const dataDir = person.dirs.data
  const folder = mode.options.has("here") ? person.folder : undefined
  const tags = tagsFrom(mode.values.get("tag") ?? "")
  await readAll(dataDir)
  let left = limitOf(mode)
  let after: string | undefined
  let found = 0
  do {
    const page = await searchSessions(
      dataDir,
      { text, folder, tags, after, limit: Math.min(left, pageMax) },
      systemClock,
    )
    for (const hit of page.hits) print(mode.options.has("json") ? `${JSON.stringify(hit)}\n` : hitText(hit))
    if (page.unread > 0) tellUnread(page.unread)
    found += page.hits.length
    left -= page.hits.length
    after = page.more ?? undefined
  } while (after !== undefined && left > 0)
  if (found === 0) process.stderr.write("cairn: that was not said in any session\n")
  else if (after !== undefined) process.stderr.write("cairn: there is more; --limit shows it\n")
  return found === 0 ? 1 : 0
}

function tellUnread(count: number): void {
  const what = count === 1 ? "1 session" : `${count} sessions`
  process.stderr.write(`cairn: ${what} could not be searched whole; cairn sessions list --all says more\n`)
}
