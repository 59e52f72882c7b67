/** `cairn sessions fork`: a new session that begins as a copy of another, up to an entry. The other one is only read. */
import { shortId, uuidv7 } from "../std/id.ts"
import { systemClock } from "../std/clock.ts"
import { callsKept, forkOf, historyOf } from "../engine/copy.ts"
import { copyKept } from "../ledger/check.ts"
import { sessionPaths } from "../ledger/folder.ts"
import { createFrom } from "../ledger/open.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print } from "./columns.ts"
import { readPerson } from "./person.ts"
import { findSession } from "./sessions.ts"
import { conversationOf, idOf, wholeSession } from "./sessions-show.ts"
import { Stop } from "./stop.ts"

export type Forked = { readonly id: string; readonly entry: number }

/** A new session of what `conversation` of session `from` saw at `entry` (its newest where left out). */
export async function forked(dataDir: string, from: string, which?: string, at?: string): Promise<Forked> {
  const records = wholeSession(dataDir, from)
  const conversation = conversationOf(records, which)
  const seen = historyOf(records, conversation)
  const entry = at === undefined ? seen.at(-1)?.id : idOf(at, "e")
  if (entry === undefined || !seen.some(({ id }) => id === entry))
    throw new Stop(`there is no entry ${at ?? ""} in c${conversation} of ${shortId(from)} to fork at`, 2)
  const now = systemClock.now()
  const id = uuidv7(now)
  const copy = forkOf(records, conversation, entry, { from, to: id, now })
  await createFrom({ dataDir, id, clock: systemClock }, copy)
  copyKept(sessionPaths(dataDir, from), sessionPaths(dataDir, id), callsKept(copy.entries))
  return { id, entry }
}

export async function forkSession(mode: CommandMode): Promise<number> {
  const { dirs } = await readPerson(mode.run, false)
  const [name, ...rest] = mode.words
  if (name === undefined) throw new Stop("say which session to fork. See: cairn sessions list", 2)
  const entryFirst = rest[0]?.startsWith("e") === true
  const [which, at] = entryFirst ? [undefined, rest[0]] : rest
  const from = await findSession(dirs.data, name)
  const { id, entry } = await forked(dirs.data, from, which, at)
  if (mode.options.has("json")) print(`${JSON.stringify({ id, from, entry })}\n`)
  else print(`${shortId(id)}  copied up to e${entry}; go on with: cairn --session ${shortId(id)}\n`)
  return 0
}
