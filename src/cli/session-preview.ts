/** What a picker shows of a session that is not open: its last exchange. */
import { entryRecord } from "../engine/entries.ts"
import { readNewest } from "../ledger/peek.ts"
import { textOf } from "../message/message.ts"
import type { SessionPreview } from "../protocol/sessions.ts"
import { headChars } from "../std/lines.ts"

/** Entries that are looked through: an exchange with more calls than that is shown by its input or its answer alone. */
const entriesMax = 200
const charactersMax = 2_000

export async function previewOf(dataDir: string, id: string): Promise<SessionPreview> {
  const page = await readNewest({ dataDir, id }, entriesMax)
  const entries = page.state === "ok" ? page.entries.map((entry) => entryRecord(entry).data) : []
  let input = ""
  let answer = ""
  for (const data of entries) {
    if (data.kind === "user" && "content" in data) {
      input = textOf(data)
      answer = ""
    }
    if (data.kind === "assistant" && "message" in data) answer = textOf(data.message) || answer
  }
  return { input: headChars(input, charactersMax), answer: headChars(answer, charactersMax) }
}
