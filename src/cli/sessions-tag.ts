/** `cairn sessions tag`: words by which a session is found again, shown, given and taken away. */
import { readSession } from "../ledger/peek.ts"
import type { SessionDocument } from "../protocol/records.ts"
import { tagsFrom, tagsText } from "../protocol/tags.ts"
import { changeSession } from "./session-change.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print } from "./columns.ts"
import { readPerson } from "./person.ts"
import { findSession } from "./sessions.ts"
import { Stop } from "./stop.ts"

async function tagsOf(dataDir: string, id: string): Promise<readonly string[]> {
  const peek = await readSession({ dataDir, id })
  if (peek.state !== "ok") throw new Stop(`session ${id} cannot be read: ${peek.note}`, 1)
  const document = peek.documents.find(({ name }) => name === "session")?.value as SessionDocument | undefined
  return document?.tags ?? []
}

/** What a session cannot be changed for is told in its own words. */
async function change(dataDir: string, id: string, tags: readonly string[]): Promise<void> {
  try {
    await changeSession(dataDir, id, { tags })
  } catch (error) {
    throw error instanceof Error ? new Stop(error.message, 1) : error
  }
}

export async function tagSession(mode: CommandMode): Promise<number> {
  const { dirs } = await readPerson(mode.run, false)
  const [name, ...words] = mode.words
  const given = tagsFrom(words.join(" "))
  const remove = mode.options.has("remove")
  if (name === undefined) throw new Stop("say which session: cairn sessions tag <id> [tag …]", 2)
  if (remove && given.length === 0)
    throw new Stop("say which tags to take away: cairn sessions tag <id> <tag …> --remove", 2)
  const id = await findSession(dirs.data, name)
  const before = await tagsOf(dirs.data, id)
  const tags = remove ? before.filter((tag) => !given.includes(tag)) : tagsFrom([...before, ...given].join(" "))
  if (given.length > 0) await change(dirs.data, id, tags)
  if (mode.options.has("json")) print(`${JSON.stringify({ id, tags })}\n`)
  else if (tags.length > 0) print(`${tagsText(tags)}\n`)
  return 0
}
