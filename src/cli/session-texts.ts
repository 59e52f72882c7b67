/**
 * What was said in a session, on its way into the index: inputs, answers, calls, and both ends of what was printed. Reasoning is left out.
 *
 * - Only what came since the last time is read. A session with another history than the one that was read before is read anew.
 * - It is done in small pieces with pauses between them, and ends early without harm: whoever is next goes on.
 */
import { entryRecord } from "../engine/entries.ts"
import type { IndexRow, IndexText } from "../ledger/index-db.ts"
import { withIndex } from "../ledger/index-file.ts"
import { readEntries } from "../ledger/peek.ts"
import type { Entry } from "../ledger/records.ts"
import { stampSession } from "../ledger/stamps.ts"
import { entryTexts, type EntryText } from "../protocol/entry-text.ts"
import { headBytes, tailBytes } from "../std/lines.ts"
import { indexRow } from "./session-rows.ts"

/** Of an output and of a call's arguments each end is kept: what it was and how it ended stand there. */
const endBytes = 4 * 1024
/** Entries that are read at a time. */
const pageEntries = 100
/** Characters that go into the index in one transaction, at least one text: some tens of milliseconds. */
const pieceCharacters = 32 * 1024

function cut({ kind, text }: EntryText): string {
  if (kind !== "output" && kind !== "call") return text
  const head = headBytes(text, endBytes)
  const rest = text.slice(head.length)
  const end = tailBytes(rest, endBytes)
  return end.length === rest.length ? text : `${head}\n${end}`
}

function textsOf(entry: Entry): readonly IndexText[] {
  const { id, conversation, at } = entry
  return entryTexts(entryRecord(entry).data)
    .filter(({ kind }) => kind !== "thinking")
    .map((it) => ({ entry: id, conversation, at, kind: it.kind, text: cut(it) }))
}

/** Entries in pieces of which each is one transaction. */
function pieces(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const made: Entry[][] = []
  let size = Infinity
  for (const entry of entries) {
    const own = textsOf(entry).reduce((sum, { text }) => sum + text.length, 0)
    if (size + own > pieceCharacters) {
      made.push([])
      size = 0
    }
    size += own
    made.at(-1)?.push(entry)
  }
  return made
}

/** True where the entry that was read last is still the one that it was. */
async function sameHistory(dataDir: string, id: string, { textTo, textAt }: IndexRow): Promise<boolean> {
  if (textTo === 0) return true
  const page = await readEntries({ dataDir, id }, textTo - 1, 1)
  const last = page.state === "ok" ? page.entries[0] : undefined
  return last?.id === textTo && last.at === textAt
}

/**
 * Reads what is new in a session into the index. `pause` is waited for between pieces; false ends it. The answer is false where not all is in:
 * it was ended, the session cannot be read, or there is no index to be had now.
 */
export async function indexTexts(dataDir: string, id: string, pause: () => Promise<boolean>): Promise<boolean> {
  const stamp = stampSession(dataDir, id)?.stamp
  if (stamp === undefined) return false
  let row = await indexRow(dataDir, id)
  if (row === undefined) return false
  if (row.texts === stamp) return true
  if (!(await sameHistory(dataDir, id, row))) {
    withIndex(dataDir, (index) => index.dropTexts(id))
    row = { ...row, textTo: 0, textAt: 0 }
  }
  let at = { entry: row.textTo, at: row.textAt }
  for (;;) {
    const page = await readEntries({ dataDir, id }, at.entry, pageEntries)
    if (page.state !== "ok") return false
    const isLast = page.entries.length < pageEntries
    const parts = pieces(page.entries)
    for (const [place, part] of parts.entries()) {
      const last = part.at(-1) ?? { id: at.entry, at: at.at }
      const to = { entry: last.id, at: last.at }
      const done = isLast && place === parts.length - 1
      const put = withIndex(dataDir, (index) =>
        index.putTexts(id, at.entry, part.flatMap(textsOf), { ...to, stamp: done ? stamp : "" }),
      )
      if (put !== true) return false
      at = to
      if (!done && !(await pause())) return false
    }
    if (!isLast) continue
    // Nothing was new, or nothing that has words.
    if (parts.length === 0) withIndex(dataDir, (index) => index.putTexts(id, at.entry, [], { ...at, stamp }))
    return true
  }
}
