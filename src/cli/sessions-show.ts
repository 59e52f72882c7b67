/** `cairn sessions show`: a transcript as Markdown, or its entries as JSON, one a line. */
import { existsSync } from "node:fs"
import { historyOf } from "../engine/copy.ts"
import { entryRecord } from "../engine/entries.ts"
import { readWhole, type AllRecords } from "../ledger/peek.ts"
import type { EntryRecord, SessionDocument } from "../protocol/records.ts"
import { transcriptText } from "../protocol/transcript.ts"
import type { CommandMode } from "./sessions-command.ts"
import { print } from "./columns.ts"
import { readPerson } from "./person.ts"
import { findSession } from "./sessions.ts"
import { Stop } from "./stop.ts"

/** All of a session, without opening it. Throws {@link Stop} (1) where it cannot be read. */
export function wholeSession(dataDir: string, id: string): AllRecords {
  const whole = readWhole({ dataDir, id })
  if (whole.state !== "ok") throw new Stop(whole.note, 1)
  return whole.records
}

export function sessionDocument(records: AllRecords): SessionDocument | undefined {
  const found = records.documents.find(({ conversation, name }) => conversation === 0 && name === "session")
  return found?.value as SessionDocument | undefined
}

/** The number in `e12`, `c12` or `12`; undefined where the word is none of these. */
export function idOf(word: string, letter: "c" | "e"): number | undefined {
  const digits = new RegExp(`^${letter}?([1-9]\\d{0,15})$`).exec(word)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The conversation that a word names; the root where there is none. Throws {@link Stop} (2). */
export function conversationOf(records: AllRecords, word: string | undefined): number {
  const id = word === undefined ? 1 : idOf(word, "c")
  if (id !== undefined && records.conversations.some((it) => it.id === id)) return id
  const all = records.conversations.map((it) => `c${it.id}`).join(", ")
  throw new Stop(`there is no conversation ${word ?? ""} in this session; there are: ${all}`, 2)
}

/** What a conversation sees, as clients see it. */
export function recordsOf(records: AllRecords, conversation: number): readonly EntryRecord[] {
  return historyOf(records, conversation).map((entry) => withStanding(entryRecord(entry)))
}

/** An entry names where an output was kept; of one that went since, to keep the session small, it is said so. */
function withStanding(record: EntryRecord): EntryRecord {
  const { data } = record
  if (data.kind !== "toolResult" || !("output" in data) || data.output === undefined) return record
  return existsSync(data.output.path)
    ? record
    : { ...record, data: { ...data, output: { ...data.output, dropped: true } } }
}

export async function showSession(mode: CommandMode): Promise<number> {
  const { dirs } = await readPerson(mode.run, false)
  const [name, which] = mode.words
  if (name === undefined) throw new Stop("say which session to show. See: cairn sessions list", 2)
  const id = await findSession(dirs.data, name)
  const records = wholeSession(dirs.data, id)
  const entries = recordsOf(records, conversationOf(records, which))
  const session = sessionDocument(records)
  if (!mode.options.has("json")) print(transcriptText(session, entries))
  else
    print(
      [{ id, ...session, conversations: records.conversations }, ...entries]
        .map((line) => JSON.stringify(line))
        .join("\n") + "\n",
    )
  return 0
}
