/**
 * What a model was asked: the request of an answer or attempt, made again from what its entry pins, and compared by its hash.
 *
 * - The same build gives the same bytes. Another encoder, or a model that is set otherwise by now, may not: then what differs is named.
 * - Nothing is sent, and nothing is stored.
 */
import { Refusal, type Answers, type Command, type RequestStanding } from "../protocol/port.ts"
import type { RequestNote } from "../protocol/records.ts"
import { isPruned } from "../ledger/records.ts"
import { contextEntries } from "./context.ts"
import type { Core } from "./core.ts"
import { dataOf } from "./entries.ts"
import { rebuildRequest, type Built } from "./request.ts"

/** One answer's text at most; more is read in pieces. */
const textBytesMax = 1024 * 1024

type Of<T extends Command["type"]> = Extract<Command, { type: T }>

export async function explainRequest(core: Core, command: Of<"request">): Promise<Answers["request"]> {
  const { conversation, note } = await noteOf(core, command.entry)
  const { built, standing, why } = await made(core, conversation, note)
  const body = Buffer.from(built === null ? "" : JSON.stringify(built.encoded.body))
  const to = Math.min(command.to, command.from + textBytesMax)
  return {
    entry: command.entry,
    conversation,
    model: note.model,
    standing,
    note: why,
    sentBytes: note.bytes,
    text: new TextDecoder().decode(body.subarray(command.from, to)),
    from: command.from,
    size: body.length,
  }
}

async function noteOf(core: Core, id: number): Promise<{ conversation: number; note: RequestNote }> {
  const entry = await core.ledger.entry(id)
  if (entry === undefined) throw new Refusal("no_entry", `There is no entry e${id} in this session.`)
  const data = dataOf(entry)
  if (data?.kind === "assistant" && data.request !== undefined) {
    return { conversation: entry.conversation, note: data.request }
  }
  throw new Refusal("no_request", `The entry e${id} is no answer of a model: name one that is.`)
}

type Made = { readonly built: Built | null; readonly standing: RequestStanding; readonly why: string }

const pruned = { standing: "pruned", why: "what it was made of is not kept any more" } as const

async function made(core: Core, conversation: number, note: RequestNote): Promise<Made> {
  const prompt = await core.ledger.entry(note.prompt)
  const newest = await core.ledger.entry(note.to)
  if (prompt === undefined || newest === undefined) {
    return { built: null, ...pruned }
  }
  const resolved = core.options.models.resolve(note.model)
  if (!resolved.ok) return { built: null, standing: "differs", why: `the model is not known here: ${resolved.problem}` }
  const { entries } = await contextEntries(core.ledger, conversation, note.to)
  if (entries.some(isPruned)) return { built: null, ...pruned }
  const built = await rebuildRequest(core, conversation, resolved.model, note)
  if (built.pin.hash === note.hash) return { built, standing: "identical", why: "" }
  const why =
    built.pin.encoder === note.encoder
      ? "the model, its vendor or what the request was made of is set otherwise by now"
      : `encoder ${note.encoder} → ${built.pin.encoder}`
  return { built, standing: "differs", why }
}
