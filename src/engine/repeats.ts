/**
 * Calls that a run makes again and again, with the same result each time: the person is shown it, and the model is told once.
 *
 * - What was counted lives in memory; after a restart it is counted anew from the newest entries of the run.
 */
import type { JsonObject } from "../std/json.ts"
import { stableText, type Json } from "../std/json.ts"
import { callsOf, type ToolResultMessage, type UserPart } from "../message/message.ts"
import type { Task } from "../ledger/records.ts"
import type { Core } from "./core.ts"
import { readDocument } from "./documents.ts"
import { dataOf } from "./entries.ts"
import { callInput } from "./task.ts"

/** Once may be chance, and a test that is run after each change is none; five times the same is a circle. */
export const repeatsMax = 5
/** Entries that are looked at after a restart. */
const lookBackEntries = 100

/** What is told to the model, at the end of the result. */
export const repeatNote = `[This call has given the same result ${repeatsMax} times. Doing it again will not change that: try something else, or say what is in the way.]`

type Counted = { readonly run: number; readonly counts: Map<string, number> }

const counted = new WeakMap<Core, Map<number, Counted>>()

function keyOf(name: string, args: JsonObject, content: readonly UserPart[]): string {
  return `${name} ${Bun.hash(stableText([args, content] as unknown as Json)).toString(36)}`
}

/** How often the run has had this result of this call, this time included. */
export async function timesGiven(core: Core, task: Task, content: readonly UserPart[]): Promise<number> {
  const run = readDocument(core.ledger.live, task.conversation, "run")
  if (run === undefined) return 1
  const { counts } = await countsOf(core, task.conversation, run.entry, run.turn > 1)
  const { name, args } = callInput(task)
  const key = keyOf(name, args, content)
  const times = (counts.get(key) ?? 0) + 1
  counts.set(key, times)
  return times
}

async function countsOf(core: Core, conversation: number, run: number, isOld: boolean): Promise<Counted> {
  const byConversation = counted.get(core) ?? new Map<number, Counted>()
  counted.set(core, byConversation)
  const before = byConversation.get(conversation)
  if (before?.run === run) return before
  const fresh: Counted = { run, counts: new Map() }
  // At once, so that calls of one round count into the same.
  byConversation.set(conversation, fresh)
  if (isOld) await recount(core, conversation, run, fresh.counts)
  return fresh
}

async function recount(core: Core, conversation: number, run: number, counts: Map<string, number>): Promise<void> {
  const calls = new Map<string, { readonly name: string; readonly args: JsonObject }>()
  for (const entry of await core.ledger.entries({ conversation, after: run, limit: lookBackEntries })) {
    const data = dataOf(entry)
    if (data?.kind === "assistant") {
      for (const { id, name, arguments: args } of callsOf(data.message)) calls.set(id, { name, args })
    }
    if (data?.kind !== "toolResult") continue
    const call = calls.get(data.message.toolCallId)
    if (call === undefined) continue
    const key = keyOf(call.name, call.args, withoutNote(data.message))
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
}

function withoutNote({ content }: ToolResultMessage): readonly UserPart[] {
  return content.filter((part) => part.type !== "text" || part.text !== repeatNote)
}
