/**
 * From entries to what a model is told. Pure but for reading.
 *
 * - The newest entry with a head is the marker; its head is the first entry of the context. Without one the context is everything.
 * - The marker comes first, then the others in order. Prompts, notices, choices of a model and attempts say nothing to a model.
 * - Pairing of calls and results, and what a target may see, is the provider layer's: it repairs at each request.
 * - The context at a past entry is what a fork there would see.
 */
import type { Ledger } from "../ledger/ledger.ts"
import type { ConversationId, Entry, EntryId } from "../ledger/records.ts"
import type { Message } from "../message/message.ts"
import { dataOf } from "./entries.ts"
import { undoMessage } from "./undo-told.ts"

/** Entries of the context of `conversation` up to and including `to`, oldest first, the marker at its place. */
export async function contextEntries(
  ledger: Ledger,
  conversation: ConversationId,
  to: EntryId,
): Promise<{ readonly from: EntryId; readonly entries: readonly Entry[] }> {
  const marker = await ledger.newestHead(conversation, to + 1)
  const from = marker?.head ?? 1
  const entries = await ledger.entries({ conversation, after: from - 1, before: to + 1 })
  return { from, entries }
}

function messageOf(entry: Entry): Message | undefined {
  const data = dataOf(entry)
  switch (data?.kind) {
    case "user":
      return { role: "user", content: data.content, timestamp: entry.at }
    case "assistant":
      return data.message.stopReason === "error" || data.message.stopReason === "aborted" ? undefined : data.message
    case "toolResult":
      return data.message
    case "shell": {
      if (data.excluded) return undefined
      // What ran here says in its output how it ended; what was imported does not.
      const told = data.exit === 0 || data.outcome !== undefined
      const status = told ? "" : `\n[exit status ${data.exit ?? "unknown"}]`
      const text = `I ran this command:\n$ ${data.command}\n${data.output}${status}`
      return { role: "user", content: [{ type: "text", text }], timestamp: entry.at }
    }
    case "compaction": {
      const what =
        data.branch === undefined
          ? "Summary of the conversation so far"
          : "Summary of another branch of this conversation, which was left"
      const text = `${what}:\n\n${data.summary}`
      return { role: "user", content: [{ type: "text", text }], timestamp: entry.at }
    }
    case "undo":
      return { role: "user", content: [{ type: "text", text: undoMessage(data) }], timestamp: entry.at }
    case "notice":
    case "prompt":
    case "model":
    case undefined:
      return undefined
  }
}

/** The messages of a context; markers first, so that a summary comes before what was kept. `told`: what is said before an entry, by its id. */
export function messagesOf(
  entries: readonly Entry[],
  told: ReadonlyMap<EntryId, Message> = new Map(),
): readonly Message[] {
  const marker = entries.findLast((entry) => entry.head !== null)
  const rest = entries.filter((entry) => entry.head === null)
  return [...(marker === undefined ? [] : [marker]), ...rest]
    .flatMap((entry) => [told.get(entry.id), messageOf(entry)])
    .filter((message) => message !== undefined)
}
