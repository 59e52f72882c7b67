/**
 * How a conversation's model is told its instructions when they changed on the way: it goes on with those that it began with, and is told the
 * difference at the place where it came, so that what a provider has cached of the conversation stays good.
 *
 * - Tools stand before everything else in every cache: where they changed, the new instructions lead and nothing is told of the old ones.
 * - A summary begins the conversation anew, with the instructions of that moment.
 * - It depends on entries only: the same ones give the same request.
 */
import type { Ledger } from "../ledger/ledger.ts"
import type { ConversationId, Entry, EntryId } from "../ledger/records.ts"
import type { Message } from "../message/message.ts"
import type { PromptEntry } from "../protocol/records.ts"
import { stableText, type Json } from "../std/json.ts"
import { diffOf } from "../tools/diff.ts"
import { dataOf } from "./entries.ts"

/** Entries that are looked through at a time for a prompt: most turns have none. */
const pageEntries = 200

export type ToldPrompt = {
  readonly lead: PromptEntry
  /** What is told of changes, by the entry that it stands before. */
  readonly changes: ReadonlyMap<EntryId, Message>
}

/** The entry of the newest prompt that was in force at `entry`. */
export async function promptBefore(
  ledger: Ledger,
  conversation: ConversationId,
  entry: EntryId,
): Promise<Entry | undefined> {
  for (let before = entry + 1; before > 1;) {
    const page = await ledger.entries({ conversation, before, limit: pageEntries })
    const found = page.findLast(({ kind }) => kind === "prompt")
    if (found !== undefined) return found
    before = page[0]?.id ?? 0
  }
  return undefined
}

function promptOf(entry: Entry | undefined): PromptEntry | undefined {
  const data = entry === undefined ? undefined : dataOf(entry)
  return data?.kind === "prompt" ? data : undefined
}

function changeText(before: string, after: string): string {
  const { diff, tooLarge } = diffOf("instructions", before, after)
  const whole = tooLarge || diff.length >= after.length
  const how = whole ? "They are now:" : "The difference:"
  return `Your instructions were changed and hold as follows from here on; nothing is asked of you by this. ${how}\n\n${whole ? after : diff}`
}

/** The entry before which a change is told: not between an input and its answer, but before that input. */
function placeOf(entries: readonly Entry[], at: number): EntryId {
  let place = at
  while (entries[place - 1]?.kind === "user") place--
  return entries[place]?.id ?? 0
}

function changesOf(entries: readonly Entry[], lead: PromptEntry, after: EntryId): ToldPrompt {
  const changes = new Map<EntryId, Message>()
  let first = lead
  let last = lead
  for (const [at, entry] of entries.entries()) {
    const prompt = entry.id > after ? promptOf(entry) : undefined
    if (prompt === undefined) continue
    if (stableText(prompt.tools as unknown as Json) !== stableText(first.tools as unknown as Json)) {
      changes.clear()
      first = prompt
    } else if (prompt.system !== last.system) {
      const text = changeText(last.system, prompt.system)
      changes.set(placeOf(entries, at), { role: "user", content: [{ type: "text", text }], timestamp: entry.at })
    }
    last = prompt
  }
  return { lead: first, changes }
}

/** What the context `entries` of a conversation is led by, and told of changes since. `newest`: the prompt of the request. */
export async function toldPrompt(
  ledger: Ledger,
  conversation: ConversationId,
  entries: readonly Entry[],
  newest: EntryId,
): Promise<ToldPrompt | undefined> {
  const marker = entries.findLast((entry) => entry.head !== null)
  const within = entries.filter(({ kind, id }) => kind === "prompt" && id <= newest)
  const led = marker === undefined ? within[0] : await promptBefore(ledger, conversation, marker.id - 1)
  const lead = led ?? within[0] ?? (await ledger.entry(newest))
  const data = promptOf(lead)
  return lead === undefined || data === undefined ? undefined : changesOf(entries, data, lead.id)
}
