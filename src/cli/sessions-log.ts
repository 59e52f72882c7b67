/**
 * `cairn sessions log`: the entries of all conversations of a session as they come, one JSON object a line with `--json`, else as Markdown.
 *
 * - With `--follow` it goes on with what is written while somebody works on the session, which it never holds up.
 */
import { sleep, systemClock } from "../std/clock.ts"
import { entryRecord } from "../engine/entries.ts"
import { readEntries } from "../ledger/peek.ts"
import { entryText } from "../protocol/transcript.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print, printed } from "./columns.ts"
import { readPerson } from "./person.ts"
import { findSession } from "./sessions.ts"
import { Stop } from "./stop.ts"

/** Between two looks: soon enough for a person who watches, seldom enough to cost nothing. */
const lookMs = 200
const pageEntries = 200

export async function logSession(mode: CommandMode): Promise<number> {
  const { dirs } = await readPerson(mode.run, false)
  const [name] = mode.words
  if (name === undefined) throw new Stop("say of which session. See: cairn sessions list", 2)
  const id = await findSession(dirs.data, name)
  for (let after = 0; ;) {
    const page = await readEntries({ dataDir: dirs.data, id }, after, pageEntries)
    if (page.state !== "ok") throw new Stop(page.note, 1)
    for (const entry of page.entries.map(entryRecord)) {
      const text = mode.options.has("json") ? JSON.stringify(entry) : entryText(entry)
      if (text !== "") print(`${text}\n${mode.options.has("json") ? "" : "\n"}`)
      after = entry.id
    }
    if (!(await printed())) return 0
    if (page.entries.length === pageEntries) continue
    if (!mode.options.has("follow")) return 0
    await sleep(systemClock, lookMs)
  }
}
